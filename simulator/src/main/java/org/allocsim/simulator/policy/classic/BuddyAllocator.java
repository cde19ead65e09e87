package org.allocsim.simulator.policy.classic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;

/**
 * The binary buddy system.
 *
 * <p><b>Rules.</b> A request gets the smallest power of two times the smallest block that holds it.
 * It comes from the free block at the lowest address of the smallest size that is large enough,
 * which is halved, keeping the low half, until it fits. Where none is large enough, the heap grows:
 * the new block lies at the first multiple of its size at or after the heap's end, and the gap
 * before it becomes free blocks, as large as their places allow. A freed block merges with its
 * buddy, the block whose offset differs in the bit of their size only, as long as that is free and
 * whole; blocks of a gap merge no earlier. Memory is held up to the heap's end, in whole growth
 * steps, and is never given back. A request fails where the heap cannot grow.
 *
 * <p><b>Source.</b> Textbook rules (Knuth, The Art of Computer Programming, vol. 1, 2.5).
 *
 * <p><b>Deviations.</b> A buddy system's heap is a power of two; the one here ends with the highest
 * block that was ever used, unless it is an arena. Private pools share the heap.
 *
 * <p><b>Cost.</b> A request or free takes time proportional to the levels that it splits or merges,
 * each logarithmic in the number of free blocks. <b>Limits.</b> 2^46 bytes of heap.
 */
final class BuddyAllocator implements AllocatorPolicy {
  private static final long NONE = -1;

  private final HeapMemory memory;
  private final long minBytes;
  private final EffectListener listener;
  private final RefusedRequests refused;

  /** Free blocks by size and offset. */
  private final OrderedBlocks free = new OrderedBlocks();

  private long heapBytes;

  private long[] offsets = new long[1024];
  private long[] blockBytes = new long[1024];
  private long[] requests = new long[1024];
  private int[] streams = new int[1024];
  private long liveBytes;
  private int reportedBlocks;
  private long reportedBytes;

