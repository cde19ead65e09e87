package org.allocsim.reports.answer.fleet;

import java.util.Arrays;
import org.allocsim.analysis.fleet.FleetAnalysis;

/** How many traces could do with how much less reserved memory, by classes of the share. */
final class SavingClasses {
  /** Bounds between the classes, in shares of the baseline's peak. */
  private static final double[] BOUNDS = {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1};

  private final long[] traces = new long[BOUNDS.length];

  SavingClasses(FleetAnalysis analysis) {
    for (double saving : analysis.bestSavings()) {
      int index = 0;
      while (index < BOUNDS.length - 1 && saving >= BOUNDS[index]) {
        index++;
      }
      traces[index]++;
    }
  }

  /** Number of classes. */
  int count() {
    return BOUNDS.length;
  }

  /** The lowest share of a class. */
  double from(int index) {
    return index == 0 ? 0 : BOUNDS[index - 1];
  }

  /** The share that a class stays below. */
  double to(int index) {
    return BOUNDS[index];
  }

  /** As tables name a class. */
  String label(int index) {
    return Math.round(100 * from(index)) + " to " + Math.round(100 * to(index)) + " % less";
  }

  /** Traces of a class. */
  long traces(int index) {
    return traces[index];
  }

  /** Traces of all classes. */
  long traces() {
    return Arrays.stream(traces).sum();
  }
}
