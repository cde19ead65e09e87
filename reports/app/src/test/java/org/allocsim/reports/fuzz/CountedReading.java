package org.allocsim.reports.fuzz;

import org.allocsim.simulator.growth.Steps;

/** Reads an input and counts the steps; its classes are those of a loader that counts. */
public final class CountedReading {
  private CountedReading() {}

  /**
   * Reads.
   *
   * @param target name of the {@link FuzzTarget}
   * @param maxSteps where to stop with {@link Steps.Exceeded}
   */
  public static long steps(String target, byte[] input, long maxSteps) {
    FuzzTarget reader = FuzzTarget.valueOf(target);
    Steps.start(maxSteps);
    reader.accept(input);
    return Steps.stop();
  }
}
