/** Scenarios of what users of allocators need, a class for each. */
@NullMarked
package org.allocsim.analysis.suite.need;

import org.jspecify.annotations.NullMarked;
