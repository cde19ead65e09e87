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
 * RMM's {@code binning_memory_resource} above the device.
 *
 * <p><b>Rules.</b> There is a bin of {@link FixedSizeBlocks} for every power of two of a range. A
 * request is served by the smallest bin whose blocks hold it; one that is larger than all goes to
 * the device, and back to it when it is freed. Every bin takes a first chunk of 128 blocks, whether
 * it is used or not.
 *
 * <p><b>Source.</b> rapidsai/rmm 5d50a37 (2026-07), {@code binning_memory_resource_impl.cpp}.
 *
 * <p><b>Deviations.</b> As {@link FixedSizeMemoryResource}; the first chunks of all bins are taken
 * at the first request, smallest bin first, and those obtained before a refusal are kept.
 *
 * <p><b>Cost.</b> Constant time, and a device call for every request above the largest bin.
 * <b>Limits.</b> One thread; bins directly above the device.
 */
public final class BinningMemoryResource implements AllocatorPolicy {
  /** Blocks of a chunk ({@code default_blocks_to_preallocate}). */
  static final int CHUNK_BLOCKS = 128;

  private final int minExponent;
  private final FixedSizeBlocks[] bins;
  private final Upstream upstream;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private boolean constructed;

  /**
   * A resource that holds nothing yet.
   *
   * @param minExponent log2 of the smallest bin, at least 8
   * @param maxExponent log2 of the largest bin
   * @param limitBytes most that the device gives, −1 for no limit
   */
  BinningMemoryResource(
      int minExponent,
      int maxExponent,
      long limitBytes,
      FutureRequests future,
      DeviceMemory device,
      EffectListener listener) {
    this.minExponent = minExponent;
    refused = new RefusedRequests(limitBytes, device, listener);
    upstream = new Upstream(device, limitBytes);
    heap = new BlockHeap(listener);
    bins = new FixedSizeBlocks[maxExponent - minExponent + 1];
    for (int i = 0; i < bins.length; i++) {
      bins[i] = new FixedSizeBlocks(1L << (minExponent + i), CHUNK_BLOCKS, upstream, heap, future);
    }
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    int bin = bin(requestedBytes);
    int block = BlockHeap.NONE;
    if (construct(stream)) {
      block = bin < bins.length ? bins[bin].next(stream) : obtain(requestedBytes, stream);
    }
    if (block == BlockHeap.NONE) {
      heap.settle();
      long bytes = bin < bins.length ? bins[bin].blockBytes() : requestedBytes;
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  private boolean construct(int stream) {
    if (!constructed) {
      boolean all = true;
      for (FixedSizeBlocks bin : bins) {
        all = all && bin.construct(stream);
      }
      constructed = all;
    }
    return constructed;
  }

  /** The bin of a size; the number of bins for one that is larger than all. */
  private int bin(long requestedBytes) {
    int exponent = 64 - Long.numberOfLeadingZeros(requestedBytes - 1);
    return Math.min(Math.max(0, exponent - minExponent), bins.length);
  }

  private int obtain(long bytes, int stream) {
    long address = upstream.allocate(bytes);
    return address == DeviceMemory.REFUSED
        ? BlockHeap.NONE
        : heap.addSegment(address, bytes, stream);
  }

  @Override
  public void free(int allocation) {
    free(allocation, AllocationTrace.UNKNOWN_STREAM);
  }

  @Override
  public void free(int allocation, int stream) {
    int block = heap.release(allocation);
    if (block == BlockHeap.NONE) {
      return;
    }
    int bin = bin(heap.requestedBytes(block));
    if (bin < bins.length) {
      bins[bin].takeBack(
          block, stream == AllocationTrace.UNKNOWN_STREAM ? heap.stream(block) : stream);
    } else {
      long address = heap.address(block);
      long bytes = heap.bytes(block);
      heap.removeSegment(block);
      upstream.free(address, bytes);
    }
    heap.settle();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
