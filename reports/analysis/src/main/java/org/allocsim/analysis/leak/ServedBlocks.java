package org.allocsim.analysis.leak;

import java.util.Arrays;
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
  private int[] rows = new int[64];
  private long[] reserved = new long[64];
  private int changes;
  private long reservedBytes;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  /** Forgets what it noted of another run. */
  @Override
  public void begin(Run begun) {
    run = begun;
    blockBytes = new long[begun.setup().trace().allocationCount()];
    changes = 0;
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
    int row = run.row();
    if (changes > 0 && rows[changes - 1] == row) {
      reserved[changes - 1] = reservedBytes;
      return;
    }
    if (changes == rows.length) {
      rows = Arrays.copyOf(rows, 2 * changes);
      reserved = Arrays.copyOf(reserved, 2 * changes);
    }
    rows[changes] = row;
    reserved[changes++] = reservedBytes;
  }

  /** Size of the block that an allocation got; 0 where it got none. */
  long blockBytes(int allocation) {
    return blockBytes[allocation];
  }

  /** Number of rows by which reserved memory changed. */
  int changes() {
    return changes;
  }

  /** The row of a change, −1 for what was reserved before the first. */
  int row(int change) {
    return rows[change];
  }

  /** What was reserved after it. */
  long reservedBytes(int change) {
    return reserved[change];
  }
}
