package org.allocsim.analysis.leak;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Live memory of every iteration at its minimum and its maximum, and reserved memory at its end.
 * Live is what the program was given and has not freed, in whole blocks.
 */
final class IterationSampler {
  private final Iterations iterations;
  private final ServedBlocks served;
  private final long[] floorBytes;
  private final long[] floorRequestedBytes;
  private final int[] floorEvents;
  private final long[] peakBytes;
  private final long[] reservedBytes;
  private final long[] maxBytes;

  private long liveBytes;
  private long requestedBytes;
  private long recordBytes;
  private int current = -1;

  /**
   * Measures a run that is over.
   *
   * @param served has watched it
   */
  IterationSampler(AllocationTrace trace, int device, Iterations iterations, ServedBlocks served) {
    this.iterations = iterations;
    this.served = served;
    int count = iterations.count();
    floorBytes = new long[count];
    floorRequestedBytes = new long[count];
    floorEvents = new int[count];
    peakBytes = new long[count];
    reservedBytes = new long[count];
    maxBytes = new long[count];
    walk(trace, device);
  }

  private void walk(AllocationTrace trace, int device) {
    long[] requested = new long[trace.allocationCount()];
    int begin = iterations.begin(0);
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device) {
        continue;
      }
      if (begin <= row) {
        beginAt(row);
        begin = current < iterations.count() ? iterations.begin(current + 1) : Integer.MAX_VALUE;
      }
      RequestKind kind = trace.kind(row);
      int allocation = trace.allocation(row);
      if (kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK) {
        long bytes = served.blockBytes(allocation);
        if (bytes > 0) {
          requested[allocation] = trace.bytes(row);
          allocate(trace.bytes(row), bytes);
        }
      } else if (kind == RequestKind.FREE) {
        free(row, requested[allocation], served.blockBytes(allocation));
      }
    }
    if (current >= 0 && current < iterations.count()) {
      end(Integer.MAX_VALUE);
    }
  }

  /** What is live when the recording ends, after the last iteration. */
  long liveAtEndBytes() {
    return liveBytes;
  }

  /** The first row of an iteration, or the first after the last one, comes next. */
  private void beginAt(int row) {
    while (current < iterations.count() && iterations.begin(current + 1) <= row) {
      end(row);
      current++;
      if (current < iterations.count()) {
        floorBytes[current] = liveBytes;
        floorRequestedBytes[current] = requestedBytes;
        floorEvents[current] = row - 1;
        peakBytes[current] = liveBytes;
      }
    }
  }

  private void end(int row) {
    if (current >= 0) {
      reservedBytes[current] = served.reservedBytesBefore(row);
      maxBytes[current] = recordBytes;
    }
  }

  private void allocate(long requested, long bytes) {
    liveBytes += bytes;
    requestedBytes += requested;
    recordBytes = Math.max(recordBytes, liveBytes);
    if (isInside()) {
      peakBytes[current] = Math.max(peakBytes[current], liveBytes);
    }
  }

  private void free(int row, long requested, long bytes) {
    liveBytes -= bytes;
    requestedBytes -= requested;
    if (isInside() && liveBytes < floorBytes[current]) {
      floorBytes[current] = liveBytes;
      floorRequestedBytes[current] = requestedBytes;
      floorEvents[current] = row;
    }
  }

  private boolean isInside() {
    return current >= 0 && current < iterations.count();
  }

  Iterations iterations() {
    return iterations;
  }

  /** Size of the block that an allocation got; 0 where it got none. */
  long blockBytes(int allocation) {
    return served.blockBytes(allocation);
  }

  long[] floorBytes() {
    return floorBytes.clone();
  }

  long[] floorRequestedBytes() {
    return floorRequestedBytes.clone();
  }

  /** The request after which an iteration was at its quietest. */
  int floorEvent(int iteration) {
    return floorEvents[iteration];
  }

  long[] peakBytes() {
    return peakBytes.clone();
  }

  long[] reservedBytes() {
    return reservedBytes.clone();
  }

  /** Maximum that was live until the end of each iteration, since the start of the trace. */
  long[] maxBytes() {
    return maxBytes.clone();
  }
}
