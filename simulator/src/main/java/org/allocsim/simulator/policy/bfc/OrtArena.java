package org.allocsim.simulator.policy.bfc;

import java.util.BitSet;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.jspecify.annotations.Nullable;

/**
 * ONNX Runtime's arena, a descendant of {@link BfcAllocator}.
 *
 * <p><b>Rules.</b> Rounding, best fit, splitting and merging are those of BFC. Regions double from
 * 1 MiB, after a region that was asked for at its due size to at most 1 GiB, or are as large as the
 * request. A device that refuses is asked for nine tenths, again and again, down to the request or
 * 8 KiB. Shrinking ({@link #emptyCache}) returns the wholly free regions, without the first one
 * where regions double, and lets growth begin anew with 2 MiB. Reserved memory ({@link #reserve})
 * is asked of the device as it is and goes back when it is freed. With streams, a free chunk serves
 * its own stream only, until a synchronisation with that stream later than its first use; chunks of
 * different streams do not merge. The first use of a new region's chunk has no time, so that any
 * synchronisation is later. Newer releases let every request take its chunk over, with the time.
 *
 * <p><b>Source.</b> microsoft/onnxruntime {@code onnxruntime/core/framework/bfc_arena.cc}
 * (009aae1); the limit of doubling from the arena of the CUDA plugin, which later versions share.
 *
 * <p><b>Deviations.</b> A trace does not show where a session's run ends, at which the original
 * takes the streams from their chunks and merges these; a wait of the host for the device or a
 * stream counts as a synchronisation of all streams with it.
 *
 * <p><b>Cost.</b> A request or free is a few binary searches in the free chunks; with streams a
 * request also passes the chunks that it may not use. <b>Limits.</b> One thread; 2<sup>61</sup>
 * bytes.
 */
public final class OrtArena implements AllocatorPolicy {
  private static final long MIN_REGION_BYTES = 8L << 10;
  private static final long NO_REGION = -1;

  private final OrtSettings settings;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final ChunkHeap heap;
  private final BlockHeap blocks;
  private final @Nullable StreamChunks streams;
  private final BitSet reserved = new BitSet();
  private long totalBytes;
  private long regionBytes;
  private long firstRegionAddress = NO_REGION;
  private int askingStream;
  private final ChunkHeap.Usable usable = this::isUsable;

  /** An arena that holds nothing. */
  public OrtArena(OrtSettings settings, DeviceMemory device, EffectListener listener) {
    this.settings = settings;
    this.device = device;
    refused = new RefusedRequests(ChunkHeap.limitOrNone(settings.limitBytes()), device, listener);
    heap = new ChunkHeap(listener);
    blocks = heap.blocks();
    streams =
        settings.streams() ? new StreamChunks(blocks, settings.everyRequestTakesOver()) : null;
    regionBytes =
        ChunkHeap.roundedBytes(Math.min(settings.limitBytes(), settings.firstRegionBytes()));
  }

  /** Serves a request; the pool makes no difference. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > settings.limitBytes()) {
      return fail(allocation, requestedBytes, stream);
    }
    long rounded = ChunkHeap.roundedBytes(requestedBytes);
    int chunk = find(rounded, stream);
    boolean isFresh = chunk == ChunkHeap.NONE;
    if (isFresh && extend(rounded, stream)) {
      chunk = find(rounded, stream);
    }
    if (chunk == ChunkHeap.NONE) {
      return fail(allocation, requestedBytes, stream);
    }
    int rest = heap.split(chunk, rounded, settings.maxWasteBytes());
    if (rest != ChunkHeap.NONE) {
      if (streams != null) {
        streams.split(chunk, rest);
      }
      heap.bin(rest);
    }
    if (streams != null) {
      streams.take(chunk, stream, isFresh);
    }
    blocks.take(chunk, allocation, requestedBytes, stream);
    return blocks.address(chunk);
  }

  private int find(long rounded, int stream) {
    askingStream = stream;
    return streams == null ? heap.takeBestFit(rounded) : heap.takeBestFit(rounded, usable);
  }

  private boolean isUsable(int chunk) {
    return streams == null || streams.isUsable(chunk, askingStream);
  }

  /** Obtains a region that holds a request; whether there is one now. */
  private boolean extend(long rounded, int stream) {
    long available = ChunkHeap.roundedDown(settings.limitBytes() - totalBytes);
    if (rounded > available) {
      return false;
    }
    long bytes = nextRegionBytes(rounded, available);
    long address = device.allocate(bytes);
    while (address == DeviceMemory.REFUSED) {
      bytes = ChunkHeap.lessThan(bytes);
      if (bytes < rounded || bytes < MIN_REGION_BYTES) {
        return false;
      }
      address = device.allocate(bytes);
    }
    totalBytes += bytes;
    if (firstRegionAddress == NO_REGION) {
      firstRegionAddress = address;
    }
    int chunk = heap.addRegion(address, bytes, stream);
    if (streams != null) {
      streams.addRegion(chunk);
    }
    heap.bin(chunk);
    return true;
  }

