package org.allocsim.analysis.job;

import java.util.Arrays;

/**
 * How much memory a rank takes.
 *
 * @param reservedBytes what is reserved at most
 * @param allocatedBytes what is allocated at most
 * @param parameterBytes what parameters take, 0 where that is not known
 * @param stepPeakBytes the most that is live in each of its steps; empty where it has none
 */
public record RankPeak(
    long reservedBytes, long allocatedBytes, long parameterBytes, long[] stepPeakBytes) {
  /** Keeps its own copy. */
  public RankPeak {
    stepPeakBytes = stepPeakBytes.clone();
  }

  @Override
  public long[] stepPeakBytes() {
    return stepPeakBytes.clone();
  }

  /**
   * The highest of its steps over the lowest, without the first, which warms up; 1 without steps.
   */
  double variation() {
    if (stepPeakBytes.length < JobBalance.FEWEST_STEPS) {
      return 1;
    }
    long[] steps = Arrays.copyOfRange(stepPeakBytes, 1, stepPeakBytes.length);
    return (double) highest(steps) / Math.max(1, lowest(steps));
  }

  /** How many of its steps take so many times as much as the lowest, without the first. */
  int stepsAbove(double ratio) {
    if (stepPeakBytes.length < JobBalance.FEWEST_STEPS) {
      return 0;
    }
    double least = ratio * lowestStepBytes();
    return (int) Arrays.stream(stepPeakBytes).skip(1).filter(bytes -> bytes >= least).count();
  }

  /** The lowest of its steps without the first. */
  public long lowestStepBytes() {
    return lowest(Arrays.copyOfRange(stepPeakBytes, 1, stepPeakBytes.length));
  }

  /** The highest of its steps without the first. */
  public long highestStepBytes() {
    return highest(Arrays.copyOfRange(stepPeakBytes, 1, stepPeakBytes.length));
  }

  private static long highest(long[] values) {
    return Arrays.stream(values).max().orElseThrow();
  }

  private static long lowest(long[] values) {
    return Arrays.stream(values).min().orElseThrow();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RankPeak that
        && reservedBytes == that.reservedBytes
        && allocatedBytes == that.allocatedBytes
        && parameterBytes == that.parameterBytes
        && Arrays.equals(stepPeakBytes, that.stepPeakBytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(
        new long[] {reservedBytes, allocatedBytes, parameterBytes, Arrays.hashCode(stepPeakBytes)});
  }

  @Override
  public String toString() {
    return reservedBytes + " reserved, " + allocatedBytes + " allocated";
  }
}
