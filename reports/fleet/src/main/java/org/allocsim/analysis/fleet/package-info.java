/**
 * What the rows of a sweep say of a fleet: which setting would have saved how many failures, and
 * which GPU each program needs. It reads rows and makes no runs.
 */
@NullMarked
package org.allocsim.analysis.fleet;

import org.jspecify.annotations.NullMarked;
