package org.allocsim.simulator.policy.offline;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * The bound that no allocator passes: it holds exactly the bytes that are live.
 *
 * <p><b>Rules.</b> Each allocation is a segment of just its bytes, which comes and goes with it, as
 * if memory could be moved for nothing. Addresses are made up, and the device is only asked how
 * large it is: a request fails where the live bytes do not fit into the device or the limit, so
 * that its failure shows that no allocator can serve the trace there.
 *
 * <p><b>Cost.</b> Constant time for a request or free. <b>Limits.</b> It is no allocator; pages and
 * rounding, which real ones pay, are not in it.
 */
final class MaxLive implements AllocatorPolicy {
  /** Made-up addresses begin here: not at the null address. */
  private static final long FIRST_ADDRESS = 1L << 40;

  private final long maxBytes;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final BlockHeap heap;
  private long liveBytes;
  private long nextAddress = FIRST_ADDRESS;

  MaxLive(long limitBytes, DeviceMemory device, EffectListener listener) {
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    long limit = limitBytes < 0 ? Long.MAX_VALUE : limitBytes;
    maxBytes = Math.min(limit, device.freeBytes());
    heap = new BlockHeap(listener);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > maxBytes - liveBytes) {
      listener.outOfMemory(
          new OutOfMemory(
              allocation,
              requestedBytes,
              requestedBytes,
              requestedBytes,
              stream,
              limitBytes,
              0,
              device.freeBytes() - liveBytes,
              device.totalBytes()));
      return OUT_OF_MEMORY;
    }
    long address = nextAddress;
    nextAddress += requestedBytes;
    liveBytes += requestedBytes;
    heap.take(heap.addSegment(address, requestedBytes, stream), allocation, requestedBytes);
    return address;
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block != BlockHeap.NONE) {
      liveBytes -= heap.bytes(block);
      heap.removeSegment(block);
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
