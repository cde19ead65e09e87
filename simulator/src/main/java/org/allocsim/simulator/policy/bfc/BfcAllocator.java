package org.allocsim.simulator.policy.bfc;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.jspecify.annotations.Nullable;

/**
 * The "best fit with coalescing" allocator of XLA, JAX and TensorFlow, for device memory and for
 * pinned host memory alike.
 *
 * <p><b>Rules.</b> Sizes are rounded up to 256 bytes. A request takes the smallest free chunk that
 * is large enough, at the lowest address among equals. What is left over is cut off if the chunk is
 * twice the request or more, or the rest reaches 128 MiB (or a share of the limit); else the
 * request gets all of it. Without such a chunk a region is asked of the device: with growth 2 MiB,
 * doubling, without growth the whole limit at the first request. A device that refuses is asked for
 * nine tenths, again and again, down to the request. A free chunk merges with free neighbours of
 * its region. Memory goes back to the device only under garbage collection: when a request would
 * fail and there are wholly free regions that could make room, all of those are returned first.
 *
 * <p><b>Source.</b> openxla/xla {@code xla/tsl/framework/bfc_allocator.cc} (00df9ee, 2026), which
 * TensorFlow uses too; recordings of JAX 0.11.2.
 *
 * <p><b>Deviations.</b> No wait for a free by another thread (up to 10 s in the original): a trace
 * has one order. No alignments above 256 bytes, which traces cannot ask for; {@link
 * PartitionedBfcAllocator} has the pool that is served from both ends. With timestamps, {@link
 * #synchronize} moves the safe frontier; a request that has to take unsafe memory does not wait.
 *
 * <p><b>Cost.</b> A request or free is a few binary searches in the free chunks. With timestamps a
 * request also looks at all chunks that wait. <b>Limits.</b> One thread; 2<sup>61</sup> bytes.
 */
public final class BfcAllocator implements AllocatorPolicy {
  private static final long FIRST_REGION_BYTES = 2L << 20;

  private final BfcSettings settings;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final ChunkHeap heap;
  private final BlockHeap blocks;
  private final @Nullable TimestampedChunks timestamped;
  private long poolBytes;
  private long regionBytes;
  private long time;

  /** An allocator that holds nothing. */
  public BfcAllocator(BfcSettings settings, DeviceMemory device, EffectListener listener) {
    this.settings = settings;
    this.device = device;
    refused = new RefusedRequests(ChunkHeap.limitOrNone(settings.limitBytes()), device, listener);
    heap = new ChunkHeap(listener);
    blocks = heap.blocks();
    timestamped = settings.timestamps() ? new TimestampedChunks(heap) : null;
    regionBytes =
        ChunkHeap.roundedBytes(
            settings.growth()
                ? Math.min(settings.limitBytes(), FIRST_REGION_BYTES)
                : settings.limitBytes());
  }

