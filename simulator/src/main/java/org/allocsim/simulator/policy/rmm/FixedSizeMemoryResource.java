package org.allocsim.simulator.policy.rmm;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * RMM's {@code fixed_size_memory_resource}.
 *
 * <p><b>Rules.</b> Every request takes one block of one size; a larger request fails. Blocks come
 * from the device in chunks of many, and are used first in, first out by stream; see {@link
 * FixedSizeBlocks}. A stream counts from its first request on, even one that fails for its size.
 * Nothing goes back to the device.
 *
 * <p><b>Source.</b> rapidsai/rmm 5d50a37 (2026-07), {@code fixed_size_memory_resource_impl.cpp}.
 *
 * <p><b>Deviations.</b> The first chunk is taken at the first request, which fails where the device
 * refuses it; RMM's constructor fails. Other streams' queues are searched in the order in which the
 * streams first used the resource. All threads share one per-thread default stream.
 *
 * <p><b>Cost.</b> Constant time, beside the number of streams where the own queue is empty. A
 * refused request makes an {@link org.allocsim.simulator.effect.OutOfMemory}, which whoever listens
 * may keep; programs with blocks that are larger than this resource's are refused often. A request
 * that is served makes no object. <b>Limits.</b> One thread.
 */
public final class FixedSizeMemoryResource implements AllocatorPolicy {
  private final Upstream upstream;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final FixedSizeBlocks blocks;

  /**
   * A resource that holds nothing yet.
   *
   * @param blockBytes size of a block, a multiple of 256
   * @param chunkBlocks blocks taken from the device at a time
   * @param limitBytes most that the device gives, −1 for no limit
   */
  FixedSizeMemoryResource(
      long blockBytes,
      int chunkBlocks,
      long limitBytes,
      FutureRequests future,
      DeviceMemory device,
      EffectListener listener) {
    refused = new RefusedRequests(limitBytes, device, listener);
    upstream = new Upstream(device, limitBytes);
    heap = new BlockHeap(listener);
    blocks = new FixedSizeBlocks(blockBytes, chunkBlocks, upstream, heap, future);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    blocks.meet(stream);
    int block = BlockHeap.NONE;
    if (blocks.construct(stream) && requestedBytes <= blocks.blockBytes()) {
      block = blocks.next(stream);
    }
    if (block == BlockHeap.NONE) {
      return refused.report(
          allocation,
          requestedBytes,
          Upstream.alignUp(requestedBytes),
          blocks.blockBytes(),
          stream);
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  @Override
  public void free(int allocation) {
    free(allocation, AllocationTrace.UNKNOWN_STREAM);
  }

  @Override
  public void free(int allocation, int stream) {
    int block = heap.release(allocation);
    if (block != BlockHeap.NONE) {
      blocks.takeBack(
          block, stream == AllocationTrace.UNKNOWN_STREAM ? heap.stream(block) : stream);
      heap.settle();
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
