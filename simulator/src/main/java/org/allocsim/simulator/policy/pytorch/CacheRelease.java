package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrder;

/**
 * Returns cached memory to the device: old segments (garbage collection), just enough oversize
 * segments for one request, or everything that is free.
 *
 * <p><b>Source.</b> PyTorch 2.11, {@code c10/cuda/CUDACachingAllocator.cpp}: {@code
 * garbage_collect_cached_blocks}, {@code release_available_cached_blocks}, {@code
 * release_cached_blocks}, {@code release_block}.
 */
final class CacheRelease {
  private final AllocatorConfig config;
  private final long limitBytes;

  /** Whether garbage collection, which needs a limit, is on; only it asks for the age of blocks. */
  final boolean collectsGarbage;

  private final DeviceMemory device;
  private final EffectListener listener;
  private final BlockTable blocks;
  private final Pools pools;
  private final ExpandableSegments expandables;
  private final ReservedMemory reserved;

  CacheRelease(
      AllocatorConfig config,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener,
      BlockTable blocks,
      Pools pools,
      ExpandableSegments expandables,
      ReservedMemory reserved) {
    this.config = config;
    this.limitBytes = limitBytes;
    collectsGarbage = limitBytes >= 0 && config.garbageCollectionThreshold() > 0;
    this.device = device;
    this.listener = listener;
    this.blocks = blocks;
    this.pools = pools;
    this.expandables = expandables;
    this.reserved = reserved;
  }

  /** Whether more is reserved than garbage collection leaves alone. */
  boolean exceedsGarbageThreshold() {
    return collectsGarbage && reserved.bytes > garbageThresholdBytes();
  }

  private long garbageThresholdBytes() {
    return (long) (config.garbageCollectionThreshold() * limitBytes);
  }

  /** Releases what {@link #garbage} finds. */
  void collectGarbage() {
    for (Block block : garbage()) {
      releaseSegment(block);
    }
  }

  /**
   * Blocks that garbage collection would release now, in order: whole segments of the default large
   * pool that are at least as old as the mean, in passes until enough is found or none is left.
   */
  Block[] garbage() {
    if (!exceedsGarbageThreshold()) {
      return new Block[0];
    }
    long missingBytes = reserved.bytes - garbageThresholdBytes();
    List<Block> free = pools.defaultLarge.releasableInOrder();
    long totalAge = 0;
    int candidates = 0;
    for (Block block : free) {
      if (!block.isSplit()) {
        totalAge += age(block);
        candidates++;
      }
    }
    Block[] garbage = new Block[candidates];
    boolean[] taken = new boolean[free.size()];
    int count = 0;
    boolean found = true;
    while (missingBytes > 0 && found && candidates > 0) {
      double meanAge = (double) totalAge / candidates;
      found = false;
      for (int i = 0; i < free.size(); i++) {
        Block block = free.get(i);
        if (!taken[i] && !block.isSplit() && !block.isExpandable() && age(block) >= meanAge) {
          found = true;
          taken[i] = true;
          missingBytes -= block.bytes();
          totalAge -= age(block);
          candidates--;
          garbage[count++] = block;
        }
      }
    }
    return Arrays.copyOf(garbage, count);
  }

  private long age(Block block) {
    return block.list.pool.countedLookups - block.lookupsWhenFreed;
  }

  /**
   * Releases oversize blocks of the request's pool and stream: the smallest that is large enough,
   * or from the largest downwards. Parts of segments, which are oversize only where the split limit
   * was lowered at run time, are passed over; PyTorch 2.14 gives their address to the device, which
   * refuses it.
   *
   * @return whether as much was released as the request needs
   */
  boolean releaseOversize(FreeList list, long roundedBytes) {
    if (config.maxSplitBytes() == AllocatorConfig.UNLIMITED) {
      return false;
    }
    // A limit of 2^63 bytes and more is above every block.
    long limit = config.maxSplitBytes() < 0 ? Long.MAX_VALUE : config.maxSplitBytes();
    long neededBytes = Math.max(roundedBytes, limit);
    SizeOrder<Block> free = list.mapped;
    Block block = free.ceiling(neededBytes, 0);
    if (block != null && isWholeSegment(block)) {
      releaseSegment(block);
      return true;
    }
    block = block == null ? free.last() : free.previous(block);
    long releasedBytes = 0;
    while (block != null && releasedBytes < neededBytes && config.isOversize(block.bytes())) {
      Block before = free.previous(block);
      if (isWholeSegment(block)) {
        releasedBytes += block.bytes();
        releaseSegment(block);
      }
      block = before;
    }
    return releasedBytes >= neededBytes;
  }

  /** Releases all whole free segments and free pages of the default pool, large blocks first. */
  void releaseDefaultPool() {
    releaseAll(pools.defaultLarge);
    releaseAll(pools.defaultSmall);
  }

  /**
   * Releases the memory of private pools that were given up, small blocks first, and forgets those
   * that hold nothing any more.
   *
   * @param number of the pool, or 0 for all
   */
  void releasePrivatePools(int number) {
    for (PrivatePool pool : pools.givenUp(number)) {
      releaseAll(pool.small);
      releaseAll(pool.large);
      if (pool.deviceAllocations == 0) {
        pools.forget(pool);
      }
    }
  }

  private void releaseAll(BlockPool pool) {
    List<Block> releasable = pool.releasableInOrder();
    for (Block block : releasable) {
      if (isWholeSegment(block)) {
        releaseSegment(block);
      }
    }
    for (Block block : releasable) {
      if (block.isExpandable() && expandables.unmap(block) && pool.privatePool != null) {
        pool.privatePool.deviceAllocations--;
      }
    }
  }

  private static boolean isWholeSegment(Block block) {
    return !block.isExpandable() && !block.isSplit();
  }

  private void releaseSegment(Block block) {
    FreeList list = block.list;
    PrivatePool owner = list.pool.privatePool;
    long address = block.address();
    long bytes = block.bytes();
    listener.segmentFreed(address, bytes, list.stream, list.pool.small);
    device.free(address, bytes);
    reserved.bytes -= bytes;
    if (owner != null) {
      owner.deviceAllocations--;
    }
    list.remove(block);
    blocks.destroy(block);
  }
}
