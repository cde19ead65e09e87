/**
 * Distinguishes a leak from a plateau: iterations of a program, what each leaves behind, and the
 * trend of it with its interval.
 */
@NullMarked
package org.allocsim.analysis.leak;

import org.jspecify.annotations.NullMarked;
