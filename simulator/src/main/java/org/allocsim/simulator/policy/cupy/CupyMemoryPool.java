package org.allocsim.simulator.policy.cupy;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.policy.block.FreeNeighbours;
import org.jspecify.annotations.Nullable;

/**
 * CuPy's {@code MemoryPool}.
 *
 * <p><b>Rules.</b> Sizes are rounded up to 512 bytes. Each stream has an arena of free chunks; the
 * smallest that is large enough serves a request and is split whenever it is larger. Otherwise the
 * device is asked for exactly the rounded size. A chunk that comes back joins its free neighbours.
 * Memory goes back to the device as whole segments only: when the pool is emptied, and all that is
 * possible of it when a request would pass the limit or the device refuses it.
 *
 * <p><b>Source.</b> cupy/cupy, {@code cupy/cuda/memory.pyx}, 14.2.0, of which it reproduces
 * recordings operation by operation, given how ties were decided.
 *
 * <p><b>Deviations.</b> Among free chunks of equal size the one at the lowest address serves,
 * unless a {@link TieBreak} decides; CuPy decides by the addresses of its Python objects. That
 * shifted the peak of recordings by −5 to 0 %. Garbage collection of Python objects, which CuPy
 * tries before it gives up, frees nothing here.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of free chunks. A {@link
 * TieBreak} is shown all chunks of the size that serves, one after the other; only replays of
 * recordings have one. Emptying the pool, also before a request is refused, looks at every free
 * chunk, as CuPy does. <b>Limits.</b> One thread.
 */
public final class CupyMemoryPool implements AllocatorPolicy {
  /** Sizes are multiples of this. */
  static final long UNIT_BYTES = 512;

  private static final int NONE = BlockHeap.NONE;

  /** How often the device is asked before a request fails. */
  private static final int DEVICE_ATTEMPTS = 3;

  private final long limitBytes;
  private final @Nullable TieBreak tieBreak;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private SizeOrderedRows[] arenas = new SizeOrderedRows[0];
  private long totalBytes;
  private long[] tiedAddresses = new long[8];
  private int[] emptied = new int[0];

  /**
   * A pool that holds nothing and takes the lowest address among chunks of equal size.
   *
   * @param limitBytes most bytes it may hold, −1 for no limit
   * @param device where its memory comes from
   * @param listener receives what it does
   */
  public CupyMemoryPool(long limitBytes, DeviceMemory device, EffectListener listener) {
    this(limitBytes, null, device, listener);
  }

  /** As above; {@code tieBreak} decides among chunks of equal size. */
  public CupyMemoryPool(
      long limitBytes, @Nullable TieBreak tieBreak, DeviceMemory device, EffectListener listener) {
    this.limitBytes = limitBytes;
    this.tieBreak = tieBreak;
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
    long bytes = roundedBytes(requestedBytes);
    SizeOrderedRows arena = arena(stream);
    int chunk = arena.ceiling(bytes, 0);
    if (chunk == NONE) {
      chunk = obtain(bytes, stream);
      if (chunk == NONE) {
        fail(allocation, requestedBytes, bytes, stream);
        return OUT_OF_MEMORY;
      }
    } else {
      chunk = tieBreak == null ? chunk : breakTie(tieBreak, arena, chunk);
      takeFree(arena, chunk, bytes);
    }
    heap.take(chunk, allocation, requestedBytes, stream);
    return heap.address(chunk);
  }

  /** The size that a request takes; sizes that cannot be rounded stay what no device has. */
  private static long roundedBytes(long requestedBytes) {
    return requestedBytes > Long.MAX_VALUE - UNIT_BYTES
        ? Long.MAX_VALUE
        : (requestedBytes + UNIT_BYTES - 1) & -UNIT_BYTES;
  }

  private void takeFree(SizeOrderedRows arena, int chunk, long bytes) {
    arena.remove(chunk);
    if (heap.bytes(chunk) > bytes) {
      arena.add(heap.split(chunk, bytes));
    }
  }

  /** The chunk that the tie break prefers among those as large as the first. */
  private int breakTie(TieBreak tieBreak, SizeOrderedRows arena, int first) {
    long bytes = heap.bytes(first);
    int count = 0;
    for (int chunk = first;
        chunk != NONE && heap.bytes(chunk) == bytes;
        chunk = arena.next(chunk)) {
      if (count == tiedAddresses.length) {
        tiedAddresses = Arrays.copyOf(tiedAddresses, 2 * count);
      }
      tiedAddresses[count++] = heap.address(chunk);
    }
    return count == 1
        ? first
        : arena.ceiling(bytes, tiedAddresses[tieBreak.choose(tiedAddresses, count)]);
  }

  /** A segment of exactly this size from the device, or {@link #NONE}. */
  private int obtain(long bytes, int stream) {
    if (limitBytes >= 0 && bytes > limitBytes - totalBytes) {
      if (bytes > limitBytes) {
        return NONE;
      }
      listener.allocationRetried();
      emptyCache();
      if (bytes > limitBytes - totalBytes) {
        return NONE;
      }
    }
    for (int attempt = 1; attempt <= DEVICE_ATTEMPTS; attempt++) {
      long address = device.allocate(bytes);
      if (address != DeviceMemory.REFUSED) {
        totalBytes += bytes;
        return heap.addSegment(address, bytes, stream);
      }
      if (attempt < DEVICE_ATTEMPTS) {
        listener.allocationRetried();
        emptyCache();
      }
    }
    return NONE;
  }

  private void fail(int allocation, long requestedBytes, long bytes, int stream) {
    refused.report(allocation, requestedBytes, bytes, bytes, stream);
  }

  private SizeOrderedRows arena(int stream) {
    if (stream >= arenas.length) {
      int known = arenas.length;
      arenas = Arrays.copyOf(arenas, stream + 1);
      for (int i = known; i < arenas.length; i++) {
        arenas[i] = new SizeOrderedRows(heap);
      }
    }
    return arenas[stream];
  }

  /** Takes an allocation back into the arena of the stream that it was made for. */
  @Override
  public void free(int allocation) {
    int chunk = heap.release(allocation);
    if (chunk == NONE) {
      return;
    }
    SizeOrderedRows arena = arenas[heap.stream(chunk)];
    FreeNeighbours.join(heap, arena, chunk);
    heap.settle();
  }

  /** Gives back all segments that are wholly free ({@code free_all_blocks}), smallest first. */
  @Override
  public void emptyCache() {
    for (SizeOrderedRows arena : arenas) {
      int count = arena.size();
      emptied = arena.copyTo(emptied, 0);
      for (int i = 0; i < count; i++) {
        int chunk = emptied[i];
        if (heap.coversSegment(chunk)) {
          long bytes = heap.bytes(chunk);
          arena.remove(chunk);
          device.free(heap.address(chunk), bytes);
          totalBytes -= bytes;
          heap.removeSegment(chunk);
        }
      }
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
