package org.allocsim.analysis.idle.replay;

/**
 * What a replay says about a step.
 *
 * @param change what was changed
 * @param stepNanos mean length of a step
 * @param busyNanos time of it in which the GPU does something
 */
public record Prediction(Change change, long stepNanos, long busyNanos) {
  /** Part of the step in which the GPU does something. */
  public double utilisation() {
    return stepNanos == 0 ? 0 : (double) busyNanos / stepNanos;
  }
}
