package org.allocsim.simulator.policy.direct;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * No allocator at all: every request is a call of the driver.
 *
 * <p><b>Rules.</b> A request is one {@code cudaMalloc} of its size, a free one {@code cudaFree},
 * which waits for all work of the device first; so uses on other streams have always finished. Each
 * block is a segment of its own, of the requested size. What pages the driver takes for it, and
 * which small blocks share one, is the device's business and shows in its free bytes.
 *
 * <p><b>Source.</b> CUDA C++ programming guide, stream-ordered memory allocator: both calls
 * synchronise across all streams; the device's rules come from recordings of driver 580.
 *
 * <p><b>Deviations.</b> None known. <b>Cost.</b> That of the device. <b>Limits.</b> None.
 */
public final class DirectAllocator implements AllocatorPolicy {
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private long reservedBytes;

  /**
   * An allocator that holds nothing.
   *
   * @param limitBytes most bytes that it may ask of the device, −1 for no limit
   * @param device serves the requests
   * @param listener receives what happens
   */
  public DirectAllocator(long limitBytes, DeviceMemory device, EffectListener listener) {
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    heap = new BlockHeap(listener);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    boolean allowed = limitBytes < 0 || requestedBytes <= limitBytes - reservedBytes;
    long address = allowed ? device.allocate(requestedBytes) : DeviceMemory.REFUSED;
    if (address == DeviceMemory.REFUSED) {
      return refused.report(allocation, requestedBytes, requestedBytes, requestedBytes, stream);
    }
    reservedBytes += requestedBytes;
    heap.take(heap.addSegment(address, requestedBytes, stream), allocation, requestedBytes);
    return address;
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block == BlockHeap.NONE) {
      return;
    }
    long bytes = heap.bytes(block);
    device.free(heap.address(block), bytes);
    reservedBytes -= bytes;
    listener.streamsSynchronized();
    heap.removeSegment(block);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
