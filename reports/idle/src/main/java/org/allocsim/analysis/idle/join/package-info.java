/** A profile joined by time of day with a memory snapshot of the same run. */
@NullMarked
package org.allocsim.analysis.idle.join;

import org.jspecify.annotations.NullMarked;
