package org.allocsim.simulator.policy.mlx;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;

/**
 * MLX's allocator on Apple's GPUs ({@code MetalAllocator}).
 *
 * <p><b>Rules.</b> Sizes above a page (16 KiB) are rounded up to whole pages. The smallest cached
 * buffer that holds a request serves it if it is below min(2 n, n + 2 pages), the oldest among
 * equals, whole. Otherwise, if buffers in use, cached buffers and the request reach the limit of
 * collection (the memory limit, but no more than 95 % of the recommended working set), cached
 * buffers are released, the oldest first, until it is kept; all of them, by size, if that is nine
 * tenths of the cache or if there are too many buffers. Then a buffer of exactly the rounded size
 * is made: below 256 bytes in a heap of 1 MiB with 4096 places, else by the device. The memory
 * limit itself refuses nothing. After each request the cache is trimmed to its limit; a freed
 * buffer is cached while the cache is below it.
 *
 * <p><b>Source.</b> ml-explore/mlx 846d1762 (2026-08-22), {@code mlx/backend/common/buffer_cache.h}
 * and {@code mlx/backend/metal/allocator.cpp}. On 2026-11-29 both were compiled with a mock of
 * Metal and driven by 400 random sequences of 300 operations, with limits of memory, cache and
 * number of buffers: addresses, buffer sizes, what was held and released, and which requests failed
 * were equal. {@code RecordedPolicyScriptsTest} keeps some of them.
 *
 * <p><b>Deviations.</b> Which place of the heap Metal takes is not published: here the one freed
 * last. The largest buffer that Metal makes is not modelled, nor that MLX waits for running work
 * while the memory in use exceeds the limit. The wired limit ({@code mx.set_wired_limit}) decides
 * what stays resident and changes neither sizes nor addresses. The device gives buffers as a CUDA
 * device does. A refused request ends the operation with an exception.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of cached buffers.
 * <b>Limits.</b> One thread.
 */
final class MetalAllocator extends MlxAllocator {
  private static final long SLOT_BYTES = 256;

  /** Bytes of the slots for the smallest buffers. */
  static final long SLOTS_BYTES = 1 << 20;

  private final long collectionBytes;
  private final long maxBuffers;
  private long buffers;

  /**
   * An allocator that holds nothing.
   *
   * @param workingSetBytes what Metal recommends as the largest working set
   * @param maxBuffers number of buffers that may exist ({@code iogpu.rsrc_limit})
   */
  MetalAllocator(
      long workingSetBytes,
      long maxBuffers,
      MlxLimits limits,
      DeviceMemory device,
      EffectListener listener) {
    super(SLOT_BYTES, SLOTS_BYTES, limits, device, listener);
    this.maxBuffers = maxBuffers;
    collectionBytes = Math.min((long) (0.95 * workingSetBytes), limits.memoryBytes());
  }

  /** MLX's own memory limit: 1.5 times the working set, no more than 95 % of the memory. */
  static long ownLimitBytes(long deviceBytes, long workingSetBytes) {
    return (long) Math.min(1.5 * workingSetBytes, 0.95 * deviceBytes);
  }

  @Override
  long roundedBytes(long requestedBytes) {
    return requestedBytes > PAGE_BYTES ? wholePages(requestedBytes) : requestedBytes;
  }

  @Override
  boolean isSmall(long bytes) {
    return bytes < SLOT_BYTES;
  }

  @Override
  boolean makeRoom(BufferCache cache, long bytes) {
    long freeBytes = collectionBytes - heldBytes();
    if (bytes >= freeBytes) {
      cache.release(bytes - freeBytes);
    } else if (buffers >= maxBuffers) {
      // The unsigned difference in the source is huge here, so that all are released.
      cache.clear();
    }
    return buffers < maxBuffers;
  }

  @Override
  void made(BufferCache cache, long bytes) {
    buffers++;
  }

  @Override
  void released(long bytes) {
    buffers--;
  }
}
