package org.allocsim.simulator.policy.gmlake;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.BlockRows;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.LayoutVisitor;

/**
 * Segments and the primitive blocks that tile them, as rows of a table, and the free ones of each
 * stream by (bytes, address). A primitive block is wholly free or wholly used by one allocation; an
 * allocation may use several, linked in the order of its addresses. Free neighbours are merged.
 */
final class PrimitiveBlocks extends BlockRows {
  // Numbers of a row.
  private static final int REQUESTED_BYTES = 0;

  // Links of a row.
  private static final int PREVIOUS = 0;
  private static final int NEXT = 1;
  private static final int ALLOCATION = 2;
  private static final int NEXT_PIECE = 3;
  private static final int STREAM = 4;
  private static final int SMALL = 5;

  /** In place of an allocation: the block is free. */
  private static final int FREE = -1;

  /** In place of an allocation: the row is no block. */
  private static final int GONE = -2;

  private final EffectListener listener;
  private final SizeOrderedRows empty = new SizeOrderedRows(this);
  private ChunkedSegment[] segment = new ChunkedSegment[256];
  private SizeOrderedRows[] freeSmall = new SizeOrderedRows[4];
  private SizeOrderedRows[] freeLarge = new SizeOrderedRows[4];
  private int splitBlocks;
  private long splitBytes;

  PrimitiveBlocks(EffectListener listener) {
    this.listener = listener;
    links[NONE * LINKS + ALLOCATION] = GONE;
  }

  int stream(int block) {
    return links[block * LINKS + STREAM];
  }

  boolean isSmall(int block) {
    return links[block * LINKS + SMALL] != 0;
  }

  private int previous(int block) {
    return links[block * LINKS + PREVIOUS];
  }

  private int next(int block) {
    return links[block * LINKS + NEXT];
  }

  private int allocation(int block) {
    return links[block * LINKS + ALLOCATION];
  }

  private boolean isFree(int block) {
    return allocation(block) == FREE;
  }

  /** The chunks that back a block, or null where its segment is a plain one. */
  ChunkedSegment segment(int block) {
    return segment[block];
  }

  int firstChunk(int block) {
    return segment[block].chunkAt(address(block));
  }

  int chunks(int block) {
    return (int) (bytes(block) / ChunkedSegment.CHUNK_BYTES);
  }

  /** The next block of the same allocation, or {@link #NONE}. */
  int nextPiece(int block) {
    return links[block * LINKS + NEXT_PIECE];
  }

  void linkPiece(int block, int following) {
    links[block * LINKS + NEXT_PIECE] = following;
  }

  /** Whether the block is its segment's only one. */
  boolean coversSegment(int block) {
    return (previous(block) | next(block)) == NONE;
  }

  /** Free blocks of a stream. */
  SizeOrderedRows free(boolean isSmall, int ofStream) {
    SizeOrderedRows[] sets = isSmall ? freeSmall : freeLarge;
    return ofStream < sets.length && sets[ofStream] != null ? sets[ofStream] : empty;
  }

