package org.allocsim.simulator.device.simulated;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.PoolView;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.AsyncCosts;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverMeter;

/**
 * The pool of {@code cuMemAllocAsync} as driver 580 (CUDA 13.0) was seen to run it on H100 and
 * H200: these rules reproduce every address, every counter and every refusal of the recordings, on
 * an idle and on a busy device, with and without a limit, alone and beside {@code cuMemAlloc}.
 *
 * <ol>
 *   <li>Sizes are rounded up to 512 bytes. The pool is one range of addresses, twice as long as the
 *       device's memory or the pool's limit, both in whole chunks of 32 MiB, rounded up. A chunk
 *       has memory or not. The pool holds memory from the device in chunks, at most its limit; a
 *       chunk that is held but mapped nowhere is spare.
 *   <li>A freed range joins the list of the stream on which it is freed and merges with its
 *       neighbours there; it is complete when all frees in it are. The shared list has what is
 *       known to be complete, at the start everything. Best fit is the smallest range, the one that
 *       changed first among equals.
 *   <li>A request takes the best fit of its stream's list, complete or not; else of the shared
 *       ranges that have memory throughout; else of the first other stream, in the order in which
 *       streams first used the pool, that has a complete one. Else the complete ranges of all
 *       streams move into the shared list, and its best fit is taken, with memory or without. The
 *       rest of a range stays in its list. Without opportunistic reuse, requests do not look at the
 *       lists of other streams, and none is moved.
 *   <li>Chunks that lack memory then get it from spare chunks, from chunks that are wholly free,
 *       the highest first, and from the device, in this order. If the device or the limit cannot
 *       give enough, what was collected stays with the pool as spare chunks, and memory is released
 *       as below.
 *   <li>A request that failed so, or for which no range is large enough, takes the best fit of the
 *       first other stream that has one, complete or not, and its stream waits for the frees in it,
 *       where internal dependencies are allowed; else it is refused.
 *   <li>Waiting for a stream moves its list into the shared one; if there was anything in it,
 *       memory is released while more than the threshold is reserved: spare chunks, then wholly
 *       free ones, the highest first. Trimming releases without the move. A request outside the
 *       pool for which the device lacks memory makes it release all of them, whatever the
 *       threshold; lists stay as they are, so that memory freed since the last wait is not found.
 * </ol>
 *
 * <p>Seen on H200 and not simulated, as no trace shows it: a stream that waits for an event also
 * takes what was freed in front of it; waiting for the event, or for a stream that waited for it,
 * moves that into the shared list; asking whether a stream or event is done moves nothing;
 * destroying a stream moves its complete list. A pool that lacks memory makes other pools release
 * theirs like a request outside does. Not found out: whether a shared range that reaches to the end
 * of the addresses counts as having memory when it does (here it does).
 */
final class AsyncPool implements StreamOrderedMemory, PoolView {
  private static final long ALIGNMENT_BYTES = 512;

  /** Most addresses that a pool can have. */
  private static final long MAX_RANGE_BYTES = 1L << 45;

  private static final int CHUNK_SHIFT = 25;

  /** Size of the chunks (driver 580, H100 and H200). */
  private static final long CHUNK_BYTES = 1L << CHUNK_SHIFT;

  private static final Listener DEAF =
      new Listener() {
        @Override
        public void mapped(long address, long bytes) {}

        @Override
        public void unmapped(long address, long bytes) {}
      };

  private final AddressRanges addresses;
  private final LongSupplier deviceFreeBytes;
  private final DriverMeter meter;
  private final AsyncCosts costs;
  private final ChunkMap chunks = new ChunkMap();
  private final StreamOrder order = new StreamOrder();
  private final AddressRows inUse = new AddressRows();
  private PoolRanges ranges;
  private long rangeBytes;
  private Listener listener = DEAF;
  private long base = DeviceMemory.REFUSED;

  /** Place of each stream in the order of first use, or −1. */
  private int[] listOfStream = new int[0];

  private int lists;
  private long spareChunks;
  private long reservedBytes;
  private long usedBytes;
  private long thresholdBytes;
  private long limitBytes = Long.MAX_VALUE;
  private boolean opportunistic = true;
  private boolean internalDependencies = true;

  /** What the current request did. */
  private boolean released;

  private long newChunks;
  private long movedChunks;
  private long mappedSpareChunks;

