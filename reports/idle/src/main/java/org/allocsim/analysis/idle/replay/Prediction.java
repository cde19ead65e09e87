package org.allocsim.analysis.idle.replay;

import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.jspecify.annotations.Nullable;

/**
 * What a replay says about a step.
 *
 * @param change what was changed
 * @param stepNanos mean length of a step
 * @param busyNanos time of it in which the GPU does something
 * @param memory the most memory of the profile; null where it is not known
 * @param failures requests for memory that fail; the program is taken to go on after them
 */
public record Prediction(
    Change change, long stepNanos, long busyNanos, @Nullable MemoryPeak memory, long failures) {
  /** Part of the step in which the GPU does something. */
  public double utilisation() {
    return stepNanos == 0 ? 0 : (double) busyNanos / stepNanos;
  }

  /** The same with what is known of its memory. */
  Prediction with(@Nullable MemoryPeak peak, long failed) {
    return new Prediction(change, stepNanos, busyNanos, peak, failed);
  }
}
