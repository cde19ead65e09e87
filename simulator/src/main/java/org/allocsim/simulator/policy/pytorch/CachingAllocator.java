package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.MemoryLayout;

/**
 * PyTorch's caching allocator of one CUDA device.
 *
 * <p><b>Rules.</b> Requests are rounded to 512 bytes (or to divisions of powers of two) and served
 * by best fit, lowest address among equals, from the free blocks of the same pool and stream. What
 * does not fit is served by a new segment: 2 MiB for requests up to 1 MiB, 20 MiB up to 10 MiB, else
 * the request in steps of 2 MiB; or by mapping pages into an expandable segment. Blocks are split
 * and merged with their neighbours. When memory is refused, cached memory is returned to the device
 * in a fixed order and the request is tried again. A block used on another stream becomes reusable
 * when that use has finished.
 *
 * <p><b>Source.</b> pytorch/pytorch, {@code c10/cuda/CUDACachingAllocator.cpp} and {@code
 * c10/core/AllocatorConfig.h}, release 2.11.
 *
 * <p><b>Deviations.</b> PyTorch visits streams with finished events, and released private pools, in
 * the order of hash maps; here that order is the completion rank and the pool number. A request
 * routed to a private pool counts as made during a capture; frees made during one are not deferred,
 * because the trace tells when their stream uses are complete.
 *
 * <p><b>Cost.</b> A request takes time logarithmic in the number of free blocks of its pool and
 * stream; expandable growth is linear in the number of unmapped ranges. <b>Limits.</b> One device,
 * one thread.
 */
public final class CachingAllocator implements AllocatorPolicy {
  private static final long MIN_LARGE_REMAINDER_BYTES = RequestSizes.SMALL_REQUEST_BYTES;

  private final AllocatorConfig config;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;

  private final BlockTable blocks = new BlockTable();
  private final StreamUses uses = new StreamUses();
  private final ReservedMemory reserved = new ReservedMemory();
  private final ExpandableSegments expandables;
  private final BlockPool defaultSmall = new BlockPool(0, true, blocks, null);
  private final BlockPool defaultLarge = new BlockPool(0, false, blocks, null);
  private final Map<Integer, PrivatePool> privatePools = new TreeMap<>();
  private final Map<Integer, PrivatePoolOptions> poolOptions = new TreeMap<>();
  private int[] blockOfAllocation = new int[1024];

  /**
   * An allocator that holds nothing.
   *
   * @param config its settings
   * @param limitBytes bytes that it may hold from the device, −1 for no limit
   * @param device where its segments come from
   * @param listener hears what it does
   */
  public CachingAllocator(
      AllocatorConfig config, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.config = config;
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    expandables =
        new ExpandableSegments(blocks, device, listener, reserved, config.largeSegmentBytes());
    Arrays.fill(blockOfAllocation, BlockTable.NONE);
  }