  BuddyAllocator(HeapOptions options, DeviceMemory device, EffectListener listener) {
    memory = options.memory(device);
    minBytes = options.unitBytes();
    this.listener = listener;
    refused = new RefusedRequests(options.limitBytes(), device, listener);
    Arrays.fill(offsets, NONE);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > HeapMemory.MAX_BYTES) {
      refuse(allocation, requestedBytes, requestedBytes, requestedBytes, stream);
      return OUT_OF_MEMORY;
    }
    long bytes = Math.max(minBytes, Long.highestOneBit(requestedBytes - 1) << 1);
    int position = free.ceiling(bytes, 0);
    long offset = position == OrderedBlocks.NONE ? takeFromTop(bytes) : take(position, bytes);
    if (offset == NONE) {
      long end = memory.isArena() ? bytes : HeapMemory.roundUp(heapBytes, bytes) + bytes;
      refuse(allocation, requestedBytes, bytes, end - memory.heldBytes(), stream);
      return OUT_OF_MEMORY;
    }
    remember(allocation, offset, bytes, requestedBytes, stream);
    liveBytes += bytes;
    long address = memory.baseAddress() + offset;
    listener.blockAllocated(allocation, address, requestedBytes, bytes, stream, false);
    reportInactive();
    return address;
  }

  /** Grows the heap by a block; answers its offset, or {@link #NONE} where it cannot grow. */
  private long takeFromTop(long bytes) {
    if (memory.isArena()) {
      return startArena(bytes);
    }
    long offset = HeapMemory.roundUp(heapBytes, bytes);
    long held = memory.heldBytes();
    if (offset + bytes > held) {
      long grown = memory.grow(offset + bytes - held);
      if (grown == 0) {
        return NONE;
      }
      listener.segmentMapped(memory.baseAddress() + held, grown, 0, false);
    }
    while (heapBytes < offset) {
      long piece = Math.min(Long.lowestOneBit(heapBytes), Long.highestOneBit(offset - heapBytes));
      free.add(piece, heapBytes, 0);
      heapBytes += piece;
    }
    heapBytes = offset + bytes;
    return offset;
  }

  private long startArena(long bytes) {
    long grown = memory.grow(bytes);
    if (grown == 0) {
      return NONE;
    }
    listener.segmentAllocated(memory.baseAddress(), grown, 0, false);
    heapBytes = grown;
    free.add(grown, 0, 0);
    return take(free.first(), bytes);
  }

  /** Takes the low part of a free block; answers its offset. */
  private long take(int position, long bytes) {
    long offset = free.address(position);
    long whole = free.bytes(position);
    free.remove(whole, offset);
    while (whole > bytes) {
      whole >>= 1;
      free.add(whole, offset + whole, 0);
    }
    return offset;
  }

  private void merge(long start, long startBytes) {
    long offset = start;
    long bytes = startBytes;
    while (free.contains(bytes, offset ^ bytes)) {
      free.remove(bytes, offset ^ bytes);
      offset &= ~bytes;
      bytes <<= 1;
    }
    free.add(bytes, offset, 0);
  }

  private void remember(int allocation, long offset, long bytes, long requested, int stream) {
    if (allocation >= offsets.length) {
      int old = offsets.length;
      int capacity = Math.max(allocation + 1, old + (old >> 1));
      offsets = Arrays.copyOf(offsets, capacity);
      Arrays.fill(offsets, old, capacity, NONE);
      blockBytes = Arrays.copyOf(blockBytes, capacity);
      requests = Arrays.copyOf(requests, capacity);
      streams = Arrays.copyOf(streams, capacity);
    }
    offsets[allocation] = offset;
    blockBytes[allocation] = bytes;
    requests[allocation] = requested;
    streams[allocation] = stream;
  }

  private void refuse(int allocation, long requested, long bytes, long wanted, int stream) {
    refused.report(allocation, requested, bytes, memory.growthBytes(wanted), stream);
  }

  @Override
  public void free(int allocation) {
    if (allocation >= offsets.length || offsets[allocation] == NONE) {
      return;
    }
    long offset = offsets[allocation];
    long bytes = blockBytes[allocation];
    long address = memory.baseAddress() + offset;
    long requested = requests[allocation];
    int stream = streams[allocation];
    offsets[allocation] = NONE;
    liveBytes -= bytes;
    listener.freeRequested(allocation, address, requested, bytes, stream, false);
    listener.freeCompleted(allocation, address, requested, bytes, stream, false);
    merge(offset, bytes);
    reportInactive();
  }

  /** Reports how the free parts of the heap, where it is partly used, changed. */
  private void reportInactive() {
    long held = memory.heldBytes();
    int blocks = liveBytes == 0 ? 0 : free.size() + (heapBytes < held ? 1 : 0);
    long bytes = liveBytes == 0 ? 0 : held - liveBytes;
    if (blocks != reportedBlocks || bytes != reportedBytes) {
      listener.inactiveSplitChanged(blocks - reportedBlocks, bytes - reportedBytes, false);
      reportedBlocks = blocks;
      reportedBytes = bytes;
    }
  }

  /** A block of the layout. */
  private record Piece(long offset, long bytes, int allocation) {}

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    long held = memory.heldBytes();
    if (held == 0) {
      return;
    }
    List<Piece> pieces = new ArrayList<>();
    for (int allocation = 0; allocation < offsets.length; allocation++) {
      if (offsets[allocation] != NONE) {
        pieces.add(new Piece(offsets[allocation], blockBytes[allocation], allocation));
      }
    }
    int position = free.first();
    while (position != OrderedBlocks.NONE) {
      long offset = free.address(position);
      pieces.add(new Piece(offset, free.bytes(position), -1));
      position = free.next(position);
    }
    if (heapBytes < held) {
      pieces.add(new Piece(heapBytes, held - heapBytes, -1));
    }
    pieces.sort(Comparator.comparingLong(Piece::offset));
    long base = memory.baseAddress();
    visitor.segment(base, held, 0, false, 0, false);
    for (Piece piece : pieces) {
      int allocation = piece.allocation();
      visitor.block(
          base + piece.offset(),
          piece.bytes(),
          allocation < 0 ? 0 : requests[allocation],
          allocation < 0
              ? LayoutVisitor.BlockState.INACTIVE
              : LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
          allocation);
    }
  }
}
