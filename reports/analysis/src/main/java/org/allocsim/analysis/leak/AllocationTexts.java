package org.allocsim.analysis.leak;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * The allocations of a device after the prologue, one word each, as texts in two languages.
 *
 * @param rows rows of the trace that they are at
 * @param sizes requested bytes
 * @param lifetimes allocations made between each and its free, {@link #NEVER_FREED} without one
 */
record AllocationTexts(int[] rows, long[] sizes, long[] lifetimes) {
  static final long NEVER_FREED = -1;

  private static final int NOT_OF_TEXT = -1;

  static AllocationTexts of(AllocationTrace trace, int device) {
    int most = trace.allocationCount();
    int[] rows = new int[most];
    long[] sizes = new long[most];
    long[] lifetimes = new long[most];
    int[] places = new int[most];
    Arrays.fill(places, NOT_OF_TEXT);
    int count = 0;
    for (int row = trace.prologueCount(); row < trace.eventCount(); row++) {
      if (trace.device(row) != device) {
        continue;
      }
      RequestKind kind = trace.kind(row);
      if (kind == RequestKind.ALLOCATE) {
        places[trace.allocation(row)] = count;
        rows[count] = row;
        sizes[count] = trace.bytes(row);
        lifetimes[count] = NEVER_FREED;
        count++;
      } else if (kind == RequestKind.FREE) {
        int place = places[trace.allocation(row)];
        if (place != NOT_OF_TEXT) {
          lifetimes[place] = (long) count - place - 1;
        }
      }
    }
    return count == most
        ? new AllocationTexts(rows, sizes, lifetimes)
        : new AllocationTexts(
            Arrays.copyOf(rows, count),
            Arrays.copyOf(sizes, count),
            Arrays.copyOf(lifetimes, count));
  }

  /** Number of allocations. */
  int count() {
    return rows.length;
  }
}
