package org.allocsim.reports.chart.memory;

import org.allocsim.simulator.stats.MemoryTimeline;

/** Which event a program is at after a time, as far as the steps of its timeline say. */
public final class EventClock {
  private final MemoryTimeline timeline;

  /** The clock of a timeline. */
  public EventClock(MemoryTimeline timeline) {
    this.timeline = timeline;
  }

  /** Events before a moment; within a step of the timeline, in proportion. */
  public double eventAt(long nanos) {
    int buckets = timeline.bucketCount();
    if (buckets == 0 || nanos <= timeline.startNanos(0)) {
      return buckets == 0 ? 0 : timeline.startEvent(0);
    }
    int low = 0;
    int high = buckets - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (timeline.startNanos(middle) <= nanos) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    long beginNanos = timeline.startNanos(low);
    long endNanos = timeline.endNanos(low);
    double share =
        endNanos <= beginNanos
            ? 1
            : Math.clamp((double) (nanos - beginNanos) / (endNanos - beginNanos), 0, 1);
    return timeline.startEvent(low) + share * (timeline.endEvent(low) - timeline.startEvent(low));
  }
}
