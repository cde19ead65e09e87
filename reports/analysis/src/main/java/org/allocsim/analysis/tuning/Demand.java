package org.allocsim.analysis.tuning;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a program holds at most, whatever its allocator does. No device on which less is free serves
 * all of its requests, those included that failed in the recording.
 *
 * @param peakRequestedBytes maximum bytes that were asked for and not given back
 * @param peakBlockBytes the same with every request rounded as some settings have it
 * @param peakEvent row of the trace at which {@code peakRequestedBytes} is first reached
 */
public record Demand(long peakRequestedBytes, long peakBlockBytes, int peakEvent) {
  /** Requests of this size and above never reach the allocator. */
  private static final long ONE_EXABYTE = 1L << 60;

  /** The demand of one device's program. */
  public static Demand of(AllocationTrace trace, int device, AllocatorConfig config) {
    // Negative for blocks that were put back, whose sizes are not rounded.
    long[] sizes = new long[trace.allocationCount()];
    long requested = 0;
    long blocks = 0;
    long peakRequested = 0;
    long peakBlocks = 0;
    int peakEvent = -1;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      RequestKind kind = trace.kind(event);
      long bytes = trace.bytes(event);
      int allocation = trace.allocation(event);
      if (kind == RequestKind.FREE) {
        requested -= Math.abs(sizes[allocation]);
        blocks -= blockBytes(sizes[allocation], config);
      } else if (isAllocation(kind) && bytes > 0 && bytes < ONE_EXABYTE) {
        sizes[allocation] = kind == RequestKind.RESTORE_BLOCK ? -bytes : bytes;
        requested += bytes;
        blocks += blockBytes(sizes[allocation], config);
        peakBlocks = Math.max(peakBlocks, blocks);
        if (requested > peakRequested) {
          peakRequested = requested;
          peakEvent = event;
        }
      }
    }
    return new Demand(peakRequested, peakBlocks, peakEvent);
  }

  private static long blockBytes(long size, AllocatorConfig config) {
    return size <= 0 ? -size : config.blockBytesFor(size);
  }

  /** The largest block that the allocator is asked for, or that is live at first; 0 without any. */
  static long largestBytes(AllocationTrace trace, int device) {
    long largest = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      long bytes = trace.bytes(event);
      if (bytes > largest
          && bytes < ONE_EXABYTE
          && trace.device(event) == device
          && isAllocation(trace.kind(event))) {
        largest = bytes;
      }
    }
    return largest;
  }

  private static boolean isAllocation(RequestKind kind) {
    return kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK;
  }
}
