package org.allocsim.analysis.idle;

/**
 * What the GPU did in one step, or in several together. A moment in which it computes counts as
 * that, whatever else it does; one in which it communicates but does not compute as communication;
 * the four parts add up to the step.
 *
 * @param name name of the step
 * @param nanos length of the step on the GPU
 * @param computeNanos it ran kernels
 * @param communicateNanos it ran collectives and no other kernels
 * @param copyNanos it copied or filled memory, and ran no kernels
 * @param idleNanos it did nothing
 */
public record StepTime(
    String name,
    long nanos,
    long computeNanos,
    long communicateNanos,
    long copyNanos,
    long idleNanos) {
  /** The mean of so many steps that are together in this. */
  public StepTime over(String itsName, int steps) {
    return new StepTime(
        itsName,
        nanos / steps,
        computeNanos / steps,
        communicateNanos / steps,
        copyNanos / steps,
        idleNanos / steps);
  }

  /** Time in which the GPU did something. */
  public long busyNanos() {
    return nanos - idleNanos;
  }
}
