package org.allocsim.reports.chart.memory;

import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.TimeResult;
import org.jspecify.annotations.Nullable;

/** How busy a GPU was over simulated time, in percent of each stretch of time. */
public final class UtilisationData {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double PERCENT = 100;

  private final TimeResult result;
  private final @Nullable EventClock events;

  /**
   * The figures of a simulation in time.
   *
   * @param events for an axis that counts events; null for one of time
   */
  public UtilisationData(TimeResult result, @Nullable EventClock events) {
    this.result = result;
    this.events = events;
  }

  boolean isByEvent() {
    return events != null;
  }

  /** Right end of the horizontal axis, in seconds or events. */
  double end() {
    double end = x(result.endNanos());
    return end > 0 ? end : 1;
  }

  private double x(long nanos) {
    return events == null ? nanos / NANOS_PER_SECOND : events.eventAt(nanos);
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

  /** A step function of percent over seconds or events. */
  TimelineData.Points points(BusyTimeline busy) {
    int stretches = busy.stretchCount();
    double[] x = new double[2 * stretches];
    double[] y = new double[2 * stretches];
    for (int stretch = 0; stretch < stretches; stretch++) {
      long begin = stretch * busy.widthNanos();
      long end = Math.min(begin + busy.widthNanos(), Math.max(result.endNanos(), begin + 1));
      x[2 * stretch] = x(begin);
      x[2 * stretch + 1] = x(end);
      double share = Math.min(1, (double) busy.busyNanos(stretch) / (end - begin));
      y[2 * stretch] = PERCENT * share;
      y[2 * stretch + 1] = PERCENT * share;
    }
    return new TimelineData.Points(x, y);
  }
}
