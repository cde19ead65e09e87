/** Scenarios of failures that were reported in public, a class for each. */
@NullMarked
package org.allocsim.analysis.suite.failure;

import org.jspecify.annotations.NullMarked;
