package org.allocsim.analysis.colocate;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * When programs start on a common clock.
 *
 * @param isRecorded whether the traces' own clocks say so; otherwise all start together
 * @param startNanos when each starts, the first at 0
 */
public record CommonClock(boolean isRecorded, List<Long> startNanos) {
  /** Keeps its own copy. */
  public CommonClock {
    startNanos = List.copyOf(startNanos);
  }

  /**
   * The clock of some traces. Recordings have the time of day, so those that were made at the same
   * time say when each began; they are taken to be so where the times of each overlap with those of
   * every other. All others start together.
   */
  public static CommonClock of(List<DeviceTrace> inputs) {
    long first = Long.MAX_VALUE;
    long lastBegin = Long.MIN_VALUE;
    long firstEnd = Long.MAX_VALUE;
    boolean timed = inputs.size() > 1;
    for (DeviceTrace input : inputs) {
      AllocationTrace trace = input.trace();
      long begin = begin(trace);
      first = Math.min(first, begin);
      lastBegin = Math.max(lastBegin, begin);
      firstEnd = Math.min(firstEnd, end(trace));
      timed &= begin > 0;
    }
    boolean recorded = timed && lastBegin < firstEnd;
    List<Long> starts = new ArrayList<>();
    for (DeviceTrace input : inputs) {
      starts.add(recorded ? begin(input.trace()) - first : 0L);
    }
    return new CommonClock(recorded, starts);
  }

  private static long begin(AllocationTrace trace) {
    int first = trace.prologueCount();
    return first < trace.eventCount() ? trace.timeNanos(first) : 0;
  }

  private static long end(AllocationTrace trace) {
    return trace.eventCount() == 0 ? 0 : trace.timeNanos(trace.eventCount() - 1);
  }
}