  /** All free blocks of a pool by ascending (stream, bytes, address). */
  int[] allFree(boolean isSmall) {
    int[] list = new int[16];
    int count = 0;
    for (SizeOrderedRows set : isSmall ? freeSmall : freeLarge) {
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
    listener.segmentFreed(address(block), bytes(block), stream(block), isSmall(block));
    destroy(block);
  }

  /** Puts a free block into its set. */
  void list(int block) {
    SizeOrderedRows[] sets = isSmall(block) ? freeSmall : freeLarge;
    int ofStream = stream(block);
    if (ofStream >= sets.length) {
      sets = Arrays.copyOf(sets, Math.max(ofStream + 1, sets.length * 2));
      if (isSmall(block)) {
        freeSmall = sets;
      } else {
        freeLarge = sets;
      }
    }
    if (sets[ofStream] == null) {
      sets[ofStream] = new SizeOrderedRows(this);
    }
    sets[ofStream].add(block);
  }

  /** Takes a free block out of its set. */
  void unlist(int block) {
    free(isSmall(block), stream(block)).remove(block);
  }

  /** Cuts a block that is free and in no set; answers the rest after it, also free and in none. */
  int split(int block, long keptBytes) {
    count(block, -1);
    long address = address(block);
    int rest =
        create(
            address + keptBytes,
            bytes(block) - keptBytes,
            stream(block),
            isSmall(block),
            segment[block]);
    place(block, address, keptBytes);
    link(rest, next(block));
    link(block, rest);
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
    links[block * LINKS + ALLOCATION] = byAllocation;
    links[block * LINKS + NEXT_PIECE] = NONE;
    numbers[block * NUMBERS + REQUESTED_BYTES] = shareBytes;
  }

  /** Frees a block, merges it with its free neighbours and puts the result into its set. */
  void vacate(int block) {
    links[block * LINKS + ALLOCATION] = FREE;
    count(block, 1);
    int merged = block;
    int before = previous(block);
    if (isFree(before)) {
      merged = before;
      unlist(merged);
      absorbNext(merged);
    }
    int after = next(merged);
    if (isFree(after)) {
      unlist(after);
      absorbNext(merged);
    }
    list(merged);
  }

  private void absorbNext(int block) {
    int absorbed = next(block);
    count(block, -1);
    count(absorbed, -1);
    place(block, address(block), bytes(block) + bytes(absorbed));
    link(block, next(absorbed));
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
    if (isFree(block) && !coversSegment(block)) {
      splitBlocks += sign;
      splitBytes += sign * bytes(block);
    }
  }

  private int create(
      long newAddress, long newBytes, int ofStream, boolean isSmall, ChunkedSegment chunks) {
    int block = newRow();
    if (block >= segment.length) {
      segment = Arrays.copyOf(segment, Math.max(block + 1, 2 * segment.length));
    }
    place(block, newAddress, newBytes);
    numbers[block * NUMBERS + REQUESTED_BYTES] = 0;
    int link = block * LINKS;
    links[link + PREVIOUS] = NONE;
    links[link + NEXT] = NONE;
    links[link + ALLOCATION] = FREE;
    links[link + NEXT_PIECE] = NONE;
    links[link + STREAM] = ofStream;
    links[link + SMALL] = isSmall ? 1 : 0;
    segment[block] = chunks;
    return block;
  }

  private void destroy(int block) {
    links[block * LINKS + ALLOCATION] = GONE;
    segment[block] = null;
    giveBack(block);
  }

  /** Makes two rows neighbours; one of them may be {@link #NONE}. */
  private void link(int left, int right) {
    links[left * LINKS + NEXT] = right;
    links[right * LINKS + PREVIOUS] = left;
  }

  /**
   * Shows all segments and their blocks.
   *
   * @param isPending whether an allocation awaits the end of its uses on other streams
   */
  void describe(LayoutVisitor visitor, IntPredicate isPending) {
    Integer[] firsts = new Integer[rows()];
    int count = 0;
    for (int block = 0; block < rows(); block++) {
      if (allocation(block) != GONE && previous(block) == NONE) {
        firsts[count++] = block;
      }
    }
    Arrays.sort(firsts, 0, count, (a, b) -> Long.compareUnsigned(address(a), address(b)));
    for (int i = 0; i < count; i++) {
      int first = firsts[i];
      long segmentBytes = 0;
      for (int block = first; block != NONE; block = next(block)) {
        segmentBytes += bytes(block);
      }
      visitor.segment(address(first), segmentBytes, stream(first), isSmall(first), 0, false);
      for (int block = first; block != NONE; block = next(block)) {
        LayoutVisitor.BlockState state = LayoutVisitor.BlockState.INACTIVE;
        if (!isFree(block)) {
          state =
              isPending.test(allocation(block))
                  ? LayoutVisitor.BlockState.ACTIVE_PENDING_FREE
                  : LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
        }
        visitor.block(
            address(block),
            bytes(block),
            numbers[block * NUMBERS + REQUESTED_BYTES],
            state,
            allocation(block));
      }
    }
  }
}
