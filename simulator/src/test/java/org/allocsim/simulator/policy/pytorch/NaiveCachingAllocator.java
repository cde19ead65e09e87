package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.AllocationTrace;

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
  private static final long FALLBACK_TOTAL = 85_017_493_504L;

  private static final class Use {
    int stream;
    long rank;
    boolean complete;
  }

  private static final class Event {
    int stream;
    long rank;
    boolean complete;
    Block block;
  }

  private static final class Block {
    Segment segment;
    long address;
    long size;
    long requested;
    boolean mapped = true;
    boolean allocated;
    int allocation = -1;
    List<Use> uses = new ArrayList<>();
    int eventCount;
    long gcBase;

    boolean isFree() {
      return mapped && isAllocatable();
    }

    boolean isAllocatable() {
      return !allocated && eventCount == 0 && uses.isEmpty();
    }

    boolean isSplit() {
      return segment.blocks.size() > 1;
    }

    Block neighbour(int step) {
      int at = segment.blocks.indexOf(this) + step;
      return at < 0 || at >= segment.blocks.size() ? null : segment.blocks.get(at);
    }
  }

  private static final class Segment {
    long address;
    long size;
    int stream;
    Pool pool;
    boolean expandable;
    long page;
    List<Block> blocks = new ArrayList<>();
  }

  private static final class Pool {
    boolean small;
    PrivatePool owner;
    long lookups;
    List<Segment> segments = new ArrayList<>();

    List<Block> freeBlocks() {
      List<Block> found = new ArrayList<>();
      for (Segment segment : segments) {
        for (Block block : segment.blocks) {
          if (block.isFree()) {
            found.add(block);
          }
        }
      }
      found.sort(ORDER);
      return found;
    }
  }

  private static final class PrivatePool {
    int number;
    int driverAllocations;
    boolean freeable;
    PrivatePoolOptions options = PrivatePoolOptions.PLAIN;
    Pool small = new Pool();
    Pool large = new Pool();
  }

  private static final Comparator<Block> BY_ADDRESS =
      (a, b) -> Long.compareUnsigned(a.address, b.address);

  private static final Comparator<Block> ORDER =
      Comparator.<Block>comparingInt(b -> b.segment.stream)
          .thenComparing((a, b) -> Long.compareUnsigned(a.size, b.size))
          .thenComparing(BY_ADDRESS);

  private final AllocatorConfig config;
  private final long limit;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final Pool small = new Pool();
  private final Pool large = new Pool();
  private final TreeMap<Integer, PrivatePool> privatePools = new TreeMap<>();
  private final Map<Integer, PrivatePoolOptions> poolOptions = new HashMap<>();
  private final Map<Integer, Block> blocks = new HashMap<>();
  private final List<Segment> segments = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private long totalAllocated;

  NaiveCachingAllocator(
      AllocatorConfig config, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.config = config;
    this.limit = limitBytes;
    this.device = device;
    this.listener = listener;
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
      processEvents();
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
          allocation,
          orig,
          n,
          segmentBytes,
          stream,
          limit,
          privateFreeBytes(),
          device.freeBytes(),
          device.totalBytes());
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
      if (pool.options.useOnOom()) {
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
          && expandableSize(candidates.get(chosen + 1)) < expandableSize(candidates.get(chosen))) {
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

  private static long expandableSize(Block block) {
    Block next = block.neighbour(1);
    return block.size + (next != null && !next.mapped ? next.size : 0);
  }

  private Block allocBlock(Pool pool, int stream, long n, long segmentBytes, boolean expandable) {
    if (limit >= 0 && totalAllocated + segmentBytes > limit) {
      return null;
    }
    Block block;
    if (expandable) {
      block = allocateExpandable(pool, stream, n);
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
    totalAllocated += bytes;
    Segment segment = addSegment(pool, stream, address, bytes);
    listener.segmentAllocated(address, bytes, stream, pool.small);
    return segment.blocks.getFirst();
  }

  private Segment addSegment(Pool pool, int stream, long address, long bytes) {
    Segment segment = new Segment();
    segment.address = address;
    segment.size = bytes;
    segment.stream = stream;
    segment.pool = pool;
    segment.blocks.add(newBlock(segment, address, bytes));
    pool.segments.add(segment);
    segments.add(segment);
    return segment;
  }

  private static Block newBlock(Segment segment, long address, long bytes) {
    Block block = new Block();
    block.segment = segment;
    block.address = address;
    block.size = bytes;
    return block;
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
      handed = newBlock(segment, block.address, n);
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
    if (totalAllocated <= threshold) {
      return;
    }
    long target = totalAllocated - threshold;
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
      synchronizeAndFree(null);
      releaseBlocks(large);
      releaseBlocks(small);
    }
    for (PrivatePool pool : List.copyOf(privatePools.values())) {
      if (!pool.freeable || (only != null && only != pool)) {
        continue;
      }
      if (only != null) {
        synchronizeAndFree(pool);
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
      unmapBlock(block);
      if (!block.isSplit() && !block.mapped) {
        device.unreserve(block.segment.address, block.segment.size);
        removeSegment(block.segment);
      }
    }
  }

  private void releaseBlock(Block block) {
    Segment segment = block.segment;
    listener.segmentFreed(block.address, block.size, segment.stream, segment.pool.small);
    device.free(block.address, block.size);
    totalAllocated -= block.size;
    if (segment.pool.owner != null) {
      segment.pool.owner.driverAllocations--;
    }
    removeSegment(segment);
  }

  private void removeSegment(Segment segment) {
    segment.pool.segments.remove(segment);
    segments.remove(segment);
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
    for (Use use : block.uses) {
      Event event = new Event();
      event.stream = use.stream;
      event.rank = use.rank;
      event.complete = use.complete;
      event.block = block;
      events.add(event);
      block.eventCount++;
    }
    block.uses.clear();
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
      long merged = tryMerge(block, block.neighbour(step));
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

  private static long tryMerge(Block into, Block from) {
    if (from == null || !from.isAllocatable() || from.mapped != into.mapped) {
      return 0;
    }
    into.segment.blocks.remove(from);
    into.address = Math.min(into.address, from.address);
    into.size += from.size;
    return from.size;
  }

  // Streams

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    Block block = blocks.get(allocation);
    if (block == null || !block.allocated || block.segment.stream == stream) {
      return;
    }
    for (Use use : block.uses) {
      if (use.stream == stream) {
        use.rank = completionRank;
        use.complete = false;
        return;
      }
    }
    Use use = new Use();
    use.stream = stream;
    use.rank = completionRank;
    block.uses.add(use);
  }

  @Override
  public void useComplete(int allocation, int stream) {
    Block block = blocks.get(allocation);
    if (block == null) {
      return;
    }
    for (Use use : block.uses) {
      use.complete |= stream == AllocationTrace.ANY_STREAM || use.stream == stream;
    }
    for (Event event : events) {
      boolean meant = stream == AllocationTrace.ANY_STREAM || event.stream == stream;
      event.complete |= meant && event.block == block;
    }
  }

  @Override
  public void synchronize() {
    for (int allocation : List.copyOf(blocks.keySet())) {
      useComplete(allocation, AllocationTrace.ANY_STREAM);
    }
  }

  /** Rule 3.4: of all complete events that nothing on their stream holds up, the first by rank. */
  private void processEvents() {
    while (true) {
      Event first = null;
      for (Event event : events) {
        boolean ready = event.complete && (event.stream < 0 || isHead(event));
        if (ready && (first == null || event.rank < first.rank)) {
          first = event;
        }
      }
      if (first == null) {
        return;
      }
      finish(first);
    }
  }

  private boolean isHead(Event event) {
    for (Event other : events) {
      if (other.stream == event.stream) {
        return other == event;
      }
    }
    throw new AssertionError("event is not recorded");
  }

  private void finish(Event event) {
    events.remove(event);
    event.block.eventCount--;
    if (event.block.eventCount == 0) {
      freeBlock(event.block);
    }
  }

  /** Rule 3.5; null stands for all pools. */
  private void synchronizeAndFree(PrivatePool only) {
    listener.streamsSynchronized();
    List<Event> waitedFor = new ArrayList<>(events);
    waitedFor.removeIf(event -> only != null && event.block.segment.pool.owner != only);
    waitedFor.sort(Comparator.comparingLong(event -> event.rank));
    waitedFor.forEach(this::finish);
  }

  // Cache control

  @Override
  public void emptyCache() {
    releaseCached(null);
  }

  @Override
  public void releasePool(int pool) {
    PrivatePool known = privatePools.get(pool);
    if (known != null) {
      known.freeable = true;
    }
  }

  @Override
  public void emptyPool(int pool) {
    PrivatePool known = privatePools.get(pool);
    if (known != null && known.freeable) {
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

  // Expandable segments

  private Block allocateExpandable(Pool pool, int stream, long n) {
    Block block = findExpandable(pool, stream, n);
    if (block == null) {
      return null;
    }
    if (!block.mapped && !mapBlock(block, Math.min(block.size, n))) {
      return null;
    }
    while (block.size < n) {
      Block next = block.neighbour(1);
      if (next == null || !mapBlock(next, Math.min(n - block.size, next.size))) {
        return null;
      }
      block = next;
    }
    return block;
  }

  private Block findExpandable(Pool pool, int stream, long n) {
    List<Block> unmapped = new ArrayList<>();
    for (Segment segment : pool.segments) {
      for (Block block : segment.blocks) {
        if (!block.mapped && segment.stream == stream) {
          unmapped.add(block);
        }
      }
    }
    unmapped.sort(BY_ADDRESS);
    for (Block block : unmapped) {
      Block previous = block.neighbour(-1);
      Block start = previous != null && previous.isAllocatable() ? previous : block;
      long sum = 0;
      for (Block b = start; b != null && b.isAllocatable() && sum < n; b = b.neighbour(1)) {
        sum += b.size;
      }
      if (sum >= n) {
        return start;
      }
    }
    long total = device.totalBytes() < 0 ? FALLBACK_TOTAL : device.totalBytes();
    long page = pool.small ? SMALL_BUFFER : config.largeSegmentBytes();
    long bytes = (total + total / 8 + page - 1) / page * page;
    long address = device.reserve(bytes, page, stream);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    Segment segment = addSegment(pool, stream, address, bytes);
    segment.expandable = true;
    segment.page = page;
    segment.blocks.getFirst().mapped = false;
    return segment.blocks.getFirst();
  }

  private boolean mapBlock(Block block, long want) {
    Segment segment = block.segment;
    long bytes = (want + segment.page - 1) / segment.page * segment.page;
    long address = block.address;
    if (!device.map(address, bytes, segment.page)) {
      return false;
    }
    block.mapped = true;
    if (bytes < block.size) {
      Block rest = newBlock(segment, address + bytes, block.size - bytes);
      rest.mapped = false;
      segment.blocks.add(segment.blocks.indexOf(block) + 1, rest);
      block.size = bytes;
    }
    tryMerge(block, block.neighbour(-1));
    tryMerge(block, block.neighbour(1));
    block.gcBase = segment.pool.lookups;
    totalAllocated += bytes;
    listener.segmentMapped(address, bytes, segment.stream, segment.pool.small);
    return true;
  }

  private void unmapBlock(Block block) {
    Segment segment = block.segment;
    long page = segment.page;
    long start = block.address - segment.address;
    long from = (start + page - 1) / page * page;
    long to = (start + block.size) / page * page;
    if (from >= to) {
      return;
    }
    long address = segment.address + from;
    long bytes = to - from;
    device.unmap(address, bytes, page);
    long before = from - start;
    long after = start + block.size - to;
    if (before > 0) {
      Block lead = newBlock(segment, block.address, before);
      lead.gcBase = segment.pool.lookups;
      segment.blocks.add(segment.blocks.indexOf(block), lead);
    }
    if (after > 0) {
      Block trail = newBlock(segment, address + bytes, after);
      trail.gcBase = segment.pool.lookups;
      segment.blocks.add(segment.blocks.indexOf(block) + 1, trail);
    }
    block.address = address;
    block.size = bytes;
    block.mapped = false;
    tryMerge(block, block.neighbour(-1));
    tryMerge(block, block.neighbour(1));
    totalAllocated -= bytes;
    if (segment.pool.owner != null) {
      segment.pool.owner.driverAllocations--;
    }
    listener.segmentUnmapped(address, bytes, segment.stream, segment.pool.small);
  }

  // Layout

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    List<Segment> sorted = new ArrayList<>(segments);
    sorted.sort((a, b) -> Long.compareUnsigned(a.address, b.address));
    for (Segment segment : sorted) {
      List<Block> run = new ArrayList<>();
      for (Block block : segment.blocks) {
        if (block.mapped) {
          run.add(block);
        } else {
          describeRun(run, visitor);
          run.clear();
        }
      }
      describeRun(run, visitor);
    }
  }

  private static void describeRun(List<Block> run, LayoutVisitor visitor) {
    if (run.isEmpty()) {
      return;
    }
    Segment segment = run.getFirst().segment;
    long bytes = run.stream().mapToLong(block -> block.size).sum();
    int pool = segment.pool.owner == null ? 0 : segment.pool.owner.number;
    visitor.segment(
        run.getFirst().address,
        bytes,
        segment.stream,
        segment.pool.small,
        pool,
        segment.expandable);
    for (Block block : run) {
      BlockState state =
          block.allocated
              ? BlockState.ACTIVE_ALLOCATED
              : block.isFree() ? BlockState.INACTIVE : BlockState.ACTIVE_PENDING_FREE;
      visitor.block(block.address, block.size, block.requested, state, block.allocation);
    }
  }
}
