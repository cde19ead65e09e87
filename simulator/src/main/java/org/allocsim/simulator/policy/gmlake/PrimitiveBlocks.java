package org.allocsim.simulator.policy.gmlake;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.block.OrderedBlocks;

/**
 * Segments and the primitive blocks that tile them, as columns, and the free ones of each stream by
 * (bytes, address). A primitive block is wholly free or wholly used by one allocation; an
 * allocation may use several, linked in the order of its addresses. Free neighbours are merged.
 */
final class PrimitiveBlocks {
  /** No block. */
  static final int NONE = -1;

  private static final OrderedBlocks EMPTY = new OrderedBlocks();

  private final EffectListener listener;
  private long[] address = new long[256];
  private long[] bytes = new long[256];
  private long[] requestedBytes = new long[256];
  private int[] previous = new int[256];
  private int[] next = new int[256];
  private int[] stream = new int[256];
  private int[] allocation = new int[256];
  private int[] nextPiece = new int[256];
  private boolean[] small = new boolean[256];
  private boolean[] exists = new boolean[256];
  private ChunkedSegment[] segment = new ChunkedSegment[256];
  private int rows;
  private int[] unused = new int[256];
  private int unusedCount;
  private OrderedBlocks[] freeSmall = new OrderedBlocks[4];
  private OrderedBlocks[] freeLarge = new OrderedBlocks[4];
  private int splitBlocks;
  private long splitBytes;

  PrimitiveBlocks(EffectListener listener) {
    this.listener = listener;
  }

  long address(int block) {
    return address[block];
  }

  long bytes(int block) {
    return bytes[block];
  }

  int stream(int block) {
    return stream[block];
  }

  boolean isSmall(int block) {
    return small[block];
  }

  /** The chunks behind a block, or null where its segment is a plain one. */
  ChunkedSegment segment(int block) {
    return segment[block];
  }

  int firstChunk(int block) {
    return segment[block].chunkAt(address[block]);
  }

  int chunks(int block) {
    return (int) (bytes[block] / ChunkedSegment.CHUNK_BYTES);
  }

  /** The next block of the same allocation, or {@link #NONE}. */
  int nextPiece(int block) {
    return nextPiece[block];
  }

  void linkPiece(int block, int following) {
    nextPiece[block] = following;
  }

  /** Whether the block is its segment's only one. */
  boolean coversSegment(int block) {
    return previous[block] == NONE && next[block] == NONE;
  }

  /** Free blocks of a stream. */
  OrderedBlocks free(boolean isSmall, int ofStream) {
    OrderedBlocks[] sets = isSmall ? freeSmall : freeLarge;
    return ofStream < sets.length && sets[ofStream] != null ? sets[ofStream] : EMPTY;
  }

  /** All free blocks of a pool by ascending (stream, bytes, address). */
  int[] allFree(boolean isSmall) {
    int[] list = new int[16];
    int count = 0;
    for (OrderedBlocks set : isSmall ? freeSmall : freeLarge) {
      if (set != null) {
        list = set.copyTo(list, count);
        count += set.size();
      }
    }
    return Arrays.copyOf(list, count);
  }

  /** Adds a segment; its only block is free but in no set yet. */
  int addSegment(
      long segmentAddress,
      long segmentBytes,
      int ofStream,
      boolean isSmall,
      ChunkedSegment chunks) {
    int block = create(segmentAddress, segmentBytes, ofStream, isSmall, chunks);
    if (chunks != null) {
      chunks.setBlockFrom(0, block);
    }
    listener.segmentAllocated(segmentAddress, segmentBytes, ofStream, isSmall);
    return block;
  }

  /** Removes a segment whose only block is free and in its set. */
  void removeSegment(int block) {
    unlist(block);
    listener.segmentFreed(address[block], bytes[block], stream[block], small[block]);
    destroy(block);
  }

  /** Puts a free block into its set. */
  void list(int block) {
    OrderedBlocks[] sets = small[block] ? freeSmall : freeLarge;
    int ofStream = stream[block];
    if (ofStream >= sets.length) {
      sets = Arrays.copyOf(sets, Math.max(ofStream + 1, sets.length * 2));
      if (small[block]) {
        freeSmall = sets;
      } else {
        freeLarge = sets;
      }
    }
    if (sets[ofStream] == null) {
      sets[ofStream] = new OrderedBlocks();
    }
    sets[ofStream].add(bytes[block], address[block], block);
  }

  /** Takes a free block out of its set. */
  void unlist(int block) {
    free(small[block], stream[block]).remove(bytes[block], address[block]);
  }

