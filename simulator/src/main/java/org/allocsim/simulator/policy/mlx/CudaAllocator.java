package org.allocsim.simulator.policy.mlx;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;

/**
 * MLX's allocator on CUDA ({@code CudaAllocator}).
 *
 * <p><b>Rules.</b> Sizes are 8, powers of two below 16 KiB, and multiples of 16 KiB. The cache is
 * that of {@link MetalAllocator}, its page 16 KiB on every GPU. If buffers in use, cached buffers
 * and the request exceed the memory limit (95 % of the device), cached buffers are released for the
 * excess. Buffers of 8 bytes come from a pool of 64 KiB of unified memory, the one freed last
 * first; others are made in exactly their size. If the driver's pool then holds more than 95 % of
 * the device, cached buffers of the remaining 5 % are released. The device is asked once: a refusal
 * fails.
 *
 * <p><b>Source.</b> ml-explore/mlx 846d1762 (2026-08-22), {@code mlx/backend/common/buffer_cache.h}
 * and {@code mlx/backend/cuda/allocator.cpp}. On 2026-11-29 both were compiled with a mock of CUDA
 * and driven by 400 random sequences, most of 300 operations, with and without memory pools and
 * with limits of memory and cache: addresses, buffer sizes, what was held and released, and which
 * requests failed were equal. {@code RecordedPolicyScriptsTest} keeps some of them.
 *
 * <p><b>Deviations.</b> All requests are for the GPU; memory that moves to the host's side is not
 * modelled. Buffers are segments of the device; what the driver's pool ({@code cudaMallocAsync})
 * reserves on top, and when it returns memory, is not modelled.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of cached buffers.
 * <b>Limits.</b> One thread.
 */
final class CudaAllocator extends MlxAllocator {
  private static final long SLOT_BYTES = 8;

  /** Bytes of the slots for the smallest buffers. */
  static final long SLOTS_BYTES = 4 * PAGE_BYTES;

  private final long memoryLimitBytes;
  private final boolean hasPools;
  private final long deviceLimitBytes;
  private final long reserveBytes;

  /** Bytes of buffers that are not from the driver's pool. */
  private long unifiedBytes;

  /**
   * An allocator that holds nothing.
   *
   * @param hasPools whether the device has pools of stream-ordered memory
   */
  CudaAllocator(boolean hasPools, MlxLimits limits, DeviceMemory device, EffectListener listener) {
    super(SLOT_BYTES, SLOTS_BYTES, limits, device, listener);
    this.hasPools = hasPools;
    memoryLimitBytes = limits.memoryBytes();
    deviceLimitBytes = ownLimitBytes(limits.deviceBytes());
    reserveBytes = limits.deviceBytes() - deviceLimitBytes;
  }

  /** MLX's own memory limit: 95 % of the device. */
  static long ownLimitBytes(long deviceBytes) {
    return (long) (0.95 * deviceBytes);
  }

  @Override
  long roundedBytes(long requestedBytes) {
    if (requestedBytes <= SLOT_BYTES) {
      return SLOT_BYTES;
    }
    return requestedBytes < PAGE_BYTES
        ? Long.highestOneBit(requestedBytes - 1) << 1
        : wholePages(requestedBytes);
  }

  @Override
  boolean isSmall(long bytes) {
    return bytes == SLOT_BYTES;
  }

  @Override
  boolean makeRoom(BufferCache cache, long bytes) {
    long freeBytes = memoryLimitBytes - heldBytes();
    if (bytes > freeBytes) {
      cache.release(bytes - freeBytes);
    }
    return true;
  }

  @Override
  void made(BufferCache cache, long bytes) {
    unifiedBytes += isSmall(bytes) ? bytes : 0;
    long pooledBytes = heldBytes() + bytes - unifiedBytes;
    if (hasPools && cache.bytes() > 0 && pooledBytes > deviceLimitBytes) {
      cache.release(reserveBytes);
    }
  }

  @Override
  void released(long bytes) {
    unifiedBytes -= isSmall(bytes) ? bytes : 0;
  }
}
