package org.allocsim.simulator.policy.block;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.BlockRows;
import org.allocsim.simulator.policy.LayoutVisitor;

/**
 * A table of the blocks that tile segments: what {@link BlockHeap} and tables with further columns
 * have in common. Blocks of a segment are linked in address order. A block is free or belongs to
 * one allocation. Inactive splits (free blocks of partly used segments, PyTorch's notion) are
 * counted as blocks change, and reported by {@link #settle}, so that steps in between leave no
 * false peaks.
 */
public abstract class SegmentBlocks extends BlockRows {
  /** First link of a row that a subclass may use; 0 in a new block. */
  protected static final int FIRST_FURTHER_LINK = 4;

  // Numbers of a row.
  private static final int REQUESTED_BYTES = 0;

  // Links of a row.
  private static final int PREVIOUS = 0;
  private static final int NEXT = 1;
  private static final int ALLOCATION = 2;
  private static final int STREAM = 3;

  /** In place of an allocation: the block is free. */
  private static final int FREE = -1;

  /** In place of an allocation: the row is no block. */
  private static final int GONE = -2;

  private final EffectListener listener;
  private int splitBlocks;
  private long splitBytes;

  /** A table without segments that reports inactive splits to a listener. */
  protected SegmentBlocks(EffectListener listener) {
    this.listener = listener;
    links[NONE * LINKS + ALLOCATION] = GONE;
  }

  /** Bytes of the last request that a block served. */
  public final long requestedBytes(int block) {
    return numbers[block * NUMBERS + REQUESTED_BYTES];
  }

  /** The block at the lower address in the same segment, or {@link #NONE}. */
  public final int previous(int block) {
    return links[block * LINKS + PREVIOUS];
  }

  /** The block at the higher address in the same segment, or {@link #NONE}. */
  public final int next(int block) {
    return links[block * LINKS + NEXT];
  }

  /** Stream of a block: its last allocation's, else its segment's. */
  public final int stream(int block) {
    return links[block * LINKS + STREAM];
  }

  /** Changes the stream of a block. */
  public final void setStream(int block, int newStream) {
    links[block * LINKS + STREAM] = newStream;
  }

  /** Allocation id of a block in use. */
  public final int allocation(int block) {
    return links[block * LINKS + ALLOCATION];
  }

  /** Whether a block, which exists, is free; false for {@link #NONE}. */
  public final boolean isFree(int block) {
    return allocation(block) == FREE;
  }

  /** Whether a block is its segment's only one. */
  public final boolean coversSegment(int block) {
    return (previous(block) | next(block)) == NONE;
  }

  /** Whether a row is a block. */
  public final boolean isBlock(int row) {
    return allocation(row) != GONE;
  }

  /** A free block that is its segment's only one. */
  protected final int create(long address, long bytes, int stream) {
    int block = newRow();
    place(block, address, bytes);
    numbers[block * NUMBERS + REQUESTED_BYTES] = 0;
    int link = block * LINKS;
    links[link + PREVIOUS] = NONE;
    links[link + NEXT] = NONE;
    links[link + ALLOCATION] = FREE;
    links[link + STREAM] = stream;
    for (int further = FIRST_FURTHER_LINK; further < LINKS; further++) {
      links[link + further] = 0;
    }
    return block;
  }

  /** Removes a block that is linked to none. */
  protected final void destroy(int block) {
    links[block * LINKS + ALLOCATION] = GONE;
    recycle(block);
  }

  /** Marks a free block as used. */
  protected final void use(int block, int allocation, long requestedBytes) {
    count(block, -1);
    links[block * LINKS + ALLOCATION] = allocation;
    numbers[block * NUMBERS + REQUESTED_BYTES] = requestedBytes;
  }

  /** Marks a block in use as free. */
  protected final void makeFree(int block) {
    links[block * LINKS + ALLOCATION] = FREE;
    count(block, 1);
  }

  /** Cuts a block: it keeps its first bytes; answers the rest, a free block after it. */
  protected final int cut(int block, long keptBytes) {
    long blockBytes = bytes(block);
    if (!isFree(block)) {
      splitBlocks++;
      splitBytes += blockBytes - keptBytes;
    } else if (coversSegment(block)) {
      splitBlocks += 2;
      splitBytes += blockBytes;
    } else {
      splitBlocks++;
    }
    long address = address(block);
    int rest = create(address + keptBytes, blockBytes - keptBytes, stream(block));
    place(block, address, keptBytes);
    link(rest, next(block));
    link(block, rest);
    return rest;
  }

  /** Lets a block absorb the next one, which is free. */
  protected final void absorbNext(int block) {
    int absorbed = next(block);
    long absorbedBytes = bytes(absorbed);
    long wholeBytes = bytes(block) + absorbedBytes;
    place(block, address(block), wholeBytes);
    link(block, next(absorbed));
    destroy(absorbed);
    splitBlocks--;
    if (!isFree(block)) {
      splitBytes -= absorbedBytes;
    } else if (coversSegment(block)) {
      splitBlocks--;
      splitBytes -= wholeBytes;
    }
  }

  /** Makes two rows neighbours; one of them may be {@link #NONE}. */
  protected final void link(int left, int right) {
    links[left * LINKS + NEXT] = right;
    links[right * LINKS + PREVIOUS] = left;
  }

  /** Adds a block to the inactive splits, or takes it out, if it is one. */
  protected final void count(int block, int sign) {
    if (isFree(block) && !coversSegment(block)) {
      splitBlocks += sign;
      splitBytes += sign * bytes(block);
    }
  }

  /** Reports how the inactive splits changed since the last report. */
  public final void settle(boolean small) {
    if (splitBlocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(splitBlocks, splitBytes, small);
      splitBlocks = 0;
      splitBytes = 0;
    }
  }

  /**
   * Shows all segments by ascending address and their blocks.
   *
   * @param isSmall whether a block belongs to the small pool
   * @param isPending whether a block in use was given back already
   */
  protected final void describe(
      LayoutVisitor visitor, IntPredicate isSmall, IntPredicate isPending) {
    IntStream.range(0, rows())
        .filter(block -> isBlock(block) && previous(block) == NONE)
        .boxed()
        .sorted((a, b) -> Long.compareUnsigned(address(a), address(b)))
        .forEach(first -> describeSegment(first, visitor, isSmall, isPending));
  }

  private void describeSegment(
      int first, LayoutVisitor visitor, IntPredicate isSmall, IntPredicate isPending) {
    long segmentBytes = 0;
    for (int block = first; block != NONE; block = next(block)) {
      segmentBytes += bytes(block);
    }
    visitor.segment(address(first), segmentBytes, stream(first), isSmall.test(first), 0, false);
    for (int block = first; block != NONE; block = next(block)) {
      LayoutVisitor.BlockState state =
          isFree(block)
              ? LayoutVisitor.BlockState.INACTIVE
              : isPending.test(block)
                  ? LayoutVisitor.BlockState.ACTIVE_PENDING_FREE
                  : LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
      visitor.block(address(block), bytes(block), requestedBytes(block), state, allocation(block));
    }
  }
}
