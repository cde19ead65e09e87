package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Block;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Pool;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.PrivatePool;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Segment;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/**
 * PyTorch's caching allocator in its plainest form, to compare the real implementation with:
 * segments are lists of blocks, and every question (which blocks are free, which fits best, what
 * are the neighbours) is answered by going through all of them. Written from the rules alone, whose
 * numbers (M1, G3, …) it keeps.
 */
final class NaiveCachingAllocator implements AllocatorPolicy {
  private static final long MIB = 1L << 20;
  private static final long SMALL_SIZE = MIB;
  private static final long SMALL_BUFFER = 2 * MIB;
  private static final long MIN_LARGE = 10 * MIB;
  private static final long ROUND_LARGE = 2 * MIB;
  private static final long MIN_BLOCK = 512;
  private static final long ONE_EXA = 1L << 60;

  private final AllocatorConfig config;
  private final long limit;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final NaiveHeap heap = new NaiveHeap();
  private final NaiveExpandableSegments expandables;
  private final NaiveStreamUses uses = new NaiveStreamUses(this::freeBlock);
  private final Pool small = new Pool();
  private final Pool large = new Pool();
  private final TreeMap<Integer, PrivatePool> privatePools = new TreeMap<>();
  private final Map<Integer, PrivatePoolOptions> poolOptions = new HashMap<>();
  private final Map<Integer, Block> blocks = new HashMap<>();

  NaiveCachingAllocator(
      AllocatorConfig config, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.config = config;
    this.limit = limitBytes;
    this.device = device;
    this.listener = listener;
    expandables = new NaiveExpandableSegments(heap, config.largeSegmentBytes(), device, listener);
    small.small = true;
  }

  /** See {@link CachingAllocator#definePool}. */
  void definePool(int pool, PrivatePoolOptions options) {
    poolOptions.put(pool, options);
  }

  // Allocation

  @Override
  public long allocate(int allocation, long orig, int stream, int pool) {
    if (orig == 0) {
      return 0;
    }
    if (orig >= ONE_EXA) {
      listener.requestRejected(
          allocation, orig, "CUDA out of memory. Tried to allocate more than 1EB memory.");
      return OUT_OF_MEMORY;
    }
    if (pool == 0) {
      uses.processEvents();
    }
    long n = roundSize(orig);
    Pool from = poolFor(n, pool);
    long segmentBytes = allocationSize(n);
    boolean expandable =
        config.expandableSegments() && (pool == 0 || !from.owner.options.customAllocator());
    Block block = getFreeBlock(from, stream, n, expandable);
    if (block == null) {
      if (limit >= 0 && config.garbageCollectionThreshold() > 0) {
        collectGarbage();
      }
      block = allocBlock(from, stream, n, segmentBytes, expandable);
    }
    if (block == null && pool == 0) {
      block = takeFromPoolForEmergencies(stream, n);
      expandable &= block == null;
    }
    if (block == null && releaseAvailable(from, stream, n)) {
      block = allocBlock(from, stream, n, segmentBytes, expandable);
    }
    if (block == null && pool == 0) {
      releaseCached(null);
      listener.allocationRetried();
      block = allocBlock(from, stream, n, segmentBytes, expandable);
    }
    if (block == null) {
      listener.outOfMemory(
          new OutOfMemory(
              allocation,
              orig,
              n,
              segmentBytes,
              stream,
              limit,
              privateFreeBytes(),
              device.freeBytes(),
              device.totalBytes()));
      return OUT_OF_MEMORY;
    }
    return handOut(block, allocation, orig, n, expandable);
  }

  private long roundSize(long orig) {
    if (orig < MIN_BLOCK) {
      return MIN_BLOCK;
    }
    long divisions = config.roundupDivisions().forSize(orig);
    if (divisions > 1 && orig > MIN_BLOCK * divisions) {
      long floor = Long.highestOneBit(orig);
      if (floor == orig) {
        return orig;
      }
      long step = floor / Long.highestOneBit(divisions);
      return (orig + step - 1) / step * step;
    }
    return (orig + MIN_BLOCK - 1) / MIN_BLOCK * MIN_BLOCK;
  }

  private Pool poolFor(long n, int number) {
    if (number == 0) {
      return n <= SMALL_SIZE ? small : large;
    }
    PrivatePool owner = privatePool(number);
    return n <= SMALL_SIZE ? owner.small : owner.large;
  }

  private PrivatePool privatePool(int number) {
    PrivatePool known = privatePools.get(number);
    if (known != null) {
      return known;
    }
    PrivatePool made = new PrivatePool();
    made.number = number;
    made.options = poolOptions.getOrDefault(number, PrivatePoolOptions.PLAIN);
    made.small.small = true;
    made.small.owner = made;
    made.large.owner = made;
    privatePools.put(number, made);
    return made;
  }

  private long allocationSize(long n) {
    if (n <= SMALL_SIZE) {
      return SMALL_BUFFER;
    }
    if (n < MIN_LARGE) {
      return config.largeSegmentBytes();
    }
    return (n + ROUND_LARGE - 1) / ROUND_LARGE * ROUND_LARGE;
  }

