package org.allocsim.simulator.policy.umpire;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Umpire's {@code QuickPool}.
 *
 * <p><b>Rules.</b> Sizes are rounded up to 16 bytes. A request takes the smallest free piece that
 * fits, among equals the one that has been in the list longest, and cuts it exactly; else a driver
 * block of at least 512 MiB, 1 MiB where the pool has one already. Where the device refuses it, all
 * wholly free blocks go back and the request is tried once more. A freed piece merges with its
 * neighbours in its driver block. Then a heuristic may coalesce: with more than one free piece, all
 * wholly free blocks go back and one block brings the pool to the suggested size; by default this
 * happens when everything is free, and the size is the high watermark.
 *
 * <p><b>Source.</b> LLNL/Umpire 5bf5bc1 (2024-10), {@code QuickPool.cpp}, {@code
 * mixins/AlignedAllocation.inl}.
 *
 * <p><b>Deviations.</b> Umpire asks the heuristic again inside the coalescing that it began; where
 * it answers the same, with free pieces left in other blocks, Umpire does not come back. Here a
 * free coalesces once. Where the device refuses the block that coalescing wants, Umpire ends the
 * program; here the pool stays smaller.
 *
 * <p><b>Cost.</b> Logarithmic time. <b>Limits.</b> One thread.
 */
public final class QuickPool extends UmpirePool {
  private long[] ranks = new long[256];
  private long lastRank;

  QuickPool(PoolOptions options, long limitBytes, DeviceMemory device, EffectListener listener) {
    super(options, limitBytes, device, listener);
  }

  @Override
  long newRank(int block, long address) {
    if (block >= ranks.length) {
      ranks = Arrays.copyOf(ranks, Math.max(block + 1, ranks.length * 2));
    }
    ranks[block] = ++lastRank;
    return lastRank;
  }

  @Override
  long rank(int block, long address) {
    return ranks[block];
  }

  @Override
  boolean canCoalesce(int freePieces, long wholeBlocks) {
    return freePieces > 1;
  }

  @Override
  int[] inReleaseOrder(int[] pieces, BlockHeap blocks) {
    return pieces;
  }
}
