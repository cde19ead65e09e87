package org.allocsim.simulator.policy.umpire;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Umpire's {@code DynamicPoolList}.
 *
 * <p><b>Rules.</b> As {@link QuickPool}, but among free pieces of equal size the lowest address is
 * taken, free blocks go back by ascending address, and coalescing needs more than one wholly free
 * block.
 *
 * <p><b>Source.</b> LLNL/Umpire 5bf5bc1 (2024-10), {@code DynamicPoolList.cpp}, {@code
 * DynamicSizePool.hpp}.
 *
 * <p><b>Deviations.</b> Where the device refuses the block that coalescing wants, Umpire ends the
 * program; here the pool stays smaller.
 *
 * <p><b>Cost.</b> Logarithmic time, where Umpire scans its lists. <b>Limits.</b> One thread.
 */
public final class DynamicPoolList extends UmpirePool {
  DynamicPoolList(
      PoolOptions options, long limitBytes, DeviceMemory device, EffectListener listener) {
    super(options, limitBytes, device, listener);
  }

  @Override
  long newRank(int block, long address) {
    return address;
  }

  @Override
  long rank(int block, long address) {
    return address;
  }

  @Override
  boolean canCoalesce(int freePieces, long wholeBlocks) {
    return wholeBlocks > 1;
  }

  @Override
  int[] inReleaseOrder(int[] pieces, BlockHeap blocks) {
    return Arrays.stream(pieces)
        .boxed()
        .sorted((a, b) -> Long.compareUnsigned(blocks.address(a), blocks.address(b)))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
