package example.exactcache;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * A cache of blocks that are reused for exactly their size.
 *
 * <p><b>Rules.</b> A request is rounded up to a multiple of the unit. The block of that size that
 * was freed last serves it; without one the device is asked. When the device refuses, all cached
 * blocks go back to it and it is asked once more. Blocks are neither split nor merged.
 *
 * <p><b>Source.</b> None: this is the template of a policy.
 */
final class ExactCacheAllocator implements AllocatorPolicy {
  private final long unitBytes;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;

  /** Keeps the books of segments and blocks, and reports them to the listener. */
  private final BlockHeap heap;

  /** Free blocks by size, the one freed last first. */
  private final TreeMap<Long, Deque<Integer>> cache = new TreeMap<>();

  ExactCacheAllocator(
      long unitBytes, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.unitBytes = unitBytes;
    this.limitBytes = limitBytes;
    this.device = LimitedMemory.of(device, limitBytes);
    this.listener = listener;
    heap = new BlockHeap(listener);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = rounded(requestedBytes);
    Deque<Integer> cached = cache.get(bytes);
    int block = cached == null || cached.isEmpty() ? obtain(bytes, stream) : cached.pop();
    if (block == BlockHeap.NONE) {
      listener.outOfMemory(
          new OutOfMemory(
              allocation,
              requestedBytes,
              bytes,
              bytes,
              stream,
              limitBytes,
              0,
              device.freeBytes(),
              device.totalBytes()));
      return OUT_OF_MEMORY;
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  /** A request that no device can serve must not overflow. */
  private long rounded(long requestedBytes) {
    return requestedBytes > Long.MAX_VALUE - unitBytes
        ? Long.MAX_VALUE
        : (requestedBytes + unitBytes - 1) / unitBytes * unitBytes;
  }

  private int obtain(long bytes, int stream) {
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      listener.allocationRetried();
      emptyCache();
      address = device.allocate(bytes);
    }
    return address == DeviceMemory.REFUSED
        ? BlockHeap.NONE
        : heap.addSegment(address, bytes, stream);
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block != BlockHeap.NONE) {
      cache.computeIfAbsent(heap.bytes(block), _ -> new ArrayDeque<>()).push(block);
    }
  }

  @Override
  public void emptyCache() {
    for (Deque<Integer> blocks : cache.values()) {
      for (int block : blocks) {
        device.free(heap.address(block), heap.bytes(block));
        heap.removeSegment(block);
      }
    }
    cache.clear();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
