package org.allocsim.reports.chart.memory;

import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.TimeResult;

/** How busy a GPU was over simulated time, in percent of each stretch of time. */
public final class UtilisationData {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double PERCENT = 100;

  private final TimeResult result;

  /** The figures of a simulation in time. */
  public UtilisationData(TimeResult result) {
    this.result = result;
  }

  /** Right end of the horizontal axis, in seconds. */
  double endSeconds() {
    return result.endNanos() > 0 ? result.endNanos() / NANOS_PER_SECOND : 1;
  }

  /** Percent of all time in which the GPU computed. */
  double computePercent() {
    return PERCENT * result.utilisation();
  }

  /** Percent of all time in which it copied in one of the directions. */
  double copyPercent(BusyTimeline copies) {
    return result.endNanos() == 0 ? 0 : PERCENT * copies.totalNanos() / result.endNanos();
  }

  TimeResult result() {
    return result;
  }

  /** A step function of percent over seconds. */
  TimelineData.Points points(BusyTimeline busy) {
    int stretches = busy.stretchCount();
    double[] x = new double[2 * stretches];
    double[] y = new double[2 * stretches];
    for (int stretch = 0; stretch < stretches; stretch++) {
      long begin = stretch * busy.widthNanos();
      long end = Math.min(begin + busy.widthNanos(), Math.max(result.endNanos(), begin + 1));
      x[2 * stretch] = begin / NANOS_PER_SECOND;
      x[2 * stretch + 1] = end / NANOS_PER_SECOND;
      double share = Math.min(1, (double) busy.busyNanos(stretch) / (end - begin));
      y[2 * stretch] = PERCENT * share;
      y[2 * stretch + 1] = PERCENT * share;
    }
    return new TimelineData.Points(x, y);
  }
}
