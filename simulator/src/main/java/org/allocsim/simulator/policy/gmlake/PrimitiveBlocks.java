package org.allocsim.simulator.policy.gmlake;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.block.SegmentBlocks;
import org.jspecify.annotations.Nullable;

/**
 * Segments and the primitive blocks that tile them, as rows of a table, and the free ones of each
 * stream by (bytes, address). A primitive block is wholly free or wholly used by one allocation; an
 * allocation may use several, linked in the order of its addresses. Free neighbours are merged.
 */
final class PrimitiveBlocks extends SegmentBlocks {
  // Links of a row.
  private static final int NEXT_PIECE = FIRST_FURTHER_LINK;
  private static final int SMALL = FIRST_FURTHER_LINK + 1;

  private final EffectListener listener;
  private final SizeOrderedRows empty = new SizeOrderedRows(this);
  private ChunkedSegment[] segment = new ChunkedSegment[256];
  private SizeOrderedRows[] freeSmall = new SizeOrderedRows[4];
  private SizeOrderedRows[] freeLarge = new SizeOrderedRows[4];

  PrimitiveBlocks(EffectListener listener) {
    super(listener);
    this.listener = listener;
  }

  boolean isSmall(int block) {
    return links[block * LINKS + SMALL] != 0;
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
      @Nullable ChunkedSegment chunks) {
    int block = create(segmentAddress, segmentBytes, ofStream);
    setSegment(block, isSmall, chunks);
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
    segment[block] = null;
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
    int rest = cut(block, keptBytes);
    setSegment(rest, isSmall(block), segment[block]);
    if (segment[rest] != null) {
      segment[rest].setBlockFrom(firstChunk(rest), rest);
    }
    return rest;
  }

  /** Marks a free block that is in no set as used, with its share of the request. */
  void occupy(int block, int byAllocation, long shareBytes) {
    use(block, byAllocation, shareBytes);
    linkPiece(block, NONE);
  }

  /** Frees a block, merges it with its free neighbours and puts the result into its set. */
  void vacate(int block) {
    makeFree(block);
    int merged = block;
    int before = previous(block);
    if (isFree(before)) {
      merged = before;
      unlist(merged);
      mergeNext(merged);
    }
    int after = next(merged);
    if (isFree(after)) {
      unlist(after);
      mergeNext(merged);
    }
    list(merged);
  }

  private void mergeNext(int block) {
    int absorbed = next(block);
    if (segment[block] != null) {
      segment[block].setBlockFrom(firstChunk(absorbed), NONE);
    }
    segment[absorbed] = null;
    absorbNext(block);
  }

  private void setSegment(int block, boolean isSmall, @Nullable ChunkedSegment chunks) {
    if (block >= segment.length) {
      segment = Arrays.copyOf(segment, Math.max(block + 1, 2 * segment.length));
    }
    segment[block] = chunks;
    links[block * LINKS + SMALL] = isSmall ? 1 : 0;
  }

  /**
   * Shows all segments and their blocks.
   *
   * @param isPending whether an allocation awaits the end of its uses on other streams
   */
  void describe(LayoutVisitor visitor, IntPredicate isPending) {
    describe(visitor, this::isSmall, block -> isPending.test(allocation(block)));
  }
}
