package org.allocsim.analysis.leak;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** Requested bytes that are live before each row of a trace, with quick extremes of ranges. */
final class LiveCurve {
  private static final int BLOCK = 256;

  private final long[] bytes;
  private final long[] lowest;
  private final long[] highest;

  LiveCurve(AllocationTrace trace, int device) {
    bytes = new long[trace.eventCount() + 1];
    long[] sizes = new long[trace.allocationCount()];
    long live = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      bytes[event] = live;
      if (trace.device(event) == device) {
        RequestKind kind = trace.kind(event);
        int allocation = trace.allocation(event);
        if (kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK) {
          sizes[allocation] = trace.bytes(event);
          live += sizes[allocation];
        } else if (kind == RequestKind.FREE) {
          live -= sizes[allocation];
        }
      }
    }
    bytes[trace.eventCount()] = live;
    int blocks = (bytes.length + BLOCK - 1) / BLOCK;
    lowest = new long[blocks];
    highest = new long[blocks];
    for (int block = 0; block < blocks; block++) {
      lowest[block] = Long.MAX_VALUE;
      highest[block] = Long.MIN_VALUE;
      for (int i = block * BLOCK; i < Math.min(bytes.length, (block + 1) * BLOCK); i++) {
        lowest[block] = Math.min(lowest[block], bytes[i]);
        highest[block] = Math.max(highest[block], bytes[i]);
      }
    }
  }

  /** Lowest value before rows {@code from} to {@code to}, both included. */
  long lowest(int from, int to) {
    long result = Long.MAX_VALUE;
    int i = from;
    while (i <= to) {
      if (i % BLOCK == 0 && i + BLOCK - 1 <= to) {
        result = Math.min(result, lowest[i / BLOCK]);
        i += BLOCK;
      } else {
        result = Math.min(result, bytes[i++]);
      }
    }
    return result;
  }

  /** Highest value before rows {@code from} to {@code to}, both included. */
  long greatest(int from, int to) {
    long result = Long.MIN_VALUE;
    int i = from;
    while (i <= to) {
      if (i % BLOCK == 0 && i + BLOCK - 1 <= to) {
        result = Math.max(result, highest[i / BLOCK]);
        i += BLOCK;
      } else {
        result = Math.max(result, bytes[i++]);
      }
    }
    return result;
  }
}