  private boolean below(long size, long unsignedBound) {
    return Long.compareUnsigned(size, unsignedBound) < 0;
  }

  /** Rule 2.12. */
  private Block takeFromPoolForEmergencies(int stream, long n) {
    for (PrivatePool pool : privatePools.values()) {
      if (pool.options.useOnOom() && !pool.freeable) {
        Block block = getFreeBlock(n <= SMALL_SIZE ? pool.small : pool.large, stream, n, false);
        if (block != null) {
          return block;
        }
      }
    }
    return null;
  }

  private Block getFreeBlock(Pool pool, int stream, long n, boolean expandable) {
    if (limit >= 0 && config.garbageCollectionThreshold() > 0) {
      pool.lookups++;
    }
    List<Block> candidates = new ArrayList<>();
    for (Block block : pool.freeBlocks()) {
      if (block.segment.stream == stream && block.size >= n) {
        candidates.add(block);
      }
    }
    if (candidates.isEmpty()) {
      return null;
    }
    int chosen = 0;
    if (!expandable) {
      while (chosen < candidates.size() && candidates.get(chosen).segment.expandable) {
        chosen++;
      }
      if (chosen == candidates.size()) {
        return null;
      }
    } else {
      while (candidates.get(chosen).segment.expandable
          && chosen + 1 < candidates.size()
          && NaiveExpandableSegments.expandableSize(candidates.get(chosen + 1))
              < NaiveExpandableSegments.expandableSize(candidates.get(chosen))) {
        chosen++;
      }
    }
    Block block = candidates.get(chosen);
    long maxSplit = config.maxSplitBytes();
    if (below(n, maxSplit) && !below(block.size, maxSplit)) {
      return null;
    }
    if (!below(n, maxSplit) && block.size >= n + config.maxNonSplitRoundingBytes()) {
      return null;
    }
    return block;
  }

  private Block allocBlock(Pool pool, int stream, long n, long segmentBytes, boolean expandable) {
    if (limit >= 0 && heap.totalAllocated + segmentBytes > limit) {
      return null;
    }
    Block block;
    if (expandable) {
      block = expandables.allocate(pool, stream, n);
    } else {
      block = allocateSegment(pool, stream, segmentBytes);
    }
    if (block != null && pool.owner != null) {
      pool.owner.driverAllocations++;
    }
    return block;
  }

  private Block allocateSegment(Pool pool, int stream, long bytes) {
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    heap.totalAllocated += bytes;
    Segment segment = heap.addSegment(pool, stream, address, bytes);
    listener.segmentAllocated(address, bytes, stream, pool.small);
    return segment.blocks.getFirst();
  }

  private long handOut(Block block, int allocation, long orig, long n, boolean expandable) {
    Segment segment = block.segment;
    boolean isSmall = segment.pool.small;
    boolean alreadySplit = block.isSplit();
    long rest = block.size - n;
    boolean split =
        isSmall || expandable
            ? rest >= MIN_BLOCK
            : below(n, config.maxSplitBytes()) && rest > SMALL_SIZE;
    if (segment.pool.owner != null && segment.pool.owner.options.noSplit()) {
      split = false;
    }
    Block handed = block;
    if (split) {
      handed = NaiveHeap.newBlock(segment, block.address, n);
      segment.blocks.add(segment.blocks.indexOf(block), handed);
      block.address += n;
      block.size -= n;
      block.gcBase = segment.pool.lookups;
      if (!segment.expandable) {
        if (alreadySplit) {
          listener.inactiveSplitChanged(0, -n, isSmall);
        } else {
          listener.inactiveSplitChanged(1, block.size, isSmall);
        }
      }
    } else if (alreadySplit && !segment.expandable) {
      listener.inactiveSplitChanged(-1, -block.size, isSmall);
    }
    handed.allocated = true;
    handed.requested = orig;
    handed.allocation = allocation;
    blocks.put(allocation, handed);
    listener.blockAllocated(allocation, handed.address, orig, handed.size, segment.stream, isSmall);
    return handed.address;
  }

  // Release

  private void collectGarbage() {
    long threshold = (long) (config.garbageCollectionThreshold() * (double) limit);
    if (heap.totalAllocated <= threshold) {
      return;
    }
    long target = heap.totalAllocated - threshold;
    long reclaimed = 0;
    long totalAge = 0;
    int count = 0;
    for (Block block : large.freeBlocks()) {
      if (!block.isSplit()) {
        totalAge += large.lookups - block.gcBase;
        count++;
      }
    }
    boolean freed = true;
    while (reclaimed < target && freed && count > 0) {
      double age = (double) totalAge / count;
      freed = false;
      for (Block block : large.freeBlocks()) {
        long blockAge = large.lookups - block.gcBase;
        if (!block.isSplit() && !block.segment.expandable && blockAge >= age) {
          freed = true;
          reclaimed += block.size;
          totalAge -= blockAge;
          count--;
          releaseBlock(block);
        }
      }
    }
  }

