package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.policy.LayoutVisitor;

/** The one segment that planned requests lie in, and the ranges of it that are in use. */
final class StaticArena {
  private static final long UNIT_BYTES = 512;

  private final EffectListener listener;
  private final long address;
  private final long bytes;

  /** Ranges in use by address; a block of the set is an allocation id. */
  private final OrderedBlocks used = new OrderedBlocks();

  private long[] start = new long[1024];
  private long[] requested = new long[1024];

  StaticArena(long address, long bytes, EffectListener listener) {
    this.address = address;
    this.bytes = bytes;
    this.listener = listener;
    listener.segmentAllocated(address, bytes, 0, false);
  }

  /** Bytes that a planned request takes. */
  static long rounded(long requestedBytes) {
    return (requestedBytes + UNIT_BYTES - 1) & -UNIT_BYTES;
  }

  long address() {
    return address;
  }

  /** Hands out the range at an offset unless any of it is in use; answers whether it did. */
  boolean take(int allocation, long offset, long requestedBytes, int stream) {
    long from = address + offset;
    long length = rounded(requestedBytes);
    if (offset < 0 || length > bytes - offset) {
      return false;
    }
    int above = used.ceiling(0, from);
    int below = above == OrderedBlocks.NONE ? used.last() : used.previous(above);
    long gapStart = below == OrderedBlocks.NONE ? address : endOf(used.block(below));
    long gapEnd = above == OrderedBlocks.NONE ? address + bytes : start[used.block(above)];
    if (from < gapStart || from + length > gapEnd) {
      return false;
    }
    if (allocation >= start.length) {
      int capacity = Math.max(allocation + 1, start.length + (start.length >> 1));
      start = Arrays.copyOf(start, capacity);
      requested = Arrays.copyOf(requested, capacity);
    }
    boolean wasEmpty = used.size() == 0;
    start[allocation] = from;
    requested[allocation] = requestedBytes;
    used.add(0, from, allocation);
    listener.blockAllocated(allocation, from, requestedBytes, length, stream, false);
    int gaps = (from > gapStart ? 1 : 0) + (from + length < gapEnd ? 1 : 0);
    reportSplits(gaps - (wasEmpty ? 0 : 1), wasEmpty ? bytes - length : -length);
    return true;
  }

  /** Takes the range of an allocation back. */
  void release(int allocation, int stream) {
    long from = start[allocation];
    long length = rounded(requested[allocation]);
    listener.freeRequested(allocation, from, requested[allocation], length, stream, false);
    listener.freeCompleted(allocation, from, requested[allocation], length, stream, false);
    used.remove(0, from);
    int above = used.ceiling(0, from);
    int below = above == OrderedBlocks.NONE ? used.last() : used.previous(above);
    long gapStart = below == OrderedBlocks.NONE ? address : endOf(used.block(below));
    long gapEnd = above == OrderedBlocks.NONE ? address + bytes : start[used.block(above)];
    int gaps = (from > gapStart ? 1 : 0) + (from + length < gapEnd ? 1 : 0);
    boolean isEmpty = used.size() == 0;
    reportSplits((isEmpty ? 0 : 1) - gaps, isEmpty ? length - bytes : length);
  }

  /** Bytes from the range's start on that belong to it. */
  private long endOf(int allocation) {
    return start[allocation] + rounded(requested[allocation]);
  }

  private void reportSplits(int blocks, long splitBytes) {
    if (blocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(blocks, splitBytes, false);
    }
  }

  /** Shows the arena. */
  void describe(LayoutVisitor visitor) {
    visitor.segment(address, bytes, 0, false, 0, false);
    long reached = address;
    for (int at = used.first(); at != OrderedBlocks.NONE; at = used.next(at)) {
      int allocation = used.block(at);
      gap(reached, start[allocation], visitor);
      visitor.block(
          start[allocation],
          rounded(requested[allocation]),
          requested[allocation],
          LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
          allocation);
      reached = endOf(allocation);
    }
    gap(reached, address + bytes, visitor);
  }

  private static void gap(long from, long to, LayoutVisitor visitor) {
    if (to > from) {
      visitor.block(from, to - from, 0, LayoutVisitor.BlockState.INACTIVE, -1);
    }
  }
}
