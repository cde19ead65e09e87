package org.allocsim.analysis.leak;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/**
 * Watches a run and notes the block that each allocation got, and how much was reserved when. With
 * the trace, that is all that iterations are measured by, wherever they begin.
 */
public final class ServedBlocks implements EffectListener, RunObserver {
  private long[] blockBytes = {};
  private RowSeries reserved = new RowSeries();
  private long reservedBytes;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  /** Forgets what it noted of another run. */
  @Override
  public void begin(Run begun) {
    run = begun;
    blockBytes = new long[begun.setup().trace().allocationCount()];
    reserved = new RowSeries();
    reservedBytes = 0;
    if (begun.setup().memory() instanceof MemorySource.Recorded(_, var start, _)) {
      startWith(start);
    }
  }

  private void startWith(MemoryLayout layout) {
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      reservedChanged(layout.segmentBytes(segment));
    }
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED) {
        blockBytes[layout.allocation(block)] = layout.blockBytes(block);
      }
    }
  }

  @Override
  public EffectListener effects() {
    return this;
  }

  @Override
  public int nextRow() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void blockAllocated(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    blockBytes[allocation] = bytes;
  }

  @Override
  public void reservedChanged(long bytes) {
    reservedBytes += bytes;
    reserved.add(run.row(), reservedBytes);
  }

  /** Size of the block that an allocation got; 0 where it got none. */
  long blockBytes(int allocation) {
    return blockBytes[allocation];
  }

  /** What was reserved right before a row. */
  long reservedBytesBefore(int row) {
    return reserved.before(row);
  }
}
