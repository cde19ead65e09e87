package org.allocsim.simulator.policy.classic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.block.OrderedBlocks;

/**
 * The binary buddy system.
 *
 * <p><b>Rules.</b> A request gets the smallest power of two times the smallest block that holds it.
 * It comes from the free block at the lowest address of the smallest size that is large enough,
 * which is halved, keeping the low half, until it fits. A freed block merges with its buddy, the
 * block whose offset differs in the bit of their size only, as long as that is free and whole. The
 * heap's addresses double where no block fits; its memory is held up to the highest block that was
 * ever used, in whole growth steps, and is never given back. Where the device refuses a step, the
 * same search goes on among what is held; a request that finds nothing there fails.
 *
 * <p><b>Source.</b> Textbook rules (Knuth, The Art of Computer Programming, vol. 1, 2.5).
 *
 * <p><b>Deviations.</b> A buddy system's heap is a power of two; here only its addresses are, and
 * memory backs what was used. Private pools share the heap.
 *
 * <p><b>Cost.</b> A request or free takes time proportional to the levels that it splits or merges,
 * each logarithmic in the number of free blocks. <b>Limits.</b> 2^46 bytes of heap.
 */
final class BuddyAllocator implements AllocatorPolicy {
  private static final long NONE = -1;

  private final HeapMemory memory;
  private final long leastBytes;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;

  /** Free blocks by size and offset, those that no memory backs included. */
  private final OrderedBlocks free = new OrderedBlocks();

  /** Length of the heap's addresses: 0 or a power of two. */
  private long spanBytes;

  private long[] offsets = new long[1024];
  private long[] blockBytes = new long[1024];
  private long[] requests = new long[1024];
  private int[] streams = new int[1024];
  private long liveBytes;
  private int backedFreeBlocks;
  private int reportedBlocks;
  private long reportedBytes;

  BuddyAllocator(HeapOptions options, DeviceMemory device, EffectListener listener) {
    memory = options.memory(device);
    leastBytes = options.unitBytes();
    limitBytes = options.limitBytes();
    this.device = device;
    this.listener = listener;
    Arrays.fill(offsets, NONE);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > HeapMemory.MOST_BYTES) {
      refuse(allocation, requestedBytes, requestedBytes, requestedBytes, stream);
      return OUT_OF_MEMORY;
    }
    long bytes = Math.max(leastBytes, Long.highestOneBit(requestedBytes - 1) << 1);
    long position = find(bytes);
    if (position == OrderedBlocks.NONE) {
      long end = memory.isArena() ? bytes : free.address(free.ceiling(bytes, 0)) + bytes;
      refuse(allocation, requestedBytes, bytes, end - memory.heldBytes(), stream);
      return OUT_OF_MEMORY;
    }
    long offset = take(position, bytes);
    remember(allocation, offset, bytes, requestedBytes, stream);
    liveBytes += bytes;
    long address = memory.baseAddress() + offset;
    listener.blockAllocated(allocation, address, requestedBytes, bytes, stream, false);
    reportInactive();
    return address;
  }

  /** The free block to take, backed by memory as far as the request needs it. */
  private long find(long bytes) {
    long position = free.ceiling(bytes, 0);
    if (position == OrderedBlocks.NONE) {
      if (memory.isArena()) {
        return startArena(bytes);
      }
      do {
        doubleSpan(bytes);
        position = free.ceiling(bytes, 0);
      } while (position == OrderedBlocks.NONE);
    }
    long end = free.address(position) + bytes;
    if (end <= memory.heldBytes()) {
      return position;
    }
    if (grow(end)) {
      return free.ceiling(bytes, 0);
    }
    while (position != OrderedBlocks.NONE && free.address(position) + bytes > memory.heldBytes()) {
      position = free.ceiling(free.bytes(position) + 1, 0);
    }
    return position;
  }

  private long startArena(long bytes) {
    long grown = memory.heldBytes() > 0 ? 0 : memory.grow(bytes);
    if (grown == 0) {
      return OrderedBlocks.NONE;
    }
    listener.segmentAllocated(memory.baseAddress(), grown, 0, false);
    spanBytes = grown;
    addFree(0, grown);
    return free.first();
  }

  /** Doubles the heap's addresses; an empty heap begins with one block of the wanted size. */
  private void doubleSpan(long bytes) {
    long added = spanBytes == 0 ? bytes : spanBytes;
    long offset = spanBytes;
    spanBytes += added;
    merge(offset, added);
  }

  /**
   * Backs the heap up to an offset, and gives it addresses for all that is backed, which does not
   * change what any request finds.
   */
  private boolean grow(long end) {
    long held = memory.heldBytes();
    long grown = memory.grow(end - held);
    if (grown == 0) {
      return false;
    }
    for (long bytes = leastBytes; bytes <= spanBytes; bytes <<= 1) {
      long position = free.ceiling(bytes, held);
      while (position != OrderedBlocks.NONE
          && free.bytes(position) == bytes
          && free.address(position) < held + grown) {
        backedFreeBlocks++;
        position = free.next(position);
      }
    }
    while (spanBytes < memory.heldBytes()) {
      doubleSpan(spanBytes);
    }
    listener.segmentMapped(memory.baseAddress() + held, grown, 0, false);
    return true;
  }

  /** Takes the low part of a free block; answers its offset. */
  private long take(long position, long bytes) {
    long offset = free.address(position);
    long whole = free.bytes(position);
    removeFree(offset, whole);
    while (whole > bytes) {
      whole >>= 1;
      addFree(offset + whole, whole);
    }
    return offset;
  }

  private void merge(long start, long startBytes) {
    long offset = start;
    long bytes = startBytes;
    while (bytes < spanBytes && free.contains(bytes, offset ^ bytes)) {
      removeFree(offset ^ bytes, bytes);
      offset &= ~bytes;
      bytes <<= 1;
    }
    addFree(offset, bytes);
  }

  private void addFree(long offset, long bytes) {
    free.add(bytes, offset, 0);
    if (offset < memory.heldBytes()) {
      backedFreeBlocks++;
    }
  }

  private void removeFree(long offset, long bytes) {
    free.remove(bytes, offset);
    if (offset < memory.heldBytes()) {
      backedFreeBlocks--;
    }
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
    listener.outOfMemory(
        new OutOfMemory(
            allocation,
            requested,
            bytes,
            memory.growthBytes(wanted),
            stream,
            limitBytes,
            0,
            device.freeBytes(),
            device.totalBytes()));
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
    int blocks = liveBytes == 0 ? 0 : backedFreeBlocks;
    long bytes = liveBytes == 0 ? 0 : memory.heldBytes() - liveBytes;
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
    long position = free.first();
    while (position != OrderedBlocks.NONE) {
      long offset = free.address(position);
      if (offset < held) {
        pieces.add(new Piece(offset, Math.min(free.bytes(position), held - offset), -1));
      }
      position = free.next(position);
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
