package org.allocsim.analysis.idle;

import org.allocsim.analysis.idle.timeline.Cause;

/**
 * A stretch in which the GPU does nothing, for one cause.
 *
 * @param beginNanos from the first row of the profile
 * @param endNanos from the first row of the profile
 * @param cause why
 * @param where the line of the program, operator or call that is the cause
 * @param step index of the step in which it begins
 */
public record Gap(long beginNanos, long endNanos, Cause cause, String where, int step) {
  /** Its length. */
  public long nanos() {
    return endNanos - beginNanos;
  }
}
