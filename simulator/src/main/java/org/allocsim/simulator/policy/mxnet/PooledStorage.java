package org.allocsim.simulator.policy.mxnet;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * MXNet's pooled storage manager for GPUs.
 *
 * <p><b>Rules.</b> A request is rounded up to the size of a bucket and takes the block of that
 * bucket that came back last. Without one the device is asked; before that, all cached blocks go
 * back to it unless more than the request would stay free and the rest is at least the reserve, a
 * share of the whole device. When the device refuses, the same happens and it is asked once more.
 * Blocks are neither split nor merged, and a free returns nothing to the device.
 *
 * <p><b>Source.</b> apache/mxnet, {@code src/storage/pooled_storage_manager.h} and {@code
 * storage_manager_helpers.h}, state of January 2023 (archived). No recording checks it.
 *
 * <p><b>Deviations.</b> The wait for the work on a reused block is not modelled. Where the device
 * does not report its size there is no reserve. Blocks go back to the device smallest first, then
 * oldest; the order of pool type Naive is that of a hash table.
 *
 * <p><b>Cost.</b> A request or free takes constant time. <b>Limits.</b> One thread.
 */
public final class PooledStorage implements AllocatorPolicy {
  private static final int NONE = BlockHeap.NONE;

  private final BucketRule rule;
  private final long reservePercent;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final BucketTable buckets = new BucketTable();

  /** By bucket: the free block that came back last; what is new is 0, thus NONE. */
  private int[] lastFreed = new int[32];

  /** By block: its bucket; the free block of the same bucket that came back before it. */
  private int[] bucketOf = new int[256];

  private int[] freedBefore = new int[256];

  /**
   * A manager that holds nothing.
   *
   * @param rule how sizes are rounded
   * @param reservePercent share of the device that stays free, in percent
   * @param limitBytes most bytes it may hold, −1 for no limit
   * @param device where its blocks come from
   * @param listener receives what it does; every block is a segment of its own
   */
  public PooledStorage(
      BucketRule rule,
      int reservePercent,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.rule = rule;
    this.reservePercent = reservePercent;
    this.device = LimitedMemory.of(device, limitBytes);
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, this.device, listener);
    heap = new BlockHeap(listener);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = rule.bucketBytes(requestedBytes);
    int bucket = bucket(bytes);
    int block = lastFreed[bucket];
    if (block != NONE) {
      lastFreed[bucket] = freedBefore[block];
    } else {
      long address = obtain(bytes);
      if (address == DeviceMemory.REFUSED) {
        return refused.report(allocation, requestedBytes, bytes, bytes, stream);
      }
      block = heap.addSegment(address, bytes, stream);
      remember(block, bucket);
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  private int bucket(long bytes) {
    int bucket = buckets.bucket(bytes);
    if (bucket >= lastFreed.length) {
      lastFreed = Arrays.copyOf(lastFreed, 2 * bucket);
    }
    return bucket;
  }

  private void remember(int block, int bucket) {
    if (block >= bucketOf.length) {
      bucketOf = Arrays.copyOf(bucketOf, 2 * block);
      freedBefore = Arrays.copyOf(freedBefore, bucketOf.length);
    }
    bucketOf[block] = bucket;
  }

  private long obtain(long bytes) {
    long freeBytes = device.freeBytes();
    if (freeBytes <= bytes || freeBytes - bytes < reserveBytes()) {
      emptyCache();
    }
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      listener.allocationRetried();
      emptyCache();
      address = device.allocate(bytes);
    }
    return address;
  }

  private long reserveBytes() {
    long totalBytes = Math.max(0, device.totalBytes());
    return totalBytes / 100 * reservePercent + totalBytes % 100 * reservePercent / 100;
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block != NONE) {
      int bucket = bucketOf[block];
      freedBefore[block] = lastFreed[bucket];
      lastFreed[bucket] = block;
    }
  }

  /** Gives all cached blocks back ({@code ReleaseAll}). */
  @Override
  public void emptyCache() {
    int[] ascending =
        IntStream.range(0, buckets.count())
            .filter(bucket -> lastFreed[bucket] != NONE)
            .boxed()
            .sorted((a, b) -> Long.compare(buckets.bytes(a), buckets.bytes(b)))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int bucket : ascending) {
      releaseToDevice(bucket);
    }
  }

  private void releaseToDevice(int bucket) {
    int oldestFirst = NONE;
    for (int block = lastFreed[bucket]; block != NONE; ) {
      int before = freedBefore[block];
      freedBefore[block] = oldestFirst;
      oldestFirst = block;
      block = before;
    }
    for (int block = oldestFirst; block != NONE; block = freedBefore[block]) {
      device.free(heap.address(block), heap.bytes(block));
      heap.removeSegment(block);
    }
    lastFreed[bucket] = NONE;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