  /** Cuts a block that is free and in no set; answers the rest behind it, also free and in none. */
  int split(int block, long keptBytes) {
    count(block, -1);
    int rest =
        create(
            address[block] + keptBytes,
            bytes[block] - keptBytes,
            stream[block],
            small[block],
            segment[block]);
    bytes[block] = keptBytes;
    next[rest] = next[block];
    previous[rest] = block;
    if (next[block] != NONE) {
      previous[next[block]] = rest;
    }
    next[block] = rest;
    if (segment[rest] != null) {
      segment[rest].setBlockFrom(firstChunk(rest), rest);
    }
    count(block, 1);
    count(rest, 1);
    return rest;
  }

  /** Marks a free block that is in no set as used, with its share of the request. */
  void occupy(int block, int byAllocation, long shareBytes) {
    count(block, -1);
    allocation[block] = byAllocation;
    requestedBytes[block] = shareBytes;
    nextPiece[block] = NONE;
  }

  /** Frees a block, merges it with its free neighbours and puts the result into its set. */
  void vacate(int block) {
    allocation[block] = NONE;
    count(block, 1);
    int merged = block;
    if (isFree(previous[block])) {
      merged = previous[block];
      unlist(merged);
      absorbNext(merged);
    }
    if (isFree(next[merged])) {
      unlist(next[merged]);
      absorbNext(merged);
    }
    list(merged);
  }

  private boolean isFree(int block) {
    return block != NONE && allocation[block] == NONE;
  }

  private void absorbNext(int block) {
    int absorbed = next[block];
    count(block, -1);
    count(absorbed, -1);
    bytes[block] += bytes[absorbed];
    next[block] = next[absorbed];
    if (next[absorbed] != NONE) {
      previous[next[absorbed]] = block;
    }
    if (segment[block] != null) {
      segment[block].setBlockFrom(firstChunk(absorbed), NONE);
    }
    destroy(absorbed);
    count(block, 1);
  }

  /** Reports how the free parts of partly used segments of a pool changed since the last report. */
  void settle(boolean isSmall) {
    if (splitBlocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(splitBlocks, splitBytes, isSmall);
      splitBlocks = 0;
      splitBytes = 0;
    }
  }

  private void count(int block, int sign) {
    if (allocation[block] == NONE && !coversSegment(block)) {
      splitBlocks += sign;
      splitBytes += sign * bytes[block];
    }
  }

  private int create(
      long newAddress, long newBytes, int ofStream, boolean isSmall, ChunkedSegment chunks) {
    int block;
    if (unusedCount > 0) {
      block = unused[--unusedCount];
    } else {
      if (rows == address.length) {
        grow();
      }
      block = rows++;
    }
    address[block] = newAddress;
    bytes[block] = newBytes;
    requestedBytes[block] = 0;
    previous[block] = NONE;
    next[block] = NONE;
    stream[block] = ofStream;
    allocation[block] = NONE;
    nextPiece[block] = NONE;
    small[block] = isSmall;
    exists[block] = true;
    segment[block] = chunks;
    return block;
  }

  private void destroy(int block) {
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    exists[block] = false;
    segment[block] = null;
    unused[unusedCount++] = block;
  }

  private void grow() {
    int capacity = Math.addExact(rows, rows);
    address = Arrays.copyOf(address, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    requestedBytes = Arrays.copyOf(requestedBytes, capacity);
    previous = Arrays.copyOf(previous, capacity);
    next = Arrays.copyOf(next, capacity);
    stream = Arrays.copyOf(stream, capacity);
    allocation = Arrays.copyOf(allocation, capacity);
    nextPiece = Arrays.copyOf(nextPiece, capacity);
    small = Arrays.copyOf(small, capacity);
    exists = Arrays.copyOf(exists, capacity);
    segment = Arrays.copyOf(segment, capacity);
  }

  /**
   * Shows all segments and their blocks.
   *
   * @param isPending whether an allocation awaits the end of its uses on other streams
   */
  void describe(LayoutVisitor visitor, IntPredicate isPending) {
    Integer[] firsts = new Integer[rows];
    int count = 0;
    for (int block = 0; block < rows; block++) {
      if (exists[block] && previous[block] == NONE) {
        firsts[count++] = block;
      }
    }
    Arrays.sort(firsts, 0, count, (a, b) -> Long.compareUnsigned(address[a], address[b]));
    for (int i = 0; i < count; i++) {
      int first = firsts[i];
      long segmentBytes = 0;
      for (int block = first; block != NONE; block = next[block]) {
        segmentBytes += bytes[block];
      }
      visitor.segment(address[first], segmentBytes, stream[first], small[first], 0, false);
      for (int block = first; block != NONE; block = next[block]) {
        LayoutVisitor.BlockState state = LayoutVisitor.BlockState.INACTIVE;
        if (allocation[block] != NONE) {
          state =
              isPending.test(allocation[block])
                  ? LayoutVisitor.BlockState.ACTIVE_PENDING_FREE
                  : LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
        }
        visitor.block(
            address[block], bytes[block], requestedBytes[block], state, allocation[block]);
      }
    }
  }
}
