package org.allocsim.simulator.policy.paddle;

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
 * PaddlePaddle's virtual memory auto growth allocator ({@code
 * FLAGS_use_virtual_memory_auto_growth}), with its two pools of small and large requests.
 *
 * <p><b>Rules.</b> A pool reserves as many addresses as the device has bytes and fills them from
 * the low end. Sizes are rounded up to 256 bytes. The smallest free block that is large enough
 * serves a request, the lowest among equals, with its low end; the rest stays free if the block is
 * more than twice the request or the rest more than 256 bytes. Without one, memory is mapped after
 * what there is: the request and 256 bytes, less a free block at the end, in whole units of 2 MiB.
 * Nothing goes back to the device. Requests up to the threshold have a pool of their own.
 *
 * <p><b>Source.</b> PaddlePaddle/Paddle, {@code
 * paddle/phi/core/memory/allocation/virtual_memory_auto_growth_best_fit_allocator.cc} (032d325).
 * Its functions, compiled with stubs, gave equal addresses, block sizes and mapped bytes in 240
 * random sequences of 300 operations for one pool (November 2026); the routing to two was read.
 *
 * <p><b>Deviations.</b> No compaction ({@code FLAGS_native_compact}, off by default), no
 * preallocation, none of the second version's pools.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of free blocks.
 * <b>Limits.</b> One thread.
 */
final class VirtualMemoryGrowth implements AllocatorPolicy {
  static final long ALIGNMENT_BYTES = 256;
  private static final long PAGE_BYTES = 2L << 20;

  /** Size assumed for a device that does not report its own: an H100 80GB. */
  private static final long ASSUMED_DEVICE_BYTES = 85_017_493_504L;

  private static final int NONE = BlockHeap.NONE;

  private final long maxSmallBytes;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final Pool small;
  private final Pool large;

  /** One range of addresses. */
  private static final class Pool {
    final SizeOrderedRows free;
    long base;
    long mappedBytes;
    int last = NONE;

    Pool(BlockHeap heap) {
      free = new SizeOrderedRows(heap);
    }
  }

  /**
   * An allocator that holds nothing.
   *
   * @param maxSmallBytes largest request of the small pool, 0 for a single pool
   * @param limitBytes most bytes it may hold, −1 for no limit
   */
  VirtualMemoryGrowth(
      long maxSmallBytes, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.maxSmallBytes = maxSmallBytes;
    this.device = LimitedMemory.of(device, limitBytes);
    refused = new RefusedRequests(limitBytes, this.device, listener);
    heap = new BlockHeap(listener);
    small = new Pool(heap);
    large = new Pool(heap);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long rangeBytes = rangeBytes();
    if (requestedBytes > rangeBytes) {
      return refused.report(allocation, requestedBytes, requestedBytes, requestedBytes, stream);
    }
    long bytes = roundedTo(requestedBytes, ALIGNMENT_BYTES);
    Pool from = requestedBytes <= maxSmallBytes ? small : large;
    int block = from.free.ceiling(bytes, 0);
    if (block == NONE && extend(from, bytes, rangeBytes, stream)) {
      block = from.free.ceiling(bytes, 0);
    }
    if (block == NONE) {
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    from.free.remove(block);
    long restBytes = heap.bytes(block) - bytes;
    if (heap.bytes(block) > 2 * bytes || restBytes > ALIGNMENT_BYTES) {
      int rest = heap.split(block, bytes);
      from.free.add(rest);
      if (block == from.last) {
        from.last = rest;
      }
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  private long rangeBytes() {
    long total = device.totalBytes();
    return roundedTo(total < 0 ? ASSUMED_DEVICE_BYTES : total, PAGE_BYTES);
  }

  /** Maps memory after a pool's last block, so that it holds a request; whether it could. */
  private boolean extend(Pool pool, long bytes, long rangeBytes, int stream) {
    boolean tailIsFree = pool.last != NONE && heap.isFree(pool.last);
    long missing = tailIsFree ? bytes - heap.bytes(pool.last) : bytes;
    long mapped = roundedTo(missing + ALIGNMENT_BYTES, PAGE_BYTES);
    if (mapped > rangeBytes - pool.mappedBytes) {
      return false;
    }
    if (pool.base == 0) {
      long base = device.reserve(rangeBytes, PAGE_BYTES, stream);
      if (base == DeviceMemory.REFUSED) {
        return false;
      }
      pool.base = base;
    }
    long address = pool.base + pool.mappedBytes;
    if (!device.map(address, mapped, PAGE_BYTES)) {
      return false;
    }
    pool.mappedBytes += mapped;
    int block = heap.map(pool.last, address, mapped, stream);
    if (tailIsFree) {
      pool.free.remove(pool.last);
      heap.mergeNext(pool.last);
      block = pool.last;
    }
    pool.last = block;
    pool.free.add(block);
    heap.settle();
    return true;
  }

  private static long roundedTo(long bytes, long unit) {
    return (bytes + unit - 1) & -unit;
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block == NONE) {
      return;
    }
    long address = heap.address(block);
    Pool pool =
        address - small.base >= 0 && address - small.base < small.mappedBytes ? small : large;
    int joined = FreeNeighbours.join(heap, pool.free, block);
    if (heap.next(joined) == NONE) {
      pool.last = joined;
    }
    heap.settle();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
