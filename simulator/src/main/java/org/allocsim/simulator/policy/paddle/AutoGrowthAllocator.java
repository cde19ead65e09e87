package org.allocsim.simulator.policy.paddle;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.policy.block.FreeNeighbours;

/**
 * PaddlePaddle's auto growth best fit allocator.
 *
 * <p><b>Rules.</b> Sizes are rounded up to 256 bytes. The smallest free block that is large enough
 * serves a request, the lowest among equals; of a larger one the request gets the high end. Without
 * one the device is asked for a chunk as large as the request, or as the chunk size where that is
 * larger. When it refuses, chunks that are wholly free go back and it is asked once more. Blocks
 * that come back join their free neighbours inside the chunk. Flags let free chunks go back at
 * every free, or before every new chunk instead of after a refusal.
 *
 * <p>In the warm-up of version 2 a request takes a free block of exactly its size only, else a
 * chunk of its size; free chunks go back first if the device has less than that free, and a refusal
 * is final. The first request after the warm-up returns the free chunks.
 *
 * <p><b>Source.</b> PaddlePaddle/Paddle, {@code
 * paddle/phi/core/memory/allocation/auto_growth_best_fit_allocator.cc} (11ef52e) and {@code
 * auto_growth_best_fit_allocator_v2.cc} (0ab6998). The code of the first equals this in random
 * sequences; the second was read. No recording checks them.
 *
 * <p><b>Deviations.</b> One allocator for all streams, where Paddle may wrap one for each; no
 * separate growth of small and large requests.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of free blocks.
 * <b>Limits.</b> One thread.
 */
public final class AutoGrowthAllocator implements AllocatorPolicy {
  private static final int NONE = BlockHeap.NONE;

  private final AutoGrowthSettings settings;
  private final long chunkBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final SizeOrderedRows free;

  /** By the first block of a chunk, which never changes: when the chunk was obtained. */
  private long[] birth = new long[64];

  private long births;
  private long requests;
  private int[] idle = new int[0];

  /**
   * An allocator that holds nothing.
   *
   * @param limitBytes most bytes it may hold, −1 for no limit
   * @param device where its chunks come from
   * @param listener receives what it does; a chunk is a segment
   */
  public AutoGrowthAllocator(
      AutoGrowthSettings settings, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.settings = settings;
    this.device = LimitedMemory.of(device, limitBytes);
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, this.device, listener);
    heap = new BlockHeap(listener);
    free = new SizeOrderedRows(heap);
    chunkBytes = Math.max(settings.aligned(settings.chunkBytes()), settings.alignmentBytes());
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = settings.aligned(requestedBytes);
    boolean inWarmup = requests < settings.warmupRequests();
    if (requests++ == settings.warmupRequests() && settings.warmupRequests() > 0) {
      emptyCache();
    }
    int block = free.ceiling(bytes, 0);
    if (inWarmup && block != NONE && heap.bytes(block) != bytes) {
      block = NONE;
    }
    if (block != NONE) {
      free.remove(block);
    } else {
      block = inWarmup ? obtainExactChunk(bytes, stream) : obtainChunk(bytes, stream);
      if (block == NONE) {
        fail(allocation, requestedBytes, bytes, stream);
        return OUT_OF_MEMORY;
      }
    }
    long restBytes = heap.bytes(block) - bytes;
    if (restBytes > 0) {
      int high = heap.split(block, restBytes);
      free.add(block);
      block = high;
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  private int obtainChunk(long bytes, int stream) {
    if (settings.freesBeforeGrowing()) {
      emptyCache();
    }
    long size = Math.max(bytes, chunkBytes);
    long address = device.allocate(size);
    if (address == DeviceMemory.REFUSED && !settings.freesBeforeGrowing()) {
      listener.allocationRetried();
      emptyCache();
      address = device.allocate(size);
    }
    return address == DeviceMemory.REFUSED ? NONE : addChunk(address, size, stream);
  }

  private int obtainExactChunk(long bytes, int stream) {
    if (device.freeBytes() < bytes) {
      emptyCache();
    }
    long address = device.allocate(bytes);
    return address == DeviceMemory.REFUSED ? NONE : addChunk(address, bytes, stream);
  }

  private int addChunk(long address, long size, int stream) {
    int block = heap.addSegment(address, size, stream);
    if (block >= birth.length) {
      birth = Arrays.copyOf(birth, 2 * block);
    }
    birth[block] = births++;
    return block;
  }

  private void fail(int allocation, long requestedBytes, long bytes, int stream) {
    refused.report(allocation, requestedBytes, bytes, Math.max(bytes, chunkBytes), stream);
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block == NONE) {
      return;
    }
    block = FreeNeighbours.join(heap, free, block);
    if (settings.freesIdleChunks() && heap.coversSegment(block)) {
      free.remove(block);
      releaseToDevice(block);
    }
    heap.settle();
  }

  private void releaseToDevice(int chunk) {
    device.free(heap.address(chunk), heap.bytes(chunk));
    heap.removeSegment(chunk);
  }

  /** Gives all wholly free chunks back, oldest first. */
  @Override
  public void emptyCache() {
    int count = free.size();
    idle = free.copyTo(idle, 0);
    int[] chunks =
        Arrays.stream(idle, 0, count)
            .filter(heap::coversSegment)
            .boxed()
            .sorted((a, b) -> Long.compare(birth[a], birth[b]))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int chunk : chunks) {
      free.remove(chunk);
      releaseToDevice(chunk);
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
