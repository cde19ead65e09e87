package org.allocsim.simulator.policy.ggml;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * ggml-cuda's pool with virtual memory ({@code ggml_cuda_pool_vmm}), the usual one on NVIDIA's
 * GPUs.
 *
 * <p><b>Rules.</b> A pool of a stream is a stack at the start of a reserved range of 32 GiB. Sizes
 * are rounded up to 128 bytes. If the top of the stack does not hold a request, the missing bytes,
 * rounded up to the granularity of the device, are created as one handle and mapped after the rest.
 * A request that would pass 32 GiB fails, as does one for which the device has no memory; nothing
 * is returned to the device before the program ends. Memory is freed in reverse order of allocation
 * only: ggml asserts it.
 *
 * <p><b>Source.</b> ggml-org/ggml d99724f2 (2026-08-21), {@code src/ggml-cuda/ggml-cuda.cu}. On
 * 2026-11-29 the pool's class was compiled with a device of its own and driven by 400 random
 * sequences of 300 operations on one to three streams, with granularities of 64 KiB and 2 MiB:
 * addresses, block sizes, what the device held and which requests failed were equal. {@code
 * RecordedPolicyScriptsTest} keeps some of them.
 *
 * <p><b>Deviations.</b> A request of 0 bytes gets the null address. A request that fails ends a
 * program that uses ggml. With {@code frees=deferred}, for programs that free in another order, a
 * block below the top stays in the stack until all blocks above it are freed: what such a program
 * would hold if its allocator was this stack. That is a model; statistics count a block that is
 * held as requested.
 *
 * <p><b>Cost.</b> A request or free takes amortized constant time. <b>Limits.</b> One thread.
 */
final class StackPool implements AllocatorPolicy {
  /** Addresses that a pool reserves, which it never exceeds. */
  static final long RANGE_BYTES = 1L << 35;

  private static final long UNIT_BYTES = 128;
  private static final int NONE = BlockHeap.NONE;

  private final long granularityBytes;
  private final boolean defersFrees;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final BlockHeap heap;

  /** By stream: start of its range, 0 before the first request. */
  private long[] rangeAddress = new long[1];

  /** By stream: bytes mapped. */
  private long[] mappedBytes = new long[1];

  /** By stream: the highest block in use. */
  private int[] top = new int[1];

  /** By stream: the free memory above the top. */
  private int[] rest = new int[1];

  /**
   * A pool that holds nothing.
   *
   * @param granularityBytes unit in which memory is created
   * @param defersFrees whether blocks below the top may be freed; otherwise such a free throws an
   *     {@link IllegalStateException}
   * @param limitBytes most bytes it may hold, −1 for no limit
   * @param device where its memory comes from
   * @param listener receives what it does
   */
  StackPool(
      long granularityBytes,
      boolean defersFrees,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.granularityBytes = granularityBytes;
    this.defersFrees = defersFrees;
    this.device = LimitedMemory.of(device, limitBytes);
    refused = new RefusedRequests(limitBytes, this.device, listener);
    heap = new BlockHeap(listener);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    addStream(stream);
    if (requestedBytes > RANGE_BYTES) {
      return refused.report(allocation, requestedBytes, requestedBytes, requestedBytes, stream);
    }
    long bytes = (requestedBytes + UNIT_BYTES - 1) & -UNIT_BYTES;
    long missingBytes = bytes - (rest[stream] == NONE ? 0 : heap.bytes(rest[stream]));
    if (missingBytes > 0) {
      long units = (missingBytes + granularityBytes - 1) / granularityBytes;
      long newBytes = units * granularityBytes;
      if (!grow(stream, newBytes)) {
        return refused.report(allocation, requestedBytes, bytes, newBytes, stream);
      }
    }
    int block = rest[stream];
    rest[stream] = heap.bytes(block) > bytes ? heap.split(block, bytes) : NONE;
    top[stream] = block;
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  /** Maps one handle after what is mapped; false if the range or the device is too small. */
  private boolean grow(int stream, long newBytes) {
    if (newBytes > RANGE_BYTES - mappedBytes[stream] || !reserve(stream)) {
      return false;
    }
    long address = rangeAddress[stream] + mappedBytes[stream];
    if (!device.map(address, newBytes, newBytes)) {
      return false;
    }
    mappedBytes[stream] += newBytes;
    int last = rest[stream] == NONE ? top[stream] : rest[stream];
    int mapped = heap.map(last, address, newBytes, stream);
    if (rest[stream] == NONE) {
      rest[stream] = mapped;
    } else {
      heap.mergeNext(rest[stream]);
    }
    return true;
  }

  private boolean reserve(int stream) {
    if (rangeAddress[stream] == 0) {
      long address = device.reserve(RANGE_BYTES, granularityBytes, stream);
      if (address == DeviceMemory.REFUSED) {
        return false;
      }
      rangeAddress[stream] = address;
    }
    return true;
  }

  private void addStream(int stream) {
    if (stream >= top.length) {
      int count = Math.max(stream + 1, top.length + (top.length >> 1));
      rangeAddress = Arrays.copyOf(rangeAddress, count);
      mappedBytes = Arrays.copyOf(mappedBytes, count);
      top = Arrays.copyOf(top, count);
      rest = Arrays.copyOf(rest, count);
    }
  }

  @Override
  public void free(int allocation) {
    int block = heap.requestFree(allocation);
    if (block == NONE) {
      return;
    }
    int stream = heap.stream(block);
    if (block != top[stream]) {
      if (!defersFrees) {
        throw new IllegalStateException("a block below the top of the stack is freed");
      }
      return;
    }
    while (top[stream] != NONE && heap.isPending(top[stream])) {
      int freed = top[stream];
      top[stream] = heap.previous(freed);
      heap.completeFree(freed);
      if (rest[stream] != NONE) {
        heap.mergeNext(freed);
      }
      rest[stream] = freed;
    }
    heap.settle();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