  /** Size of the region to ask for; growth goes on even where the device refuses it. */
  private long nextRegionBytes(long rounded, long available) {
    if (settings.strategy() == OrtSettings.Strategy.SAME_AS_REQUESTED) {
      return rounded;
    }
    boolean grew = false;
    while (rounded > regionBytes) {
      regionBytes = ChunkHeap.doubled(regionBytes);
      grew = true;
    }
    long bytes = Math.min(regionBytes, available);
    if (!grew) {
      regionBytes = Math.min(ChunkHeap.doubled(regionBytes), settings.maxDoubledBytes());
    }
    return bytes;
  }

  /**
   * Takes memory past the arena, as a session does for its initializers.
   *
   * @return the address, or {@link #OUT_OF_MEMORY}
   */
  public long reserve(int allocation, long bytes, int stream) {
    if (bytes == 0) {
      return 0;
    }
    boolean allowed = bytes <= settings.limitBytes() - totalBytes;
    long address = allowed ? device.allocate(bytes) : DeviceMemory.REFUSED;
    if (address == DeviceMemory.REFUSED) {
      return fail(allocation, bytes, stream);
    }
    totalBytes += bytes;
    int chunk = blocks.addSegment(address, bytes, stream);
    reserved.set(chunk);
    blocks.take(chunk, allocation, bytes, stream);
    return address;
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
    if (reserved.get(chunk)) {
      releaseToDevice(chunk);
      return;
    }
    int next = blocks.next(chunk);
    if (blocks.isFree(next) && mayMerge(chunk, next)) {
      heap.mergeNext(chunk);
    }
    int previous = blocks.previous(chunk);
    if (blocks.isFree(previous) && mayMerge(previous, chunk)) {
      chunk = heap.mergeIntoPrevious(chunk);
    }
    heap.bin(chunk);
    blocks.settle();
  }

  /** Whether two neighbouring free chunks may be merged; if so, the first will absorb the other. */
  private boolean mayMerge(int chunk, int absorbed) {
    if (streams == null) {
      return true;
    }
    if (!streams.mayMerge(chunk, absorbed)) {
      return false;
    }
    streams.merge(chunk, absorbed);
    return true;
  }

  private void releaseToDevice(int reservedChunk) {
    long address = blocks.address(reservedChunk);
    long bytes = blocks.bytes(reservedChunk);
    reserved.clear(reservedChunk);
    blocks.removeSegment(reservedChunk);
    device.free(address, bytes);
    totalBytes -= bytes;
  }

  @Override
  public void synchronize() {
    if (streams != null) {
      streams.synchronize();
    }
  }

  @Override
  public void synchronizeStream(int stream) {
    if (streams != null) {
      streams.synchronize(stream);
    }
  }

  /** Shrinks the arena. */
  @Override
  public void emptyCache() {
    boolean keepsFirst = settings.strategy() == OrtSettings.Strategy.NEXT_POWER_OF_TWO;
    for (int region : heap.freeRegions()) {
      long address = blocks.address(region);
      if (keepsFirst && address == firstRegionAddress) {
        continue;
      }
      long bytes = heap.regionBytes(region);
      heap.removeRegion(region);
      device.free(address, bytes);
      totalBytes -= bytes;
    }
    regionBytes = settings.regionBytesAfterShrink();
  }

  /** Size that the next region has at least where regions double. */
  public long nextRegionBytes() {
    return regionBytes;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