  /** Declares how a private pool is made; to be called before its first request. */
  public void definePool(int pool, PrivatePoolOptions options) {
    poolOptions.put(pool, options);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes < 0 || requestedBytes >= RequestSizes.ONE_EXABYTE) {
      listener.requestRejected(
          allocation,
          requestedBytes,
          "CUDA out of memory. Tried to allocate more than 1EB memory.");
      return OUT_OF_MEMORY;
    }
    boolean capturing = pool != 0;
    if (!capturing || config.graphCaptureRecordStreamReuse()) {
      completeFinishedFrees();
    }
    long roundedBytes = RequestSizes.round(requestedBytes, config.roundupDivisions());
    boolean small = roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES;
    BlockPool blockPool = blockPool(capturing ? privatePool(pool) : null, small);
    boolean growsInPlace = growsInPlace(blockPool);
    int block = takeFree(blockPool, stream, roundedBytes, growsInPlace);
    if (block == BlockTable.NONE) {
      long segmentBytes = RequestSizes.segmentBytes(roundedBytes, config.largeSegmentBytes());
      if (collectsGarbage()) {
        collectGarbage();
      }
      block = grow(blockPool, stream, roundedBytes, segmentBytes, growsInPlace, false);
      if (block == BlockTable.NONE && !capturing) {
        block = takeFromPoolForEmergencies(stream, roundedBytes, small);
        growsInPlace &= block == BlockTable.NONE;
      }
      if (block == BlockTable.NONE && releaseAvailable(blockPool, stream, roundedBytes)) {
        block =
            grow(blockPool, stream, roundedBytes, segmentBytes, growsInPlace, false);
      }
      if (block == BlockTable.NONE && !capturing) {
        releaseCached(0);
        block =
            grow(blockPool, stream, roundedBytes, segmentBytes, growsInPlace, true);
      }
      if (block == BlockTable.NONE) {
        reportOutOfMemory(allocation, requestedBytes, roundedBytes, segmentBytes, stream);
        return OUT_OF_MEMORY;
      }
    }
    return handOut(allocation, requestedBytes, roundedBytes, block, growsInPlace);
  }

  @Override
  public void free(int allocation) {
    int block = blockOf(allocation);
    if (block == BlockTable.NONE) {
      return;
    }
    if (blocks.pending[block]) {
      // The first half of this free lies before the start of the recording.
      completeFree(block);
      return;
    }
    blocks.allocated[block] = false;
    listener.freeRequested(
        allocation,
        blocks.address[block],
        blocks.requestedBytes[block],
        blocks.bytes[block],
        blocks.stream[block],
        blocks.pool[block].small);
    if (blocks.firstUse[block] == StreamUses.NONE) {
      completeFree(block);
    } else {
      blocks.pending[block] = true;
      uses.insertEvents(blocks, block);
    }
  }

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    int block = blockOf(allocation);
    if (block == BlockTable.NONE || stream == blocks.stream[block]) {
      return;
    }
    uses.add(blocks, block, stream, completionRank);
    if (blocks.pending[block]) {
      uses.insertEvents(blocks, block);
    }
  }

  @Override
  public void useComplete(int allocation) {
    int block = blockOf(allocation);
    if (block != BlockTable.NONE) {
      uses.completeAllOf(blocks, block);
    }
  }

  @Override
  public void synchronize() {
    uses.completeAll(blocks);
  }

  @Override
  public void emptyCache() {
    releaseCached(0);
  }

  @Override
  public void releasePool(int pool) {
    PrivatePool released = privatePools.get(pool);
    if (released != null) {
      released.releasable = true;
    }
  }

  @Override
  public void emptyPool(int pool) {
    releaseCached(pool);
  }

  /** Bytes held from the device. */
  public long reservedBytes() {
    return reserved.bytes;
  }

  /** Whether a request would be served by a cached block, without asking the device. */
  public boolean servesFromCache(long requestedBytes, int stream, int pool) {
    long roundedBytes = RequestSizes.round(requestedBytes, config.roundupDivisions());
    boolean small = roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES;
    PrivatePool privatePool = privatePools.get(pool);
    if (pool != 0 && privatePool == null) {
      return false;
    }
    BlockPool blockPool = blockPool(privatePool, small);
    return findFree(blockPool, stream, roundedBytes, growsInPlace(blockPool)) != BlockTable.NONE;
  }

  /** Whether a request that finds no block now would first release old cached blocks. */
  public boolean wouldCollectGarbage() {
    return collectsGarbage() && reserved.bytes > garbageThresholdBytes();
  }

  // Requests.

  private BlockPool blockPool(PrivatePool privatePool, boolean small) {
    if (privatePool == null) {
      return small ? defaultSmall : defaultLarge;
    }
    return small ? privatePool.small : privatePool.large;
  }

  private PrivatePool privatePool(int number) {
    PrivatePool pool = privatePools.get(number);
    if (pool == null) {
      pool =
          new PrivatePool(
              number, blocks, poolOptions.getOrDefault(number, PrivatePoolOptions.PLAIN));
      privatePools.put(number, pool);
    }
    pool.releasable = false;
    return pool;
  }

  private boolean growsInPlace(BlockPool pool) {
    return config.expandableSegments()
        && (pool.privatePool == null || !pool.privatePool.options.customAllocator());
  }

  private int takeFree(BlockPool pool, int stream, long roundedBytes, boolean growsInPlace) {
    if (collectsGarbage()) {
      pool.lookups++;
    }
    int block = findFree(pool, stream, roundedBytes, growsInPlace);
    if (block != BlockTable.NONE) {
      pool.removeFree(block);
    }
    return block;
  }

  private int findFree(BlockPool pool, int stream, long roundedBytes, boolean growsInPlace) {
    OrderedBlocks free = pool.free(stream);
    long at = free.ceiling(roundedBytes, 0);
    if (at == OrderedBlocks.NONE) {
      return BlockTable.NONE;
    }
    int block = free.block(at);
    if (blocks.expandable[block] != BlockTable.NONE) {
      if (growsInPlace) {
        block = leastGrowth(free, at);
      } else {
        do {
          at = free.next(at);
        } while (at != OrderedBlocks.NONE
            && blocks.expandable[free.block(at)] != BlockTable.NONE);
        if (at == OrderedBlocks.NONE) {
          return BlockTable.NONE;
        }
        block = free.block(at);
      }
    }
    long blockBytes = blocks.bytes[block];
    if (isOversize(roundedBytes)) {
      boolean tooLarge =
          Long.compareUnsigned(blockBytes, roundedBytes + config.maxNonSplitRoundingBytes()) >= 0;
      return tooLarge ? BlockTable.NONE : block;
    }
    return isOversize(blockBytes) ? BlockTable.NONE : block;
  }

  /** Walks on while the next block could grow to less: small free ends are used up first. */
  private int leastGrowth(OrderedBlocks free, long start) {
    long at = start;
    int block = free.block(at);
    while (blocks.expandable[block] != BlockTable.NONE) {
      at = free.next(at);
      if (at == OrderedBlocks.NONE) {
        break;
      }
      int candidate = free.block(at);
      if (expandables.expandableBytes(candidate) >= expandables.expandableBytes(block)) {
        break;
      }
      block = candidate;
    }
    return block;
  }

  private boolean isOversize(long bytes) {
    return Long.compareUnsigned(bytes, config.maxSplitBytes()) >= 0;
  }

  /** Obtains memory from the device; {@link BlockTable#NONE} where limit or device refuse. */
  private int grow(
      BlockPool pool,
      int stream,
      long roundedBytes,
      long segmentBytes,
      boolean growsInPlace,
      boolean retry) {
    if (retry) {
      listener.allocationRetried();
    }
    if (limitBytes >= 0 && reserved.bytes + segmentBytes > limitBytes) {
      return BlockTable.NONE;
    }
    int block;
    if (growsInPlace) {
      block = expandables.allocate(pool, stream, roundedBytes);
    } else {
      block = newSegment(pool, stream, segmentBytes);
    }
    if (block != BlockTable.NONE && pool.privatePool != null) {
      pool.privatePool.deviceAllocations++;
    }
    return block;
  }

  private int newSegment(BlockPool pool, int stream, long segmentBytes) {
    long address = device.allocate(segmentBytes);
    if (address == DeviceMemory.REFUSED) {
      return BlockTable.NONE;
    }
    reserved.bytes += segmentBytes;
    listener.segmentAllocated(address, segmentBytes, stream, pool.small);
    return blocks.create(address, segmentBytes, stream, pool);
  }

  private int takeFromPoolForEmergencies(int stream, long roundedBytes, boolean small) {
    for (PrivatePool candidate : privatePools.values()) {
      if (candidate.options.useOnOom()) {
        int block = takeFree(blockPool(candidate, small), stream, roundedBytes, false);
        if (block != BlockTable.NONE) {
          return block;
        }
      }
    }
    return BlockTable.NONE;
  }

  private long handOut(
      int allocation,
      long requestedBytes,
      long roundedBytes,
      int found,
      boolean growsInPlace) {
    int block = found;
    BlockPool pool = blocks.pool[found];
    boolean countsSplits = blocks.expandable[found] == BlockTable.NONE;
    boolean alreadySplit = blocks.isSplit(found);
    long remainderBytes = blocks.bytes[found] - roundedBytes;
    if (shouldSplit(pool, roundedBytes, remainderBytes, growsInPlace)) {
      block = blocks.create(blocks.address[found], roundedBytes, blocks.stream[found], pool);
      blocks.expandable[block] = blocks.expandable[found];
      blocks.linkBefore(found, block);
      blocks.address[found] += roundedBytes;
      blocks.bytes[found] = remainderBytes;
      pool.addFree(found);
      if (countsSplits) {
        if (alreadySplit) {
          listener.inactiveSplitChanged(0, -roundedBytes, pool.small);
        } else {
          listener.inactiveSplitChanged(1, remainderBytes, pool.small);
        }
      }
    } else if (alreadySplit && countsSplits) {
      listener.inactiveSplitChanged(-1, -blocks.bytes[block], pool.small);
    }
    blocks.allocated[block] = true;
    blocks.requestedBytes[block] = requestedBytes;
    blocks.allocation[block] = allocation;
    remember(allocation, block);
    listener.blockAllocated(
        allocation,
        blocks.address[block],
        requestedBytes,
        blocks.bytes[block],
        blocks.stream[block],
        pool.small);
    return blocks.address[block];
  }

  private boolean shouldSplit(
      BlockPool pool, long roundedBytes, long remainderBytes,
      boolean growsInPlace) {
    if (pool.privatePool != null && pool.privatePool.options.noSplit()) {
      return false;
    }
    if (pool.small || growsInPlace) {
      return remainderBytes >= RequestSizes.MIN_BLOCK_BYTES;
    }
    return !isOversize(roundedBytes) && remainderBytes > MIN_LARGE_REMAINDER_BYTES;
  }

  private void reportOutOfMemory(
      int allocation, long requestedBytes, long roundedBytes, long segmentBytes, int stream) {
    long privateFreeBytes = 0;
    for (PrivatePool pool : privatePools.values()) {
      privateFreeBytes += pool.small.freeBytes() + pool.large.freeBytes();
    }
    listener.outOfMemory(
        allocation,
        requestedBytes,
        roundedBytes,
        segmentBytes,
        stream,
        limitBytes,
        privateFreeBytes,
        device.freeBytes(),
        device.totalBytes());
  }

  // Frees.

  private void completeFinishedFrees() {
    for (int block = uses.pollFinished(blocks);
        block != BlockTable.NONE;
        block = uses.pollFinished(blocks)) {
      completeFree(block);
    }
  }

  private void synchronizeAndFree(int owner) {
    listener.streamsSynchronized();
    for (int block = uses.pollSynchronized(blocks, owner);
        block != BlockTable.NONE;
        block = uses.pollSynchronized(blocks, owner)) {
      completeFree(block);
    }
  }

  private void completeFree(int block) {
    BlockPool pool = blocks.pool[block];
    int allocation = blocks.allocation[block];
    listener.freeCompleted(
        allocation,
        blocks.address[block],
        blocks.requestedBytes[block],
        blocks.bytes[block],
        blocks.stream[block],
        pool.small);
    blockOfAllocation[allocation] = BlockTable.NONE;
    blocks.allocation[block] = -1;
    blocks.pending[block] = false;
    int splitBlocks = 0;
    long splitBytes = 0;
    long gained = blocks.tryMerge(block, blocks.previous[block]);
    if (gained > 0) {
      splitBlocks--;
      splitBytes -= gained;
    }
    gained = blocks.tryMerge(block, blocks.next[block]);
    if (gained > 0) {
      splitBlocks--;
      splitBytes -= gained;
    }
    pool.addFree(block);
    if (blocks.expandable[block] != BlockTable.NONE) {
      return;
    }
    if (blocks.isSplit(block)) {
      splitBlocks++;
      splitBytes += blocks.bytes[block];
    }
    if (splitBlocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(splitBlocks, splitBytes, pool.small);
    }
  }

  // Returning memory to the device.

  private boolean collectsGarbage() {
    return limitBytes >= 0 && config.garbageCollectionThreshold() > 0;
  }

  private long garbageThresholdBytes() {
    return (long) (config.garbageCollectionThreshold() * limitBytes);
  }

  private void collectGarbage() {
    long thresholdBytes = garbageThresholdBytes();
    if (reserved.bytes <= thresholdBytes) {
      return;
    }
    long targetBytes = reserved.bytes - thresholdBytes;
    long reclaimedBytes = 0;
    long totalAge = 0;
    int count = 0;
    for (int block : defaultLarge.freeInOrder()) {
      if (!blocks.isSplit(block)) {
        totalAge += age(block);
        count++;
      }
    }
    boolean freed = count > 0;
    while (reclaimedBytes < targetBytes && freed && count > 0) {
      double meanAge = (double) totalAge / count;
      freed = false;
      for (int block : defaultLarge.freeInOrder()) {
        if (!blocks.isSplit(block)
            && blocks.expandable[block] == BlockTable.NONE
            && age(block) >= meanAge) {
          freed = true;
          reclaimedBytes += blocks.bytes[block];
          totalAge -= age(block);
          count--;
          releaseSegment(block);
        }
      }
    }
  }

  private long age(int block) {
    return blocks.pool[block].lookups - blocks.lookupsWhenFreed[block];
  }

  private boolean releaseAvailable(BlockPool pool, int stream, long roundedBytes) {
    if (config.maxSplitBytes() == AllocatorConfig.UNLIMITED) {
      return false;
    }
    long keyBytes =
        isOversize(roundedBytes) ? roundedBytes : Math.max(roundedBytes, config.maxSplitBytes());
    if (keyBytes < 0) {
      // A limit of 2^63 bytes and more is above every block.
      keyBytes = Long.MAX_VALUE;
    }
    OrderedBlocks free = pool.free(stream);
    long at = free.ceiling(keyBytes, 0);
    if (at != OrderedBlocks.NONE && blocks.expandable[free.block(at)] == BlockTable.NONE) {
      releaseSegment(free.block(at));
      return true;
    }
    at = at == OrderedBlocks.NONE ? free.last() : free.previous(at);
    long releasedBytes = 0;
    while (at != OrderedBlocks.NONE
        && releasedBytes < keyBytes
        && isOversize(blocks.bytes[free.block(at)])) {
      int block = free.block(at);
      long before = free.previous(at);
      if (blocks.expandable[block] == BlockTable.NONE) {
        releasedBytes += blocks.bytes[block];
        // Removing a block leaves the positions before it as they are.
        releaseSegment(block);
      }
      at = before;
    }
    return releasedBytes >= keyBytes;
  }

  private void releaseCached(int pool) {
    if (pool == 0) {
      synchronizeAndFree(-1);
      releaseAll(defaultLarge);
      releaseAll(defaultSmall);
    }
    for (var entries = privatePools.entrySet().iterator(); entries.hasNext(); ) {
      var entry = entries.next();
      PrivatePool candidate = entry.getValue();
      if (!candidate.releasable || (pool != 0 && entry.getKey() != pool)) {
        continue;
      }
      if (pool != 0) {
        synchronizeAndFree(pool);
      }
      releaseAll(candidate.small);
      releaseAll(candidate.large);
      if (candidate.deviceAllocations == 0) {
        entries.remove();
      }
    }
  }

  private void releaseAll(BlockPool pool) {
    int[] free = pool.freeInOrder();
    int expandableCount = 0;
    for (int block : free) {
      if (blocks.expandable[block] != BlockTable.NONE) {
        free[expandableCount++] = block;
      } else if (!blocks.isSplit(block)) {
        releaseSegment(block);
      }
    }
    for (int i = 0; i < expandableCount; i++) {
      if (expandables.unmap(free[i]) && pool.privatePool != null) {
        pool.privatePool.deviceAllocations--;
      }
    }
  }

  private void releaseSegment(int block) {
    BlockPool pool = blocks.pool[block];
    long bytes = blocks.bytes[block];
    listener.segmentFreed(blocks.address[block], bytes, blocks.stream[block], pool.small);
    device.free(blocks.address[block], bytes);
    reserved.bytes -= bytes;
    if (pool.privatePool != null) {
      pool.privatePool.deviceAllocations--;
    }
    pool.removeFree(block);
    blocks.destroy(block);
  }

  // Allocation ids.

  private int blockOf(int allocation) {
    return allocation >= 0 && allocation < blockOfAllocation.length
        ? blockOfAllocation[allocation]
        : BlockTable.NONE;
  }

  private void remember(int allocation, int block) {
    if (allocation >= blockOfAllocation.length) {
      int known = blockOfAllocation.length;
      blockOfAllocation =
          Arrays.copyOf(blockOfAllocation, Math.max(allocation + 1, known + (known >> 1)));
      Arrays.fill(blockOfAllocation, known, blockOfAllocation.length, BlockTable.NONE);
    }
    blockOfAllocation[allocation] = block;
  }

  // Layout.

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    new LayoutDescription(blocks).describe(visitor);
  }

  /**
   * Puts an allocator that holds nothing into the state of a layout. Blocks that await their free
   * have no stream uses yet: {@link #useStream} adds them, or {@link #free} finishes the free.
   */
  public void restore(MemoryLayout layout) {
    int last = BlockTable.NONE;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      int number = layout.segmentPool(segment);
      BlockPool pool = blockPool(number == 0 ? null : privatePool(number), layout.isSmall(segment));
      reserved.bytes += layout.segmentBytes(segment);
      if (pool.privatePool != null) {
        pool.privatePool.deviceAllocations++;
      }
      int range = BlockTable.NONE;
      if (layout.isExpandable(segment)) {
        boolean continues =
            segment > 0
                && layout.isExpandable(segment - 1)
                && layout.reservationAddress(segment - 1) == layout.reservationAddress(segment);
        range =
            continues
                ? last
                : expandables.restore(
                    pool, layout.stream(segment), layout.reservationAddress(segment));
        if (continues) {
          pool.removeUnmapped(range);
        }
        range = expandables.carveGap(range, layout.segmentAddress(segment));
      }
      last = restoreBlocks(layout, segment, pool, range);
    }
  }

  /** Recreates the blocks of a segment, in front of the unmapped range if there is one. */
  private int restoreBlocks(MemoryLayout layout, int segment, BlockPool pool, int range) {
    int stream = layout.stream(segment);
    int before = BlockTable.NONE;
    for (int i = layout.firstBlock(segment); i < layout.firstBlock(segment + 1); i++) {
      int block = blocks.create(layout.blockAddress(i), layout.blockBytes(i), stream, pool);
      blocks.requestedBytes[block] = layout.requestedBytes(i);
      if (range != BlockTable.NONE) {
        blocks.expandable[block] = blocks.expandable[range];
        blocks.linkBefore(range, block);
        blocks.address[range] += blocks.bytes[block];
        blocks.bytes[range] -= blocks.bytes[block];
      } else if (before != BlockTable.NONE) {
        blocks.linkBehind(before, block);
      }
      before = block;
      if (layout.state(i) == LayoutVisitor.BlockState.INACTIVE) {
        pool.addFree(block);
      } else {
        blocks.allocated[block] = layout.state(i) == LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
        blocks.pending[block] = !blocks.allocated[block];
        blocks.allocation[block] = layout.allocation(i);
        remember(layout.allocation(i), block);
      }
    }
    if (range != BlockTable.NONE) {
      pool.addUnmapped(range);
    }
    return range;
  }
}
