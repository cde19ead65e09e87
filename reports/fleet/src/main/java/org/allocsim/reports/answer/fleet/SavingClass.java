package org.allocsim.reports.answer.fleet;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.fleet.FleetAnalysis;

/**
 * Traces that could do with as much less reserved memory as each other.
 *
 * @param from the lowest share of the baseline's peak that they save
 * @param to the share that they stay below
 * @param traces how many they are
 * @param all traces of all classes
 */
record SavingClass(double from, double to, long traces, long all) {
  private static final double[] BOUNDS = {0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1};

  /** All classes, the lowest first; what saves nothing or less is in the first. */
  static List<SavingClass> of(FleetAnalysis analysis) {
    double[] savings = analysis.bestSavings();
    long[] traces = new long[BOUNDS.length - 1];
    for (double saving : savings) {
      int index = traces.length - 1;
      while (index > 0 && saving < BOUNDS[index]) {
        index--;
      }
      traces[index]++;
    }
    List<SavingClass> classes = new ArrayList<>();
    for (int i = 0; i < traces.length; i++) {
      classes.add(new SavingClass(BOUNDS[i], BOUNDS[i + 1], traces[i], savings.length));
    }
    return classes;
  }

  /** As tables and charts name it. */
  String label() {
    return Math.round(100 * from) + " to " + Math.round(100 * to) + " % less";
  }
}
