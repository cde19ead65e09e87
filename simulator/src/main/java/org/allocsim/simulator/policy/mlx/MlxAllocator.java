package org.allocsim.simulator.policy.mlx;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.jspecify.annotations.Nullable;

/**
 * What MLX's allocators have in common: buffers of exactly the rounded request, a {@link
 * BufferCache}, slots for the smallest, two limits. Which stream uses a buffer makes no difference.
 */
abstract class MlxAllocator implements AllocatorPolicy {
  /** Page size of Apple silicon, and the unit of the CUDA back end. */
  static final long PAGE_BYTES = 16 << 10;

  private static final int NONE = BlockHeap.NONE;

  /** More than any device has. */
  private static final long MAX_BYTES = 1L << 60;

  private final long slotBytes;
  private final long slotsBytes;
  private final long cacheLimitBytes;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final BlockHeap heap;

  /** The buffers that were freed. */
  private final BufferCache cache = new BufferCache(PAGE_BYTES, this::release);

  /** By block: size of the buffer, which a slot may exceed. */
  private long[] bufferBytes = new long[256];

  private long activeBytes;
  private @Nullable SmallSlots slots;
  private boolean started;

  /**
   * An allocator that holds nothing.
   *
   * @param slotBytes size of the slots for the smallest buffers
   * @param slotsBytes bytes of all slots
   */
  MlxAllocator(
      long slotBytes,
      long slotsBytes,
      MlxLimits limits,
      DeviceMemory device,
      EffectListener listener) {
    this.slotBytes = slotBytes;
    this.slotsBytes = slotsBytes;
    cacheLimitBytes = limits.cacheBytes();
    this.device = LimitedMemory.of(device, limits.heldBytes());
    refused = new RefusedRequests(limits.heldBytes(), this.device, listener);
    heap = new BlockHeap(listener);
  }

  /** Size of the buffer that serves a request of at least one byte. */
  abstract long roundedBytes(long requestedBytes);

  /** Whether a buffer of this size lies in a slot, if one is free. */
  abstract boolean isSmall(long bytes);

  /** Releases cached buffers before a new one is made; false where none may be. */
  abstract boolean makeRoom(BufferCache cache, long bytes);

  /** A new buffer was made, which does not count as active yet. */
  abstract void made(BufferCache cache, long bytes);

  /** A buffer went back to the device or to its slot. */
  abstract void released(long bytes);

  @Override
  public final long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = roundedBytes(requestedBytes);
    if (bytes > MAX_BYTES) {
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    int buffer = cache.reuse(bytes);
    if (buffer == NONE) {
      buffer = makeRoom(cache, bytes) ? make(bytes, stream) : NONE;
      if (buffer == NONE) {
        return refused.report(allocation, requestedBytes, bytes, bytes, stream);
      }
      made(cache, bytes);
    }
    activeBytes += bufferBytes[buffer];
    heap.take(buffer, allocation, requestedBytes, stream);
    if (cache.bytes() > cacheLimitBytes) {
      cache.release(cache.bytes() - cacheLimitBytes);
    }
    return heap.address(buffer);
  }

  private int make(long bytes, int stream) {
    start();
    int buffer = slots != null && isSmall(bytes) ? slots.take() : NONE;
    if (buffer == NONE) {
      long address = device.allocate(bytes);
      if (address == DeviceMemory.REFUSED) {
        return NONE;
      }
      buffer = heap.addSegment(address, bytes, stream);
    }
    if (buffer >= bufferBytes.length) {
      bufferBytes = Arrays.copyOf(bufferBytes, Math.max(buffer + 1, 2 * bufferBytes.length));
    }
    bufferBytes[buffer] = bytes;
    return buffer;
  }

  /** Obtains the memory of the slots, once. */
  private void start() {
    if (!started) {
      started = true;
      long address = device.allocate(slotsBytes);
      if (address != DeviceMemory.REFUSED) {
        slots = new SmallSlots(heap, heap.addSegment(address, slotsBytes, 0), slotBytes);
      }
    }
  }

  @Override
  public final void free(int allocation) {
    int buffer = heap.release(allocation);
    if (buffer == NONE) {
      return;
    }
    activeBytes -= bufferBytes[buffer];
    if (cache.bytes() < cacheLimitBytes) {
      cache.add(buffer, bufferBytes[buffer]);
    } else {
      release(buffer);
    }
    heap.settle();
  }

  private void release(int buffer) {
    released(bufferBytes[buffer]);
    if (isSlot(buffer)) {
      slots().give(buffer);
    } else {
      device.free(heap.address(buffer), heap.bytes(buffer));
      heap.removeSegment(buffer);
    }
  }

  private boolean isSlot(int buffer) {
    return slots != null && slots.has(buffer);
  }

  private SmallSlots slots() {
    if (slots == null) {
      throw new IllegalStateException("the allocator has no slots for small buffers");
    }
    return slots;
  }

  /** Bytes of buffers, in use or cached. */
  final long heldBytes() {
    return activeBytes + cache.bytes();
  }

  /** Releases all cached buffers ({@code mx.clear_cache}). */
  @Override
  public final void emptyCache() {
    cache.clear();
  }

  @Override
  public final void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }

  /** The size rounded up; sizes that cannot be rounded stay what no device has. */
  static long wholePages(long bytes) {
    return bytes > Long.MAX_VALUE - PAGE_BYTES
        ? Long.MAX_VALUE
        : (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
  }
}
