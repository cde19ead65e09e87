package org.allocsim.reports.chart.memory;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;

/** Shares of reserved memory over time, as lines in percent over a common axis. */
public final class FragmentationData {
  private static final double PERCENT = 100;

  private final List<Line> lines = new ArrayList<>();
  private final List<Source> sources = new ArrayList<>();
  private boolean isByEvent;

  private record Source(String label, FragmentationTimeline timeline, Share share) {}

  /**
   * A share over time.
   *
   * @param points percent over seconds or requests
   */
  public record Line(String label, TimelineData.Points points) {}

  /** Adds a line. */
  public FragmentationData add(String label, FragmentationTimeline timeline, Share share) {
    sources.add(new Source(label, timeline, share));
    return this;
  }

  /** Has the axis count events, also where times are known. */
  public FragmentationData byEvent(boolean wanted) {
    isByEvent = wanted;
    return this;
  }

  /** What the horizontal axis counts: requests unless some timeline has seconds. */
  TimelineData.Axis axis() {
    return origin().axis();
  }

  /** Right end of the horizontal axis. */
  double end() {
    TimelineData.Origin origin = origin();
    double end = 0;
    for (Source source : sources) {
      FragmentationTimeline timeline = source.timeline();
      if (timeline.bucketCount() > 0) {
        end = Math.max(end, origin.x(timeline.endNanos(), timeline.endEvent()));
      }
    }
    return end > 0 ? end : 1;
  }

  /** All lines, in the order in which they were added. */
  public List<Line> lines() {
    lines.clear();
    TimelineData.Origin origin = origin();
    for (Source source : sources) {
      lines.add(new Line(source.label(), points(source, origin)));
    }
    return List.copyOf(lines);
  }

  private TimelineData.Origin origin() {
    long nanos = Long.MAX_VALUE;
    long event = Long.MAX_VALUE;
    boolean timed = false;
    for (Source source : sources) {
      FragmentationTimeline timeline = source.timeline();
      if (timeline.bucketCount() > 0) {
        nanos = Math.min(nanos, timeline.startNanos(0));
        event = Math.min(event, timeline.startEvent(0));
        timed |=
            TimelineData.Origin.axis(
                    timeline.bucketCount(), timeline::startNanos, timeline.endNanos())
                == TimelineData.Axis.SECONDS;
      }
    }
    return new TimelineData.Origin(
        timed && !isByEvent ? TimelineData.Axis.SECONDS : TimelineData.Axis.EVENTS, nanos, event);
  }

  /** In every bucket the first, the lowest, the highest and the last value. */
  private TimelineData.Points points(Source source, TimelineData.Origin origin) {
    FragmentationTimeline timeline = source.timeline();
    Share share = source.share();
    int buckets = timeline.bucketCount();
    double[] x = new double[buckets == 0 ? 0 : 5 * buckets];
    double[] y = new double[x.length];
    for (int bucket = 0; bucket < buckets; bucket++) {
      double at = origin.x(timeline.startNanos(bucket), timeline.startEvent(bucket));
      double next =
          bucket + 1 < buckets
              ? origin.x(timeline.startNanos(bucket + 1), timeline.startEvent(bucket + 1))
              : end();
      int row = 5 * bucket;
      double[] values = {
        timeline.first(bucket, share),
        timeline.least(bucket, share),
        timeline.greatest(bucket, share),
        timeline.last(bucket, share),
        timeline.last(bucket, share)
      };
      for (int i = 0; i < values.length; i++) {
        x[row + i] = i < values.length - 1 ? at : next;
        y[row + i] = PERCENT * values[i];
      }
    }
    return new TimelineData.Points(x, y);
  }
}
