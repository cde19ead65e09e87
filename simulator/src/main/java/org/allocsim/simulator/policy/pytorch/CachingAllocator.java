package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.block.OrderedBlocks;

/**
 * PyTorch's caching allocator of one CUDA device.
 *
 * <p><b>Rules.</b> Requests are rounded to 512 bytes (or to divisions of powers of two) and served
 * by best fit, lowest address among equals, from the free blocks of the same pool and stream. What
 * does not fit is served by a new segment: 2 MiB for requests up to 1 MiB, 20 MiB up to 10 MiB,
 * else the request in steps of 2 MiB; or by mapping pages into an expandable segment. Blocks are
 * split and merged with their neighbours. When memory is refused, cached memory is returned to the
 * device in a fixed order and the request is tried again. A block used on another stream becomes
 * reusable when that use has finished.
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
  private static final int ALL_OWNERS = -1;

  private final AllocatorConfig config;
  private final PyTorchVersion version;
  private final long segmentRoundBytes;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;

  private final BlockTable blocks = new BlockTable();
  private final StreamUses uses = new StreamUses();
  private final ReservedMemory reserved = new ReservedMemory();
  private final Pools pools = new Pools(blocks);
  private final ExpandableSegments expandables;
  private final CacheRelease release;
  private int[] blockOfAllocation = new int[1024];

  /** An allocator of the default version that holds nothing. */
  public CachingAllocator(
      AllocatorConfig config, long limitBytes, DeviceMemory device, EffectListener listener) {
    this(config, PyTorchVersion.DEFAULT, limitBytes, device, listener);
  }

  /**
   * An allocator that holds nothing.
   *
   * @param config its settings
   * @param version the release whose rules it follows
   * @param limitBytes bytes that it may hold from the device, −1 for no limit
   * @param device where its segments come from
   * @param listener hears what it does
   */
  public CachingAllocator(
      AllocatorConfig config,
      PyTorchVersion version,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this(config, version, RequestSizes.SEGMENT_ROUND_BYTES, limitBytes, device, listener);
  }

  /**
   * As above, for programs that carry a changed copy of PyTorch's allocator.
   *
   * @param segmentRoundBytes granularity of segments made for one request; PyTorch's is 2 MiB
   */
  public CachingAllocator(
      AllocatorConfig config,
      PyTorchVersion version,
      long segmentRoundBytes,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.config = config;
    this.version = version;
    this.segmentRoundBytes = segmentRoundBytes;
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    expandables =
        new ExpandableSegments(blocks, device, listener, reserved, config.largeSegmentBytes());
    release =
        new CacheRelease(
            config, limitBytes, device, listener, blocks, pools, expandables, reserved);
    Arrays.fill(blockOfAllocation, BlockTable.NONE);
  }

  /** Declares how a private pool is made; to be called before its first request. */
  public void definePool(int pool, PrivatePoolOptions options) {
    pools.define(pool, options);
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
    boolean capturing = pool != 0 && !version.processesEventsInUserPools();
    if (!capturing || config.graphCaptureRecordStreamReuse()) {
      completeFinishedFrees();
    }
    long roundedBytes = RequestSizes.round(requestedBytes, config.roundupDivisions());
    boolean small = roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES;
    BlockPool blockPool = pools.obtain(pool, small);
    boolean growsInPlace = growsInPlace(blockPool);
    int block = takeFree(blockPool, stream, roundedBytes, growsInPlace);
    if (block == BlockTable.NONE) {
      long segmentBytes =
          RequestSizes.segmentBytes(roundedBytes, config.largeSegmentBytes(), segmentRoundBytes);
      release.collectGarbage();
      block = grow(blockPool, stream, roundedBytes, segmentBytes, growsInPlace, false);
      if (block == BlockTable.NONE && !capturing) {
        block = takeFromPoolForEmergencies(stream, roundedBytes, small);
        growsInPlace &= block == BlockTable.NONE;
      }
      if (block == BlockTable.NONE && release.releaseOversize(blockPool, stream, roundedBytes)) {
        block = grow(blockPool, stream, roundedBytes, segmentBytes, growsInPlace, false);
      }
      if (block == BlockTable.NONE && !capturing) {
        emptyCache();
        block = grow(blockPool, stream, roundedBytes, segmentBytes, growsInPlace, true);
      }
      if (block == BlockTable.NONE) {
        reportOutOfMemory(allocation, requestedBytes, roundedBytes, segmentBytes, stream);
        return OUT_OF_MEMORY;
      }
    }
    boolean splits =
        shouldSplit(
            blocks.pool[block], roundedBytes, blocks.bytes[block] - roundedBytes, growsInPlace);
    return handOut(allocation, requestedBytes, roundedBytes, block, splits);
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
  }

  @Override
  public void useComplete(int allocation, int stream) {
    int block = blockOf(allocation);
    if (block != BlockTable.NONE) {
      uses.completeUseOf(blocks, block, stream);
    }
  }

  @Override
  public void synchronize() {
    uses.completeAll(blocks);
  }

  @Override
  public void emptyCache() {
    synchronizeAndFree(ALL_OWNERS);
    release.releaseDefaultPool();
    release.releasePrivatePools(0);
  }

  @Override
  public void releasePool(int pool) {
    PrivatePool released = pools.findPrivate(pool);
    if (released != null) {
      released.releasable = true;
    }
  }

  @Override
  public void emptyPool(int pool) {
    PrivatePool emptied = pools.findPrivate(pool);
    if (emptied != null && emptied.releasable) {
      synchronizeAndFree(pool);
      release.releasePrivatePools(pool);
    }
  }

  @Override
  public long restoreBlock(int allocation, long blockBytes, int stream, int pool, long address) {
    int block = freeBlockAt(address, stream, pool);
    if (block == BlockTable.NONE || blocks.bytes[block] < blockBytes) {
      return allocate(allocation, blockBytes, stream, pool);
    }
    blocks.pool[block].removeFree(block);
    return handOut(allocation, blockBytes, blockBytes, block, blocks.bytes[block] > blockBytes);
  }

  /** Puts an allocator that holds nothing into the state of a layout. */
  public void restore(MemoryLayout layout) {
    new LayoutRestoration(blocks, pools, expandables, reserved, this::remember).restore(layout);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    new LayoutDescription(blocks).describe(visitor);
  }

  /** Bytes held from the device. */
  public long reservedBytes() {
    return reserved.bytes;
  }

  /**
   * Address at which a request would be served from a cached block, or −1 where it would have to
   * ask the device.
   */
  public long cachedAddressFor(long requestedBytes, int stream, int pool) {
    long roundedBytes = config.blockBytesFor(requestedBytes);
    BlockPool blockPool = pools.find(pool, roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES);
    if (blockPool == null) {
      return -1;
    }
    int block = findFree(blockPool, stream, roundedBytes, growsInPlace(blockPool));
    return block == BlockTable.NONE ? -1 : blocks.address[block];
  }

  /** Bytes of the free block of a pool and stream that starts at an address, 0 if there is none. */
  public long freeBytesAt(long address, int stream, int pool) {
    int block = freeBlockAt(address, stream, pool);
    return block == BlockTable.NONE ? 0 : blocks.bytes[block];
  }

  /**
   * Address of the first segment that a request which finds no block would release for its age, or
   * −1 where it would release none.
   */
  public long firstGarbageAddress() {
    int[] garbage = release.garbage();
    return garbage.length == 0 ? -1 : blocks.address[garbage[0]];
  }

  /** Whether so much is reserved that a request which finds no block looks for old segments. */
  public boolean exceedsGarbageThreshold() {
    return release.exceedsGarbageThreshold();
  }

  // Requests.

  private boolean growsInPlace(BlockPool pool) {
    PrivatePool owner = pool.privatePool;
    return config.expandableSegments()
        && version.hasExpandableSegments()
        && (owner == null
            || (version.hasExpandablePrivatePools() && !owner.options.customAllocator()));
  }

  private int takeFree(BlockPool pool, int stream, long roundedBytes, boolean growsInPlace) {
    if (release.collectsGarbage()) {
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
        } while (at != OrderedBlocks.NONE && blocks.expandable[free.block(at)] != BlockTable.NONE);
        if (at == OrderedBlocks.NONE) {
          return BlockTable.NONE;
        }
        block = free.block(at);
      }
    }
    long blockBytes = blocks.bytes[block];
    if (config.isOversize(roundedBytes)) {
      boolean tooLarge =
          Long.compareUnsigned(blockBytes, roundedBytes + config.maxNonSplitRoundingBytes()) >= 0;
      return tooLarge ? BlockTable.NONE : block;
    }
    return config.isOversize(blockBytes) ? BlockTable.NONE : block;
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
    for (PrivatePool candidate : pools.allPrivate()) {
      if (candidate.options.useOnOom()) {
        int block = takeFree(candidate.kind(small), stream, roundedBytes, false);
        if (block != BlockTable.NONE) {
          return block;
        }
      }
    }
    return BlockTable.NONE;
  }

  private long handOut(
      int allocation, long requestedBytes, long roundedBytes, int found, boolean splits) {
    int block = found;
    BlockPool pool = blocks.pool[found];
    boolean countsSplits = blocks.expandable[found] == BlockTable.NONE;
    boolean alreadySplit = blocks.isSplit(found);
    long remainderBytes = blocks.bytes[found] - roundedBytes;
    if (splits) {
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
      BlockPool pool, long roundedBytes, long remainderBytes, boolean growsInPlace) {
    if (pool.privatePool != null && pool.privatePool.options.noSplit()) {
      return false;
    }
    if (pool.small || growsInPlace) {
      return remainderBytes >= RequestSizes.MIN_BLOCK_BYTES;
    }
    return !config.isOversize(roundedBytes) && remainderBytes > MIN_LARGE_REMAINDER_BYTES;
  }

  private void reportOutOfMemory(
      int allocation, long requestedBytes, long roundedBytes, long segmentBytes, int stream) {
    listener.outOfMemory(
        new OutOfMemory(
            allocation,
            requestedBytes,
            roundedBytes,
            segmentBytes,
            stream,
            limitBytes,
            pools.privateFreeBytes(),
            device.freeBytes(),
            device.totalBytes()));
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

  /** The free block of a pool, of either kind, that starts at an address. */
  private int freeBlockAt(long address, int stream, int pool) {
    for (boolean small : new boolean[] {true, false}) {
      BlockPool blockPool = pools.find(pool, small);
      if (blockPool != null) {
        OrderedBlocks free = blockPool.free(stream);
        for (long at = free.first(); at != OrderedBlocks.NONE; at = free.next(at)) {
          if (blocks.address[free.block(at)] == address) {
            return free.block(at);
          }
        }
      }
    }
    return BlockTable.NONE;
  }
}
