package org.allocsim.workloads.format.pytorch.derive.start;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/** Writes the rows of a trace that recreate what one device held before its history. */
public final class PrologueWriter {
  private final AllocationTrace.Builder trace;
  private final long[] streamHandles;
  private final int device;
  private final long timeNanos;

  /**
   * Writes rows of one device.
   *
   * @param streamHandles handles of streams by number
   * @param timeNanos time of all rows
   */
  public PrologueWriter(
      AllocationTrace.Builder trace, long[] streamHandles, int device, long timeNanos) {
    this.trace = trace;
    this.streamHandles = streamHandles;
    this.device = device;
    this.timeNanos = timeNanos;
  }

  /** Number of a pool in the trace. */
  int poolNumber(PoolId pool) {
    return trace.declarePool(pool);
  }

  /** Appends an allocation and returns its id. */
  int allocate(long requestedBytes, int stream, PoolId pool, int stack) {
    trace.at(device, timeNanos, stack);
    return trace.allocate(requestedBytes, streamHandles[stream], pool);
  }

  /** Appends a free that waits for an unknown stream. */
  void freeAwaiting(int allocation, long completionRank) {
    trace.useUnknownStream(allocation, completionRank);
    trace.free(allocation);
  }
}
