package org.allocsim.simulator.policy.cub;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * CUB's {@code CachingDeviceAllocator}.
 *
 * <p><b>Rules.</b> A request takes a block of its bin, the smallest power of the growth factor that
 * holds it; requests beyond the largest bin get exactly what they ask for and are never cached. Of
 * the cached blocks of the bin the one cached longest ago serves it whose work has finished, or
 * which was given back on the same stream; without one the device is asked. A block that comes back
 * is cached unless the cache would pass its limit; then, as beyond the largest bin, it goes back to
 * the device. When the device refuses, all cached blocks go back to it and it is asked once more.
 * Blocks are neither split nor merged.
 *
 * <p>The work on a block that is given back has finished once the host has waited for its stream or
 * for the device. A block that goes back to the device makes the host wait for it ({@code
 * cudaFree}).
 *
 * <p><b>Source.</b> NVIDIA/cccl, {@code cub/cub/util_allocator.cuh}, as in CUB 3.0.1, of which it
 * reproduces recordings operation by operation.
 *
 * <p><b>Deviations.</b> Work is taken as unfinished until the trace says that the host waited;
 * really it may finish earlier. One device.
 *
 * <p><b>Cost.</b> A request takes time linear in the number of streams. <b>Limits.</b> One thread.
 */
public final class CachingDeviceAllocator implements AllocatorPolicy {
  private static final int NONE = BlockHeap.NONE;

  private final CubSettings settings;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;

  /** Bytes of each bin up to the largest. */
  private final long[] binBytes;

  /** Oldest and newest cached block of a bin and a stream, at {@code stream * bins + bin}. */
  private int[] oldest = new int[0];

  private int[] newest = new int[0];

  /** By stream: blocks cached before this moment on it have no unfinished work. */
  private long[] waitedUntil = new long[0];

  /** By block: the moment it was cached at, the next one cached in its bin on its stream. */
  private long[] cachedAt = new long[256];

  private int[] next = new int[256];

  private int streams;
  private long cachedBytes;
  private long moment = 1;
  private long deviceWaitedUntil;

  /**
   * An allocator that holds nothing.
   *
   * @param limitBytes most bytes it may hold, −1 for no limit
   * @param device where its blocks come from
   * @param listener receives what it does; every block is a segment of its own
   */
  public CachingDeviceAllocator(
      CubSettings settings, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.settings = settings;
    this.device = LimitedMemory.of(device, limitBytes);
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, this.device, listener);
    heap = new BlockHeap(listener);
    binBytes = settings.binBytes();
  }

  /** Bytes of all cached blocks. */
  public long cachedBytes() {
    return cachedBytes;
  }

  /** Serves a request; 0 bytes take a block of the smallest bin. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    int bin = bin(requestedBytes);
    long bytes = requestedBytes;
    if (bin >= 0) {
      bytes = binBytes[bin];
      int reused = takeCached(bin, stream);
      if (reused != NONE) {
        heap.take(reused, allocation, requestedBytes, stream);
        return heap.address(reused);
      }
    }
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      listener.allocationRetried();
      emptyCache();
      address = device.allocate(bytes);
    }
    if (address == DeviceMemory.REFUSED) {
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    int block = heap.addSegment(address, bytes, stream);
    heap.take(block, allocation, requestedBytes, stream);
    return address;
  }

  /** The bin that serves a size, or −1 beyond the largest. */
  private int bin(long requestedBytes) {
    int bin = settings.minBin();
    while (bin < binBytes.length && binBytes[bin] < requestedBytes) {
      bin++;
    }
    return bin < binBytes.length ? bin : -1;
  }

  /** Takes the block out of the cache that serves a request, or answers {@link #NONE}. */
  private int takeCached(int bin, int stream) {
    int best = NONE;
    int bestStream = 0;
    for (int other = 0; other < streams; other++) {
      int block = oldest[other * binBytes.length + bin];
      if (block != NONE
          && (best == NONE || cachedAt[block] < cachedAt[best])
          && (other == stream
              || cachedAt[block] < deviceWaitedUntil
              || cachedAt[block] < waitedUntil[other])) {
        best = block;
        bestStream = other;
      }
    }
    if (best != NONE) {
      removeOldest(bin, bestStream);
    }
    return best;
  }

  private void removeOldest(int bin, int stream) {
    int queue = stream * binBytes.length + bin;
    int block = oldest[queue];
    oldest[queue] = next[block];
    if (next[block] == NONE) {
      newest[queue] = NONE;
    }
    cachedBytes -= heap.bytes(block);
  }

  /** Takes an allocation back, always on the stream that it was made for. */
  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block == NONE) {
      return;
    }
    long bytes = heap.bytes(block);
    int bin = bin(bytes);
    if (bin >= 0 && bytes <= settings.maxCachedBytes() - cachedBytes) {
      cache(block, bin);
    } else {
      releaseToDevice(block);
      deviceWaitedUntil = moment;
    }
  }

  private void cache(int block, int bin) {
    int stream = heap.stream(block);
    if (stream >= streams) {
      growStreams(stream + 1);
    }
    if (block >= next.length) {
      cachedAt = Arrays.copyOf(cachedAt, Math.max(heap.rows(), 2 * cachedAt.length));
      next = Arrays.copyOf(next, cachedAt.length);
    }
    int queue = stream * binBytes.length + bin;
    if (newest[queue] == NONE) {
      oldest[queue] = block;
    } else {
      next[newest[queue]] = block;
    }
    newest[queue] = block;
    next[block] = NONE;
    cachedAt[block] = moment++;
    cachedBytes += heap.bytes(block);
  }

  private void growStreams(int count) {
    int queues = Math.multiplyExact(count, binBytes.length);
    oldest = Arrays.copyOf(oldest, queues); // what is added is 0, thus NONE
    newest = Arrays.copyOf(newest, queues);
    waitedUntil = Arrays.copyOf(waitedUntil, count);
    streams = count;
  }

  private void releaseToDevice(int block) {
    device.free(heap.address(block), heap.bytes(block));
    heap.removeSegment(block);
  }

  @Override
  public void synchronize() {
    deviceWaitedUntil = moment;
  }

  @Override
  public void synchronizeStream(int stream) {
    if (stream < streams) {
      waitedUntil[stream] = moment;
    }
  }

  /** Gives all cached blocks back ({@code FreeAllCached}): smallest first, then oldest. */
  @Override
  public void emptyCache() {
    for (int bin = 0; bin < binBytes.length; bin++) {
      for (int block = oldestOf(bin); block != NONE; block = oldestOf(bin)) {
        removeOldest(bin, heap.stream(block));
        releaseToDevice(block);
      }
    }
  }

  private int oldestOf(int bin) {
    int best = NONE;
    for (int stream = 0; stream < streams; stream++) {
      int block = oldest[stream * binBytes.length + bin];
      if (block != NONE && (best == NONE || cachedAt[block] < cachedAt[best])) {
        best = block;
      }
    }
    return best;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
