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
 * ggml-cuda's legacy pool ({@code ggml_cuda_pool_leg}), used on GPUs without virtual memory
 * management and in builds with {@code GGML_CUDA_NO_VMM}.
 *
 * <p><b>Rules.</b> A pool of a stream caches at most 256 buffers in as many places. The cached
 * buffer with the least excess serves a request and is neither split nor returned in part; among
 * equals the one in the first place, and none whose excess is 64 GiB or more. Otherwise the device
 * is asked for the request times 1.05, rounded up to 256 bytes. If it refuses, all cached buffers
 * of the pool go back to it, and it is asked once more. A freed buffer takes the first empty place;
 * without one it goes back to the device.
 *
 * <p><b>Source.</b> ggml-org/ggml d99724f2 (2026-08-21), {@code src/ggml-cuda/ggml-cuda.cu}. On
 * 2026-11-29 the pool's class was compiled with a device of its own and driven by 400 random
 * sequences of 300 or 1200 operations on one to three streams: addresses, block sizes, what the
 * device held and what went back to it were equal, with 256 full places and refusals among them.
 * {@code RecordedPolicyScriptsTest} keeps some of them.
 *
 * <p><b>Deviations.</b> A request of 0 bytes gets the null address; ggml hands out its smallest
 * cached buffer. A request that fails twice ends a program that uses ggml. Emptying the cache,
 * which no program can ask ggml for, does what a refusal does, for the pools of all streams.
 *
 * <p><b>Cost.</b> A request or free looks at 256 places. <b>Limits.</b> One thread.
 */
final class LegacyPool implements AllocatorPolicy {
  /** Buffers that a pool caches. */
  static final int PLACES = 256;

  /** A cached buffer that is this much larger than a request does not serve it. */
  private static final long MAX_EXCESS_BYTES = 1L << 36;

  /** How much more than the request the device is asked for. */
  private static final double LOOK_AHEAD = 1.05;

  private static final long UNIT_BYTES = 256;
  private static final int NONE = BlockHeap.NONE;

  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;

  /** By stream: the cached buffer in each place. */
  private int[][] places = new int[0][];

  /**
   * A pool that holds nothing.
   *
   * @param limitBytes most bytes it may hold, −1 for no limit
   * @param device where its buffers come from
   * @param listener receives what it does; every buffer is a segment of its own
   */
  LegacyPool(long limitBytes, DeviceMemory device, EffectListener listener) {
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
    int[] cached = places(stream);
    int place = bestPlace(cached, requestedBytes);
    int buffer;
    if (place >= 0) {
      buffer = cached[place];
      cached[place] = NONE;
    } else {
      long bytes = lookAheadBytes(requestedBytes);
      long address = obtain(bytes, cached);
      if (address == DeviceMemory.REFUSED) {
        return refused.report(allocation, requestedBytes, bytes, bytes, stream);
      }
      buffer = heap.addSegment(address, bytes, stream);
    }
    heap.take(buffer, allocation, requestedBytes, stream);
    return heap.address(buffer);
  }

  /** The place of the cached buffer with the least excess, −1 if none serves the request. */
  private int bestPlace(int[] cached, long requestedBytes) {
    long minExcess = MAX_EXCESS_BYTES;
    int best = -1;
    for (int place = 0; place < PLACES; place++) {
      if (cached[place] != NONE) {
        long excess = heap.bytes(cached[place]) - requestedBytes;
        if (excess >= 0 && excess < minExcess) {
          minExcess = excess;
          best = place;
        }
      }
    }
    return best;
  }

  /** What the device is asked for; a size that no device has if that is more than a long holds. */
  private static long lookAheadBytes(long requestedBytes) {
    long bytes = (long) (LOOK_AHEAD * requestedBytes);
    return bytes > Long.MAX_VALUE - UNIT_BYTES
        ? Long.MAX_VALUE
        : (bytes + UNIT_BYTES - 1) & -UNIT_BYTES;
  }

  private long obtain(long bytes, int[] cached) {
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      listener.allocationRetried();
      flush(cached);
      address = device.allocate(bytes);
    }
    return address;
  }

  private int[] places(int stream) {
    if (stream >= places.length) {
      int known = places.length;
      places = Arrays.copyOf(places, Math.max(stream + 1, known + (known >> 1)));
      for (int i = known; i < places.length; i++) {
        places[i] = new int[PLACES];
      }
    }
    return places[stream];
  }

  @Override
  public void free(int allocation) {
    int buffer = heap.release(allocation);
    if (buffer == NONE) {
      return;
    }
    int[] cached = places[heap.stream(buffer)];
    for (int place = 0; place < PLACES; place++) {
      if (cached[place] == NONE) {
        cached[place] = buffer;
        return;
      }
    }
    release(buffer);
  }

  private void release(int buffer) {
    device.free(heap.address(buffer), heap.bytes(buffer));
    heap.removeSegment(buffer);
  }

  /** Gives the cached buffers of a pool back, in the order of their places ({@code clear_pool}). */
  private void flush(int[] cached) {
    for (int place = 0; place < PLACES; place++) {
      if (cached[place] != NONE) {
        release(cached[place]);
        cached[place] = NONE;
      }
    }
  }

  @Override
  public void emptyCache() {
    for (int[] cached : places) {
      flush(cached);
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
