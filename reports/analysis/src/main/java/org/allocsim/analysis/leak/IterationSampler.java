package org.allocsim.analysis.leak;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.RunObserver;

/**
 * Watches a replay and notes for every iteration how much was live at its quietest and at its
 * busiest moment, and reserved at its end. Live is what the program was given and has not given
 * back, in whole blocks.
 */
public final class IterationSampler implements EffectListener, RunObserver {
  private final Iterations iterations;
  private final long[] blockBytes;
  private final long[] floorBytes;
  private final long[] floorRequestedBytes;
  private final int[] floorEvents;
  private final long[] peakBytes;
  private final long[] reservedBytes;
  private final long[] maxBytes;

  private long liveBytes;
  private long requestedBytes;
  private long heldBytes;
  private long recordBytes;
  private int event;
  private int current = -1;

  /**
   * A sampler for one replay.
   *
   * @param allocationCount number of allocations of the trace
   */
  public IterationSampler(Iterations iterations, int allocationCount) {
    this.iterations = iterations;
    int count = iterations.count();
    blockBytes = new long[allocationCount];
    floorBytes = new long[count];
    floorRequestedBytes = new long[count];
    floorEvents = new int[count];
    peakBytes = new long[count];
    reservedBytes = new long[count];
    maxBytes = new long[count];
  }

  /** What the policy held before its first request. */
  public void startWith(MemoryLayout layout) {
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      heldBytes += layout.segmentBytes(segment);
    }
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED) {
        allocated(layout.allocation(block), layout.requestedBytes(block), layout.blockBytes(block));
      }
    }
  }

  @Override
  public EffectListener effects() {
    return this;
  }

  /** Row {@code row} of the trace comes next. */
  @Override
  public boolean before(int row) {
    while (current < iterations.count() && iterations.begin(current + 1) <= row) {
      endIteration();
      current++;
      if (current < iterations.count()) {
        floorBytes[current] = liveBytes;
        floorRequestedBytes[current] = requestedBytes;
        floorEvents[current] = row - 1;
        peakBytes[current] = liveBytes;
      }
    }
    event = row;
    return true;
  }

  @Override
  public void end() {
    if (current >= 0 && current < iterations.count()) {
      endIteration();
      current = iterations.count();
    }
  }

  private void endIteration() {
    if (current >= 0) {
      reservedBytes[current] = heldBytes;
      maxBytes[current] = recordBytes;
    }
  }

  @Override
  public void blockAllocated(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    allocated(allocation, requested, bytes);
  }

  private void allocated(int allocation, long requested, long bytes) {
    blockBytes[allocation] = bytes;
    liveBytes += bytes;
    requestedBytes += requested;
    recordBytes = Math.max(recordBytes, liveBytes);
    if (current >= 0 && current < iterations.count()) {
      peakBytes[current] = Math.max(peakBytes[current], liveBytes);
    }
  }

  @Override
  public void freeRequested(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    liveBytes -= bytes;
    requestedBytes -= requested;
    if (current >= 0 && current < iterations.count() && liveBytes < floorBytes[current]) {
      floorBytes[current] = liveBytes;
      floorRequestedBytes[current] = requestedBytes;
      floorEvents[current] = event;
    }
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    heldBytes += bytes;
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    heldBytes -= bytes;
  }

  @Override
  public void segmentMapped(long address, long bytes, int stream, boolean small) {
    heldBytes += bytes;
  }

  @Override
  public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    heldBytes -= bytes;
  }

  Iterations iterations() {
    return iterations;
  }

  /** Size of the block that an allocation got; 0 where it got none. */
  long blockBytes(int allocation) {
    return blockBytes[allocation];
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
