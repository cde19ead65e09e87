/**
 * Scenarios that try what guides, articles and answers claim about GPU memory, a class for each.
 */
@NullMarked
package org.allocsim.analysis.suite.claim;

import org.jspecify.annotations.NullMarked;
