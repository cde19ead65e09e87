package org.allocsim.reports.chart.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;

/**
 * Reserved memory of several policies over a common axis, thinned out without losing a peak.
 *
 * @param end right end of the horizontal axis
 * @param lines one for each policy that stands out, in their order
 * @param background the others
 * @param requested what the program asks for, of the blocks that it holds
 */
public record OverlayData(
    TimelineData.Axis axis,
    double end,
    List<Line> lines,
    List<Line> background,
    TimelineData.Points requested) {
  /**
   * One policy.
   *
   * @param label its name
   * @param timeline its memory
   */
  public record Policy(String label, MemoryTimeline timeline) {}

  /**
   * Reserved memory of one policy.
   *
   * @param peakBytes its peak
   * @param failureCount requests that failed
   */
  public record Line(
      String label,
      TimelineData.Points reserved,
      TimelineData.Points failures,
      long peakBytes,
      long failureCount) {}

  /**
   * Thins the timelines out.
   *
   * @param policies those that stand out
   * @param others those behind them
   * @param columns width of the plot in pixels
   * @param isByEvent whether the axis counts events, also where times are known
   */
  public static OverlayData of(
      List<Policy> policies, List<Policy> others, int columns, boolean isByEvent) {
    List<Policy> all = new ArrayList<>(policies);
    all.addAll(others);
    TimelineData.Origin origin = origin(all, isByEvent);
    List<Line> lines = new ArrayList<>();
    double end = 0;
    for (Policy policy : all) {
      TimelineData data = TimelineData.of(policy.timeline(), columns, origin);
      end = Math.max(end, data.end());
      lines.add(
          new Line(
              policy.label(),
              data.series(Series.RESERVED),
              data.failures(),
              policy.timeline().peakBytes(Series.RESERVED),
              policy.timeline().failureCount()));
    }
    // Failed requests are not held: who serves most of them shows best what the program asks for.
    TimelineData.Points requested =
        all.stream()
            .map(Policy::timeline)
            .min(Comparator.comparingLong(MemoryTimeline::failureCount))
            .map(timeline -> TimelineData.of(timeline, columns, origin).series(Series.REQUESTED))
            .orElse(new TimelineData.Points(new double[0], new double[0]));
    return new OverlayData(
        origin.axis(),
        end > 0 ? end : 1,
        List.copyOf(lines.subList(0, policies.size())),
        List.copyOf(lines.subList(policies.size(), all.size())),
        requested);
  }

  private static TimelineData.Origin origin(List<Policy> policies, boolean isByEvent) {
    long nanos = Long.MAX_VALUE;
    long event = Long.MAX_VALUE;
    boolean timed = false;
    for (Policy policy : policies) {
      if (policy.timeline().bucketCount() > 0) {
        TimelineData.Origin own = TimelineData.Origin.of(policy.timeline());
        timed |= own.axis() == TimelineData.Axis.SECONDS;
        nanos = Math.min(nanos, own.nanos());
        event = Math.min(event, own.event());
      }
    }
    return new TimelineData.Origin(
        timed && !isByEvent ? TimelineData.Axis.SECONDS : TimelineData.Axis.EVENTS, nanos, event);
  }

  /** The highest of all values, the background's left out. */
  double topBytes() {
    double top = 0;
    for (Line line : lines) {
      top = Math.max(top, line.peakBytes());
    }
    for (double bytes : requested.y()) {
      top = Math.max(top, bytes);
    }
    return top;
  }
}
