package org.allocsim.simulator.policy.mps;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.policy.mps.BufferPool.Buffer;
import org.allocsim.simulator.policy.mps.BufferPool.Heap;
import org.jspecify.annotations.Nullable;

/**
 * PyTorch's allocator on Apple's GPUs (MPS).
 *
 * <p><b>Rules.</b> Buffers up to 1 MiB and larger ones have a pool each. A request takes the
 * smallest cached buffer that is large enough and at most 32 MiB larger, whole. If the smallest is
 * larger than that, and no heap has room, it is released to make room in its heap. Else a buffer is
 * made in the heap with the least sufficient room, or in a new one: 8 MiB for small requests, 32
 * MiB below 10 MiB, 1 GiB below 512 MiB, else the request in steps of 2 MiB; above the low
 * watermark requests from 10 MiB on get heaps made to measure. Above it cached buffers of at least
 * average age are released too, if the pool has more than the request. What fails (the high
 * watermark, the device) is tried again after a sufficient cached buffer, or the largest ones, were
 * released, and after all were. A heap whose last buffer is released goes back.
 *
 * <p><b>Source.</b> pytorch/pytorch, {@code aten/src/ATen/mps/MPSAllocator.h} and {@code .mm}, main
 * of 2025 and 2026 (57ba412 and 01f98b3); read, not driven: it needs Metal.
 *
 * <p><b>Deviations.</b> Metal decides where a buffer lies in its heap; here in the smallest
 * sufficient piece. Buffers of one size are taken in the order in which they were made, not by the
 * address of an object. Nothing is in use by commands that have not finished, so every freed buffer
 * can be released at once. Scalars (8 bytes and less) share the small pool.
 *
 * <p><b>Cost.</b> A request is a few searches in balanced trees; above the low watermark it looks
 * at all cached buffers. <b>Limits.</b> One thread; 2<sup>61</sup> bytes.
 */
final class MpsAllocator implements AllocatorPolicy {
  private static final long MIB = 1L << 20;
  private static final long MAX_SMALL_BYTES = MIB;
  private static final long SMALL_HEAP_BYTES = 8 * MIB;
  private static final long MIN_LARGE_BYTES = 10 * MIB;
  private static final long LARGE_HEAP_BYTES = 32 * MIB;
  private static final long LARGEST_HEAP_BYTES = 1024 * MIB;
  private static final long ROUND_BYTES = 2 * MIB;
  private static final int NONE = BlockHeap.NONE;

  private final MpsSettings settings;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final BlockHeap blocks;
  private final SizeOrderedRows noSpaces;
  private final BufferPool small = new BufferPool(true);
  private final BufferPool large = new BufferPool(false);
  private @Nullable Buffer[] bufferOf = new Buffer[256];

  /** Blocks that are free pieces of their heaps rather than buffers. */
  private final BitSet spaces = new BitSet();

  private long totalBytes;
  private long heapCount;
  private long bufferCount;

  /** What one request needs. */
  private static final class Wanted {
    final long bytes;
    final BufferPool pool;
    boolean isPressed;

    Wanted(long bytes, BufferPool pool, boolean isPressed) {
      this.bytes = bytes;
      this.pool = pool;
      this.isPressed = isPressed;
    }
  }

  /**
   * An allocator that holds nothing.
   *
   * @param limitBytes most bytes that its heaps may take from the device, −1 without a limit
   */
  MpsAllocator(
      MpsSettings settings, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.settings = settings;
    this.device = LimitedMemory.of(device, limitBytes);
    long high = settings.highWatermarkBytes();
    long watermark = high == MpsSettings.UNLIMITED ? -1 : high;
    refused = new RefusedRequests(limitBytes >= 0 ? limitBytes : watermark, this.device, listener);
    blocks = new BlockHeap(listener);
    noSpaces = new SizeOrderedRows(blocks);
  }

