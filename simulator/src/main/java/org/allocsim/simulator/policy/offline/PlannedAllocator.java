package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.AddressOrder;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Serves requests from one segment, each at the place that a plan made beforehand gives it.
 *
 * <p><b>Rules.</b> At the first request the device is asked for one segment as high as the plan,
 * which is kept. Sizes are rounded up to the alignment. Requests that are larger than the device or
 * the limit are not part of the plan; they fail. Where the plan itself is higher, every request
 * fails. On which stream memory is used and freed makes no difference, nor do private pools.
 *
 * <p><b>Source.</b> Static memory planning as in TensorFlow Lite and MiniMalloc; the planners name
 * theirs.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of gaps, beside what the
 * planner took. <b>Limits.</b> The trace must be known as a whole.
 */
final class PlannedAllocator implements AllocatorPolicy {
  private static final int NONE = BlockHeap.NONE;

  /** In place of an offset. */
  private static final long NOT_PLANNED = -1;

  private final long heightBytes;
  private final long alignmentBytes;
  private final long[] offsets;
  private final long limitBytes;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final BlockHeap heap;

  /** The gaps, which are searched by address only: their sizes are left out. */
  private final AddressOrder free = new AddressOrder();

  private long baseAddress;
  private boolean started;

  /**
   * An allocator that holds nothing.
   *
   * @param planned which allocations the plan places
   * @param plan where
   */
  PlannedAllocator(
      Lifetimes.OfTrace planned,
      Plan plan,
      long alignmentBytes,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.heightBytes = plan.heightBytes();
    this.alignmentBytes = alignmentBytes;
    this.limitBytes = limitBytes;
    this.device = device;
    refused = new RefusedRequests(limitBytes, device, listener);
    heap = new BlockHeap(listener);
    offsets = new long[planned.allocationCount()];
    Arrays.fill(offsets, NOT_PLANNED);
    for (int buffer = 0; buffer < plan.offsets().length; buffer++) {
      offsets[planned.allocations()[buffer]] = plan.offsets()[buffer];
    }
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    boolean planned = allocation < offsets.length && offsets[allocation] != NOT_PLANNED;
    if (!planned || !start()) {
      return refused.report(
          allocation,
          requestedBytes,
          requestedBytes,
          planned ? heightBytes : requestedBytes,
          stream);
    }
    long address = baseAddress + offsets[allocation];
    long bytes = PlanOptions.roundUp(requestedBytes, alignmentBytes);
    int block = carve(address, bytes);
    heap.take(block, allocation, requestedBytes, stream);
    return address;
  }

  private boolean start() {
    if (started) {
      return true;
    }
    if (limitBytes >= 0 && heightBytes > limitBytes) {
      return false;
    }
    long address = device.allocate(heightBytes);
    if (address == DeviceMemory.REFUSED) {
      return false;
    }
    started = true;
    baseAddress = address;
    free.add(heap.addSegment(address, heightBytes, 0), address, 0);
    return true;
  }

  /** Makes a free block of its own from a part of a gap. */
  private int carve(long address, long bytes) {
    int gap = free.floor(address);
    if (gap == NONE || heap.address(gap) + heap.bytes(gap) - address < bytes) {
      throw new IllegalStateException("the requests differ from those the plan was made for");
    }
    int block = gap;
    if (heap.address(gap) < address) {
      block = heap.split(gap, address - heap.address(gap));
    } else {
      free.remove(gap);
    }
    if (heap.bytes(block) > bytes) {
      int rest = heap.split(block, bytes);
      free.add(rest, heap.address(rest), 0);
    }
    return block;
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block == NONE) {
      return;
    }
    if (heap.isFree(heap.next(block))) {
      free.remove(heap.next(block));
      heap.mergeNext(block);
    }
    int previous = heap.previous(block);
    if (heap.isFree(previous)) {
      heap.mergeNext(previous);
    } else {
      free.add(block, heap.address(block), 0);
    }
    heap.settle();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