  private boolean releaseAvailable(Pool pool, int stream, long n) {
    long maxSplit = config.maxSplitBytes();
    if (maxSplit == AllocatorConfig.UNLIMITED) {
      return false;
    }
    long key = below(n, maxSplit) ? maxSplit : n;
    List<Block> free = pool.freeBlocks();
    int at = 0;
    while (at < free.size()
        && (free.get(at).segment.stream < stream
            || (free.get(at).segment.stream == stream && below(free.get(at).size, key)))) {
      at++;
    }
    if (at < free.size()
        && free.get(at).segment.stream == stream
        && !free.get(at).segment.expandable) {
      releaseBlock(free.get(at));
      return true;
    }
    long total = 0;
    for (int i = at - 1; i >= 0; i--) {
      Block block = free.get(i);
      if (!below(total, key) || below(block.size, maxSplit) || block.segment.stream != stream) {
        break;
      }
      if (!block.segment.expandable) {
        total += block.size;
        releaseBlock(block);
      }
    }
    return !below(total, key);
  }

  /** Rule 2.11; null stands for the default pools. */
  private void releaseCached(PrivatePool only) {
    if (only == null) {
      listener.streamsSynchronized();
      uses.synchronizeAndFree(null);
      releaseBlocks(large);
      releaseBlocks(small);
    }
    for (PrivatePool pool : List.copyOf(privatePools.values())) {
      if (!pool.freeable || (only != null && only != pool)) {
        continue;
      }
      if (only != null) {
        listener.streamsSynchronized();
        uses.synchronizeAndFree(pool);
      }
      releaseBlocks(pool.small);
      releaseBlocks(pool.large);
      if (pool.driverAllocations == 0) {
        privatePools.remove(pool.number);
      }
    }
  }

  private void releaseBlocks(Pool pool) {
    List<Block> expandable = new ArrayList<>();
    for (Block block : pool.freeBlocks()) {
      if (block.segment.expandable) {
        expandable.add(block);
      } else if (!block.isSplit()) {
        releaseBlock(block);
      }
    }
    for (Block block : expandable) {
      expandables.unmap(block);
      if (!block.isSplit() && !block.mapped) {
        device.unreserve(block.segment.address, block.segment.size);
        heap.removeSegment(block.segment);
      }
    }
  }

  private void releaseBlock(Block block) {
    Segment segment = block.segment;
    listener.segmentFreed(block.address, block.size, segment.stream, segment.pool.small);
    device.free(block.address, block.size);
    heap.totalAllocated -= block.size;
    if (segment.pool.owner != null) {
      segment.pool.owner.driverAllocations--;
    }
    heap.removeSegment(segment);
  }

  // Free

  @Override
  public void free(int allocation) {
    Block block = blocks.get(allocation);
    if (block == null || !block.allocated) {
      return;
    }
    block.allocated = false;
    listener.freeRequested(
        allocation,
        block.address,
        block.requested,
        block.size,
        block.segment.stream,
        block.segment.pool.small);
    if (block.uses.isEmpty()) {
      freeBlock(block);
      return;
    }
    uses.insertEvents(block);
  }

  private void freeBlock(Block block) {
    Segment segment = block.segment;
    boolean isSmall = segment.pool.small;
    listener.freeCompleted(
        block.allocation, block.address, block.requested, block.size, segment.stream, isSmall);
    blocks.remove(block.allocation);
    block.allocation = -1;
    int count = 0;
    long bytes = 0;
    for (int step : new int[] {-1, 1}) {
      long merged = NaiveHeap.tryMerge(block, block.neighbour(step));
      if (merged > 0) {
        count--;
        bytes -= merged;
      }
    }
    block.gcBase = segment.pool.lookups;
    if (block.isSplit()) {
      count++;
      bytes += block.size;
    }
    if (!segment.expandable && (count != 0 || bytes != 0)) {
      listener.inactiveSplitChanged(count, bytes, isSmall);
    }
  }

  // Streams

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    Block block = blocks.get(allocation);
    if (block != null && block.allocated && block.segment.stream != stream) {
      uses.add(block, stream, completionRank);
    }
  }

  @Override
  public void useComplete(int allocation, int stream) {
    Block block = blocks.get(allocation);
    if (block != null) {
      uses.complete(block, stream);
    }
  }

  @Override
  public void synchronize() {
    for (Block block : blocks.values()) {
      uses.complete(block, AllocationTrace.ANY_STREAM);
    }
  }

  // Cache control

  @Override
  public void emptyCache() {
    releaseCached(null);
  }

  @Override
  public void releasePool(int pool, PoolId id) {
    PrivatePool known = privatePools.get(pool);
    if (known != null) {
      known.freeable = true;
    }
  }

  @Override
  public void emptyPool(int pool) {
    PrivatePool known = privatePools.get(pool);
    if (pool != 0 && known == null) {
      listener.streamsSynchronized();
    } else if (known != null && known.freeable) {
      releaseCached(known);
    }
  }

  private long privateFreeBytes() {
    long sum = 0;
    for (PrivatePool pool : privatePools.values()) {
      for (Block block : pool.small.freeBlocks()) {
        sum += block.size;
      }
      for (Block block : pool.large.freeBlocks()) {
        sum += block.size;
      }
    }
    return sum;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