  /** Serves a request; stream and private pool make no difference. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes >= MpsSettings.UNLIMITED) {
      return refused.report(allocation, requestedBytes, requestedBytes, requestedBytes, stream);
    }
    long unit = settings.alignmentBytes();
    long bytes = (requestedBytes + unit - 1) & -unit;
    BufferPool buffers = bytes <= MAX_SMALL_BYTES ? small : large;
    Wanted wanted = new Wanted(bytes, buffers, !buffers.isSmall && isAboveLowWatermark());
    Buffer buffer = takeCached(wanted);
    if (buffer == null) {
      if (wanted.isPressed && bytes < buffers.availableBytes) {
        collect(buffers);
      }
      buffer = make(wanted, stream);
      if (buffer == null) {
        // The original looks again, in case that callbacks of the program freed something.
        buffer = takeCached(wanted);
      }
      if (buffer == null && releaseEnough(wanted)) {
        buffer = make(wanted, stream);
      }
      if (buffer == null) {
        emptyCache();
        buffer = make(wanted, stream);
      }
    }
    if (buffer == null) {
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    blocks.take(buffer.block, allocation, requestedBytes, stream);
    remember(allocation, buffer);
    return blocks.address(buffer.block);
  }

  /** In whole MiB, as the original compares them. */
  private boolean isAboveLowWatermark() {
    return settings.lowWatermarkBytes() != MpsSettings.UNLIMITED
        && settings.lowWatermarkBytes() - totalBytes < MIB;
  }

  private boolean isBelowHighWatermark(long bytes) {
    return totalBytes + bytes <= settings.highWatermarkBytes();
  }

  private @Nullable Buffer takeCached(Wanted wanted) {
    BufferPool pool = wanted.pool;
    if (!isBelowHighWatermark(wanted.bytes)) {
      return null;
    }
    pool.requests++;
    Buffer buffer = smallestOf(pool, wanted.bytes);
    if (buffer == null) {
      return null;
    }
    if (buffer.bytes > wanted.bytes + LARGE_HEAP_BYTES) {
      if (heapFor(wanted) == null) {
        release(buffer, false);
        wanted.isPressed = false;
      }
      return null;
    }
    pool.available.remove(buffer);
    pool.availableBytes -= buffer.bytes;
    return buffer;
  }

  /** The smallest cached buffer of at least so many bytes, the first made of equals. */
  private @Nullable Buffer smallestOf(BufferPool pool, long bytes) {
    Buffer least = new Buffer(-1, keyOf(pool, 0), NONE, bytes);
    return pool.available.ceiling(least);
  }

  private @Nullable Heap heapFor(Wanted wanted) {
    return wanted.pool.heaps.ceiling(keyOf(wanted.pool, wanted.bytes));
  }

  private Heap keyOf(BufferPool pool, long bytes) {
    return new Heap(-1, pool, bytes, true, noSpaces);
  }

  /** Makes a buffer; null above the high watermark or where the device refuses. */
  private @Nullable Buffer make(Wanted wanted, int stream) {
    if (!isBelowHighWatermark(wanted.bytes)) {
      return null;
    }
    Heap heap = heapFor(wanted);
    if (heap == null) {
      heap = obtain(wanted, stream);
      if (heap == null) {
        return null;
      }
    } else {
      wanted.pool.heaps.remove(heap);
    }
    int block = heap.spaces.ceiling(wanted.bytes, 0);
    heap.spaces.remove(block);
    if (blocks.bytes(block) > wanted.bytes) {
      int rest = blocks.split(block, wanted.bytes);
      heap.spaces.add(rest);
      setSpace(rest, true);
    }
    setSpace(block, false);
    Buffer buffer = new Buffer(++bufferCount, heap, block, wanted.bytes);
    heap.buffers++;
    update(heap);
    return buffer;
  }

  private @Nullable Heap obtain(Wanted wanted, int stream) {
    long bytes = wanted.bytes;
    long heapBytes;
    boolean isShared = true;
    if (bytes <= MAX_SMALL_BYTES) {
      heapBytes = SMALL_HEAP_BYTES;
    } else if (bytes < MIN_LARGE_BYTES) {
      heapBytes = LARGE_HEAP_BYTES;
    } else if (bytes < LARGEST_HEAP_BYTES / 2 && !wanted.isPressed) {
      heapBytes = LARGEST_HEAP_BYTES;
    } else {
      heapBytes = (bytes + ROUND_BYTES - 1) / ROUND_BYTES * ROUND_BYTES;
      isShared = false;
    }
    long address = device.allocate(heapBytes);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    totalBytes += heapBytes;
    int first = blocks.addSegment(address, heapBytes, stream);
    SizeOrderedRows spaces = new SizeOrderedRows(blocks);
    spaces.add(first);
    setSpace(first, true);
    return new Heap(++heapCount, wanted.pool, heapBytes, isShared, spaces);
  }