  /** Serves a request; the pool makes no difference. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    return allocate(allocation, requestedBytes, stream, pool, 0);
  }

  /**
   * Serves a request from memory that was freed at a time or before.
   *
   * @param freedBefore time of {@link #time()}, 0 where any memory will do; of no account without
   *     timestamps
   */
  public long allocate(
      int allocation, long requestedBytes, int stream, int pool, long freedBefore) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > settings.limitBytes()) {
      return fail(allocation, requestedBytes, stream);
    }
    long rounded = ChunkHeap.roundedBytes(requestedBytes);
    int chunk =
        timestamped == null
            ? find(rounded, stream)
            : find(timestamped, rounded, stream, freedBefore);
    if (chunk == ChunkHeap.NONE) {
      return fail(allocation, requestedBytes, stream);
    }
    int rest = heap.split(chunk, rounded, settings.maxWasteBytes());
    if (rest != ChunkHeap.NONE) {
      if (timestamped != null) {
        timestamped.setFreedAt(rest, timestamped.freedAt(chunk));
      }
      heap.bin(rest);
    }
    blocks.take(chunk, allocation, requestedBytes, stream);
    return blocks.address(chunk);
  }

  private int find(long rounded, int stream) {
    int chunk = heap.takeBestFit(rounded);
    if (chunk == ChunkHeap.NONE && extend(rounded, stream)) {
      chunk = heap.takeBestFit(rounded);
    }
    if (chunk == ChunkHeap.NONE && collectGarbage(rounded) && extend(rounded, stream)) {
      chunk = heap.takeBestFit(rounded);
    }
    return chunk;
  }

  private int find(TimestampedChunks timed, long rounded, int stream, long freedBefore) {
    if (!timed.isEmpty()) {
      timed.mergeSafe();
    }
    int chunk = takeFreedBefore(timed, rounded, freedBefore);
    if (chunk == ChunkHeap.NONE && extend(rounded, stream)) {
      chunk = takeFreedBefore(timed, rounded, freedBefore);
    }
    if (chunk == ChunkHeap.NONE
        && freedBefore == 0
        && !timed.isEmpty()
        && timed.mergeUntil(rounded)) {
      chunk = takeFreedBefore(timed, rounded, freedBefore);
    }
    if (chunk == ChunkHeap.NONE && collectGarbage(rounded) && extend(rounded, stream)) {
      chunk = takeFreedBefore(timed, rounded, freedBefore);
    }
    return chunk;
  }

  private int takeFreedBefore(TimestampedChunks timed, long rounded, long freedBefore) {
    return freedBefore == 0
        ? heap.takeBestFit(rounded)
        : heap.takeBestFit(rounded, chunk -> timed.freedAt(chunk) <= freedBefore);
  }

  /** Obtains a region that holds a request; whether there is one now. */
  private boolean extend(long rounded, int stream) {
    long available = ChunkHeap.roundedDown(settings.limitBytes() - poolBytes);
    if (rounded > available) {
      return false;
    }
    boolean grew = false;
    while (rounded > regionBytes) {
      regionBytes = ChunkHeap.doubled(regionBytes);
      grew = true;
    }
    long bytes = Math.min(regionBytes, available);
    long address = device.allocate(bytes);
    while (address == DeviceMemory.REFUSED) {
      long less = ChunkHeap.lessThan(bytes);
      bytes = less < bytes ? less : bytes - ChunkHeap.UNIT_BYTES;
      if (bytes < rounded) {
        return false;
      }
      address = device.allocate(bytes);
    }
    if (!grew) {
      regionBytes = ChunkHeap.doubled(regionBytes);
    }
    poolBytes += bytes;
    int lower = settings.mergesRegions() ? lastChunkBefore(address) : ChunkHeap.NONE;
    int chunk = heap.addRegion(address, bytes, stream);
    if (timestamped != null) {
      timestamped.setFreedAt(chunk, 0);
    }
    if (lower != ChunkHeap.NONE) {
      blocks.joinSegments(lower, chunk);
      if (blocks.isFree(lower) && isSafe(lower)) {
        chunk = heap.mergeIntoPrevious(chunk);
      }
    }
    heap.bin(chunk);
    return true;
  }

  private boolean isSafe(int chunk) {
    return timestamped == null || timestamped.freedAt(chunk) == 0;
  }

  /** Last chunk of the region that ends at an address, or {@link ChunkHeap#NONE}. */
  private int lastChunkBefore(long address) {
    for (int row = 0; row < blocks.rows(); row++) {
      if (blocks.isBlock(row)
          && blocks.next(row) == ChunkHeap.NONE
          && blocks.address(row) + blocks.bytes(row) == address) {
        return row;
      }
    }
    return ChunkHeap.NONE;
  }

  /** Returns all wholly free regions if a request could fit then; whether it did. */
  private boolean collectGarbage(long rounded) {
    if (!settings.garbageCollection()) {
      return false;
    }
    int[] regions = heap.freeRegions();
    long freeBytes = 0;
    for (int region : regions) {
      freeBytes += heap.regionBytes(region);
    }
    if (freeBytes == 0 || rounded > settings.limitBytes() - poolBytes + freeBytes) {
      return false;
    }
    for (int region : regions) {
      long address = blocks.address(region);
      long bytes = heap.regionBytes(region);
      heap.removeRegion(region);
      device.free(address, bytes);
    }
    poolBytes -= freeBytes;
    return true;
  }

  private long fail(int allocation, long requestedBytes, int stream) {
    long rounded = ChunkHeap.roundedBytes(Math.min(requestedBytes, ChunkHeap.MAX_BYTES));
    return refused.report(allocation, requestedBytes, rounded, rounded, stream);
  }

  @Override
  public void free(int allocation) {
    int chunk = blocks.release(allocation);
    if (chunk == BlockHeap.NONE) {
      return;
    }
    if (timestamped != null) {
      heap.bin(chunk);
      timestamped.add(chunk, ++time);
      blocks.settle();
      return;
    }
    if (blocks.isFree(blocks.next(chunk))) {
      heap.mergeNext(chunk);
    }
    if (blocks.isFree(blocks.previous(chunk))) {
      chunk = heap.mergeIntoPrevious(chunk);
    }
    heap.bin(chunk);
    blocks.settle();
  }

  /** Time of the last free: with timestamps, each free takes the next whole number. */
  public long time() {
    return time;
  }

  /** Everything that was freed before this time may be merged; the frontier never goes back. */
  public void setSafeFrontier(long frontier) {
    if (timestamped != null) {
      timestamped.setFrontier(frontier);
    }
  }

  @Override
  public void synchronize() {
    setSafeFrontier(time + 1);
  }

  /** Size that the next region has at least, before limit and device cut it down. */
  public long nextRegionBytes() {
    return regionBytes;
  }

  /** Bytes of the largest free chunk, 0 without one. */
  public long largestFreeBytes() {
    return heap.largestFreeBytes();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