  /**
   * A pool that holds nothing.
   *
   * @param addresses where its addresses come from, once it is used
   * @param deviceBytes size of the device's memory
   * @param deviceFreeBytes what the device has left
   * @param meter counts the calls
   */
  AsyncPool(
      AddressRanges addresses,
      long deviceBytes,
      LongSupplier deviceFreeBytes,
      DriverMeter meter,
      AsyncCosts costs) {
    this.addresses = addresses;
    this.deviceFreeBytes = deviceFreeBytes;
    this.meter = meter;
    this.costs = costs;
    setAddresses(deviceBytes);
  }

  private void setAddresses(long memoryBytes) {
    rangeBytes = 2 * roundUpToChunk(Math.min(memoryBytes, MAX_RANGE_BYTES / 2));
    ranges = new PoolRanges(rangeBytes, chunks, CHUNK_SHIFT);
  }

  @Override
  public long allocateAsync(long bytes, int stream) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a size of " + bytes + " bytes is not positive");
    }
    int list = list(stream);
    long createNanos = 0;
    if (base == DeviceMemory.REFUSED) {
      createNanos = costs.createPoolNanos();
      base = addresses.reserve(rangeBytes);
      if (base == DeviceMemory.REFUSED) {
        meter.count(DriverCall.ALLOCATE_ASYNC, 1, createNanos);
        return DeviceMemory.REFUSED;
      }
    }
    newChunks = 0;
    movedChunks = 0;
    mappedSpareChunks = 0;
    released = false;
    long blockBytes = bytes > rangeBytes ? rangeBytes + 1 : roundUp(bytes);
    long nanos = costs.allocateOwnNanos();
    int range = ranges.bestOfStream(list, blockBytes);
    if (range == PoolRanges.NONE) {
      nanos = costs.allocateSharedNanos();
      range = ranges.bestBacked(blockBytes);
    }
    if (range == PoolRanges.NONE && opportunistic) {
      nanos = costs.allocateOtherNanos();
      range = bestOfOthers(list, blockBytes);
    }
    if (range == PoolRanges.NONE) {
      for (int other = 0; opportunistic && other < lists; other++) {
        share(other);
      }
      range = backedShared(blockBytes);
      nanos = backingNanos(bytes);
    }
    if (range == PoolRanges.NONE && internalDependencies) {
      nanos = failureNanos() + costs.allocateOtherNanos();
      range = waitForOthers(list, blockBytes);
    }
    if (range == PoolRanges.NONE) {
      meter.count(DriverCall.ALLOCATE_ASYNC, 1, createNanos + failureNanos());
      return DeviceMemory.REFUSED;
    }
    int block = ranges.take(range, blockBytes, bytes);
    long address = base + ranges.start(block);
    inUse.put(address, block);
    usedBytes += bytes;
    meter.count(DriverCall.ALLOCATE_ASYNC, 1, createNanos + nanos);
    return address;
  }

  private int bestOfOthers(int list, long blockBytes) {
    for (int other = 0; other < lists; other++) {
      int range = other == list ? PoolRanges.NONE : ranges.bestOfStream(other, blockBytes);
      while (range != PoolRanges.NONE && !order.isComplete(other, ranges.freed(range))) {
        range = ranges.larger(other, range);
      }
      if (range != PoolRanges.NONE) {
        return range;
      }
    }
    return PoolRanges.NONE;
  }

  /** Best fit of the first other stream that has one, which the stream then waits for. */
  private int waitForOthers(int list, long blockBytes) {
    for (int other = 0; other < lists; other++) {
      int range = other == list ? PoolRanges.NONE : ranges.bestOfStream(other, blockBytes);
      if (range != PoolRanges.NONE) {
        order.await(list, ranges.clock(), other, ranges.freed(range));
        return range;
      }
    }
    return PoolRanges.NONE;
  }

  /** Moves what is complete of a list into the shared one; answers whether anything was. */
  private boolean share(int list) {
    return order.isAllComplete()
        ? ranges.share(list)
        : ranges.shareFreedBy(list, order.completeBy(list));
  }

  /** Best fit of the shared list with memory under the block, or none where that is lacking. */
  private int backedShared(long blockBytes) {
    int range = ranges.bestShared(blockBytes);
    boolean backed = range != PoolRanges.NONE && back(ranges.start(range), blockBytes);
    return backed ? range : PoolRanges.NONE;
  }

  private boolean back(long start, long bytes) {
    long from = start >>> CHUNK_SHIFT;
    long to = (start + bytes + CHUNK_BYTES - 1) >>> CHUNK_SHIFT;
    long missing = to - from - chunks.countBacked(from, to);
    long fromSpare = Math.min(spareChunks, missing);
    long moved = unmapIdle(missing - fromSpare, from, to);
    long wanted = missing - fromSpare - moved;
    long free = Math.min(deviceFreeBytes.getAsLong(), limitBytes - reservedBytes);
    long made = Math.min(wanted, Math.max(0, free) >>> CHUNK_SHIFT);
    newChunks += made;
    movedChunks += moved;
    reservedBytes += made << CHUNK_SHIFT;
    if (made < wanted) {
      for (long i = 0; i < moved + made; i++) {
        listener.mapped(spareAddress(spareChunks++), CHUNK_BYTES);
      }
      released = release(thresholdBytes);
      return false;
    }
    mappedSpareChunks += fromSpare;
    for (long i = 0; i < fromSpare; i++) {
      listener.unmapped(spareAddress(--spareChunks), CHUNK_BYTES);
    }
    chunks.reserve((int) to);
    for (int chunk = (int) from; chunk < to; chunk++) {
      if (!chunks.isBacked(chunk)) {
        chunks.back(chunk);
        listener.mapped(addressOf(chunk), CHUNK_BYTES);
      }
    }
    return true;
  }

  /** Unmaps up to so many idle chunks outside [from, to), the highest first. */
  private long unmapIdle(long most, long from, long to) {
    long unmapped = 0;
    long end = Long.MAX_VALUE;
    while (unmapped < most) {
      int chunk = chunks.highestIdle(end);
      if (chunk == ChunkMap.NONE) {
        break;
      }
      if (chunk >= from && chunk < to) {
        end = from;
      } else {
        chunks.unback(chunk);
        listener.unmapped(addressOf(chunk), CHUNK_BYTES);
        unmapped++;
        end = chunk;
      }
    }
    return unmapped;
  }

  /** Releases memory while more than this is reserved; answers whether there was any to release. */
  private boolean release(long keptBytes) {
    long before = reservedBytes;
    while (spareChunks > 0 && reservedBytes > keptBytes) {
      listener.unmapped(spareAddress(--spareChunks), CHUNK_BYTES);
      reservedBytes -= CHUNK_BYTES;
    }
    long end = Long.MAX_VALUE;
    while (reservedBytes > keptBytes) {
      int chunk = chunks.highestIdle(end);
      if (chunk == ChunkMap.NONE) {
        break;
      }
      chunks.unback(chunk);
      listener.unmapped(addressOf(chunk), CHUNK_BYTES);
      reservedBytes -= CHUNK_BYTES;
      end = chunk;
    }
    return reservedBytes < before;
  }

  @Override
  public void freeAsync(long address, long bytes, int stream) {
    int range = inUse.row(address);
    if (range == AddressRows.NONE || ranges.requestedBytes(range) != bytes) {
      throw new IllegalArgumentException(
          "the pool has no allocation of %d bytes at 0x%x".formatted(bytes, address));
    }
    int list = list(stream);
    inUse.remove(address);
    ranges.give(range, list);
    usedBytes -= bytes;
    meter.count(DriverCall.FREE_ASYNC, 1, costs.freeNanos());
  }

  @Override
  public void synchronizeStream(int stream) {
    if (stream < listOfStream.length && listOfStream[stream] >= 0) {
      synchronizeList(listOfStream[stream]);
    }
  }

  @Override
  public void synchronizeDevice() {
    for (int list = 0; list < lists; list++) {
      synchronizeList(list);
    }
  }

  private void synchronizeList(int list) {
    if (order.completeBy(list) < ranges.clock()) {
      throw new IllegalStateException("waiting for a stream that is held never ends");
    }
    if (share(list)) {
      release(thresholdBytes);
    }
  }

  /** What the stream queues from now on does not finish until it is resumed. */
  void holdStream(int stream) {
    order.hold(list(stream), ranges.clock());
  }

  /** The time by which what is queued now can be distinguished from what is queued later. */
  long clock() {
    return ranges.clock();
  }

  /** What a held stream had queued up to a {@link #clock} has finished; it stays held. */
  void advanceStream(int stream, long upTo) {
    order.progress(list(stream), upTo);
  }

  /** What a held stream has queued finishes. */
  void resumeStream(int stream) {
    order.resume(list(stream));
  }

  /** Releases all that is idle, as others lack memory; answers whether there was anything. */
  boolean releaseIdle() {
    return release(0);
  }

  @Override
  public void trimPool(long keptBytes) {
    long before = reservedBytes;
    release(keptBytes);
    long released = (before - reservedBytes) >>> CHUNK_SHIFT;
    meter.count(DriverCall.TRIM_POOL, 1, costs.trimNanos() + released * costs.trimChunkNanos());
  }

  @Override
  public long poolReservedBytes() {
    return reservedBytes;
  }

  @Override
  public long poolUsedBytes() {
    return usedBytes;
  }

  @Override
  public void setReleaseThreshold(long bytes) {
    thresholdBytes = bytes;
  }

  /**
   * {@inheritDoc} It counts in whole chunks, rounded up, and bounds the pool's addresses to twice
   * as much.
   *
   * @throws IllegalStateException where the pool is in use
   */
  @Override
  public void setPoolLimit(long bytes) {
    if (base != DeviceMemory.REFUSED) {
      throw new IllegalStateException("a pool in use cannot be given a limit");
    }
    limitBytes = bytes > MAX_RANGE_BYTES / 2 ? Long.MAX_VALUE : roundUpToChunk(bytes);
    setAddresses(bytes);
  }

  @Override
  public void setReuse(boolean allowOpportunistic, boolean allowInternalDependencies) {
    opportunistic = allowOpportunistic;
    internalDependencies = allowInternalDependencies;
  }

  @Override
  public Optional<PoolView> view() {
    return Optional.of(this);
  }

  @Override
  public void reportTo(Listener newListener) {
    listener = newListener;
  }

  @Override
  public void show(Visitor visitor) {
    int range = ranges.first();
    int from = chunks.nextBacked(0);
    while (from != ChunkMap.NONE) {
      int to = chunks.nextUnbacked(from);
      long start = (long) from << CHUNK_SHIFT;
      long end = (long) to << CHUNK_SHIFT;
      visitor.run(base + start, end - start);
      while (ranges.start(range) + ranges.bytes(range) <= start) {
        range = ranges.next(range);
      }
      while (range != PoolRanges.NONE && ranges.start(range) < end) {
        long rangeStart = Math.max(start, ranges.start(range));
        long rangeEnd = Math.min(end, ranges.start(range) + ranges.bytes(range));
        visitor.range(base + rangeStart, rangeEnd - rangeStart, ranges.isInUse(range));
        if (rangeEnd == end) {
          break;
        }
        range = ranges.next(range);
      }
      from = chunks.nextBacked(to);
    }
    if (spareChunks > 0) {
      visitor.run(UNPLACED_ADDRESS, spareChunks << CHUNK_SHIFT);
      visitor.range(UNPLACED_ADDRESS, spareChunks << CHUNK_SHIFT, false);
    }
  }

  private int list(int stream) {
    if (stream < 0) {
      throw new IllegalArgumentException("stream number " + stream + " is negative");
    }
    if (stream >= listOfStream.length) {
      int old = listOfStream.length;
      listOfStream = Arrays.copyOf(listOfStream, Math.max(stream + 1, 2 * old));
      Arrays.fill(listOfStream, old, listOfStream.length, -1);
    }
    if (listOfStream[stream] < 0) {
      listOfStream[stream] = lists++;
    }
    return listOfStream[stream];
  }

  private long backingNanos(long bytes) {
    if (newChunks + movedChunks + mappedSpareChunks == 0) {
      long pages = (bytes + DeviceProfile.PAGE_BYTES - 1) / DeviceProfile.PAGE_BYTES;
      return costs.allocateMergedNanos() + pages * costs.allocateMergedPageNanos();
    }
    return costs.mapNanos()
        + newChunks * costs.newChunkNanos()
        + movedChunks * costs.movedChunkNanos()
        + mappedSpareChunks * costs.spareChunkNanos();
  }

  private long failureNanos() {
    return released
        ? costs.refuseReleaseNanos()
            + newChunks * costs.refuseReleaseNewChunkNanos()
            + movedChunks * costs.refuseReleaseMovedChunkNanos()
        : costs.refuseNanos()
            + newChunks * costs.refuseNewChunkNanos()
            + movedChunks * costs.refuseMovedChunkNanos();
  }

  private long addressOf(int chunk) {
    return base + ((long) chunk << CHUNK_SHIFT);
  }

  private static long spareAddress(long spare) {
    return UNPLACED_ADDRESS + (spare << CHUNK_SHIFT);
  }

  private static long roundUpToChunk(long bytes) {
    return (bytes + CHUNK_BYTES - 1) & -CHUNK_BYTES;
  }

  private static long roundUp(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }
}
