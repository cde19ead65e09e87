package org.allocsim.workloads.transform;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** Adds calls of {@code torch.cuda.empty_cache()} to a program, or takes them out. */
public final class CacheClearing {
  private CacheClearing() {}

  /** A copy of a trace in which no cached memory of one device is returned by the program. */
  public static AllocationTrace without(AllocationTrace trace, int device) {
    TraceCopy copy = new TraceCopy(trace);
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) != RequestKind.EMPTY_CACHE || trace.device(event) != device) {
        copy.row(event);
      }
    }
    return copy.build();
  }

  /**
   * A copy of a trace in which cached memory of one device is returned before each of some rows.
   * Allocations, streams and pools keep their numbers.
   *
   * @param rows ascending rows after the prologue; the number of rows stands for the end
   * @throws IllegalArgumentException where they are not
   */
  public static AllocationTrace before(AllocationTrace trace, int device, int[] rows) {
    int[] sorted = rows.clone();
    Arrays.sort(sorted);
    if (!Arrays.equals(sorted, rows)) {
      throw new IllegalArgumentException("rows are not in ascending order");
    }
    if (rows.length > 0
        && (rows[0] < trace.prologueCount() || rows[rows.length - 1] > trace.eventCount())) {
      throw new IllegalArgumentException(
          "a row is outside " + trace.prologueCount() + ".." + trace.eventCount());
    }
    TraceCopy copy = new TraceCopy(trace);
    int next = 0;
    long timeNanos = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      timeNanos = trace.timeNanos(event);
      while (next < rows.length && rows[next] == event) {
        copy.emptyCache(device, timeNanos);
        next++;
      }
      copy.row(event);
    }
    while (next < rows.length) {
      copy.emptyCache(device, timeNanos);
      next++;
    }
    return copy.build();
  }
}