  /** Puts a heap back into its pool's order, after buffers of it came or went. */
  private void update(Heap heap) {
    int largest = heap.spaces.last();
    heap.availableBytes = largest == NONE ? 0 : blocks.bytes(largest);
    heap.pool.heaps.add(heap);
    blocks.settle();
  }

  private boolean isSpace(int block) {
    return block != NONE && spaces.get(block);
  }

  private void setSpace(int block, boolean isSpace) {
    spaces.set(block, isSpace);
  }

  private void remember(int allocation, Buffer buffer) {
    if (allocation >= bufferOf.length) {
      bufferOf = Arrays.copyOf(bufferOf, Math.max(allocation + 1, bufferOf.length * 2));
    }
    bufferOf[allocation] = buffer;
  }

  /** Releases a cached buffer; its heap too if that is empty and may go. */
  private void release(Buffer buffer, boolean withHeap) {
    Heap heap = buffer.heap;
    BufferPool pool = heap.pool;
    pool.available.remove(buffer);
    pool.availableBytes -= buffer.bytes;
    pool.heaps.remove(heap);
    int block = buffer.block;
    setSpace(block, true);
    int next = blocks.next(block);
    if (isSpace(next)) {
      heap.spaces.remove(next);
      setSpace(next, false);
      blocks.mergeNext(block);
    }
    int previous = blocks.previous(block);
    if (isSpace(previous)) {
      heap.spaces.remove(previous);
      setSpace(block, false);
      blocks.mergeNext(previous);
      block = previous;
    }
    heap.buffers--;
    if (withHeap && heap.buffers == 0) {
      long address = blocks.address(block);
      setSpace(block, false);
      blocks.settle();
      blocks.removeSegment(block);
      device.free(address, heap.totalBytes);
      totalBytes -= heap.totalBytes;
    } else {
      heap.spaces.add(block);
      update(heap);
    }
  }

  /**
   * Releases a cached buffer that is large enough, else the largest ones until they are together;
   * whether they are.
   */
  private boolean releaseEnough(Wanted wanted) {
    BufferPool pool = wanted.pool;
    if (pool.available.isEmpty()) {
      return false;
    }
    Buffer enough = smallestOf(pool, wanted.bytes);
    if (enough != null) {
      release(enough, true);
      return true;
    }
    long released = 0;
    while (released < wanted.bytes && !pool.available.isEmpty()) {
      Buffer largest = pool.available.last();
      released += largest.bytes;
      release(largest, true);
    }
    return released >= wanted.bytes;
  }

  /** Releases cached buffers of at least average age until the low watermark is reached. */
  private void collect(BufferPool pool) {
    if (totalBytes < settings.lowWatermarkBytes() || pool.available.isEmpty()) {
      return;
    }
    long targetBytes = totalBytes - settings.lowWatermarkBytes();
    double totalAge = 0;
    for (Buffer buffer : pool.available) {
      totalAge += pool.age(buffer);
    }
    int count = pool.available.size();
    long reclaimed = 0;
    boolean any = true;
    while (reclaimed < targetBytes && any && count > 0) {
      double threshold = totalAge / count;
      any = false;
      for (Buffer buffer : new ArrayList<>(pool.available)) {
        if (reclaimed >= targetBytes) {
          break;
        }
        if (pool.age(buffer) >= threshold) {
          any = true;
          reclaimed += buffer.bytes;
          totalAge -= pool.age(buffer);
          count--;
          release(buffer, !buffer.heap.isShared);
        }
      }
    }
  }

  @Override
  public void free(int allocation) {
    Buffer buffer = allocation >= 0 && allocation < bufferOf.length ? bufferOf[allocation] : null;
    if (buffer == null) {
      return;
    }
    bufferOf[allocation] = null;
    blocks.release(allocation);
    blocks.settle();
    BufferPool pool = buffer.heap.pool;
    buffer.since = pool.requests;
    pool.available.add(buffer);
    pool.availableBytes += buffer.bytes;
  }

  /** Releases all cached buffers, the smallest first, and heaps that are empty then. */
  @Override
  public void emptyCache() {
    for (BufferPool pool : new BufferPool[] {large, small}) {
      for (Buffer buffer : List.copyOf(pool.available)) {
        release(buffer, true);
      }
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    blocks.describe(visitor);
  }
}
