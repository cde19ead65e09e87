package org.allocsim.simulator.policy.block;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.LayoutVisitor;

/**
 * Segments that are divided into blocks: what policies that split and merge have in common. It
 * keeps the books and reports to the listener; which block serves a request, what is split, merged
 * or given back is the policy's business.
 *
 * <p>A block is a row of the table; rows of blocks that are gone are used again. Blocks of a
 * segment are linked in address order and tile it. Allocations are found by their dense ids. The
 * free blocks may be kept in {@link org.allocsim.simulator.order.SizeOrderedRows}s over the table;
 * a block has to be in none while its place changes. Reported inactive splits (free blocks of
 * partly used segments, PyTorch's notion) change at {@link #take} and {@link #settle} only, so that
 * steps in between leave no false peaks.
 */
public final class BlockHeap extends SegmentBlocks {
  /** Link of a row: not 0 where the block was given back and is not free yet. */
  private static final int PENDING = FIRST_FURTHER_LINK;

  private final EffectListener listener;
  private int[] blockOf = new int[1024];
  private int segments;

  /** A heap without segments that reports to a listener. */
  public BlockHeap(EffectListener listener) {
    super(listener);
    this.listener = listener;
  }

  /** Takes a segment in; answers its only block, which is free. */
  public int addSegment(long segmentAddress, long segmentBytes, int segmentStream) {
    int block = create(segmentAddress, segmentBytes, segmentStream);
    segments++;
    listener.segmentAllocated(segmentAddress, segmentBytes, segmentStream, false);
    return block;
  }

  /** Removes a segment, whose only block is free, from the books. */
  public void removeSegment(int block) {
    if (!coversSegment(block) || !isFree(block)) {
      throw new IllegalStateException("the segment is in use");
    }
    segments--;
    listener.segmentFreed(address(block), bytes(block), stream(block), false);
    destroy(block);
  }

  /** Joins a segment to the one that ends where it begins; the blocks stay as they are. */
  public void joinSegments(int lastOfLower, int firstOfUpper) {
    if (next(lastOfLower) != NONE
        || previous(firstOfUpper) != NONE
        || address(lastOfLower) + bytes(lastOfLower) != address(firstOfUpper)) {
      throw new IllegalStateException("the segments are not adjacent");
    }
    count(lastOfLower, -1);
    count(firstOfUpper, -1);
    link(lastOfLower, firstOfUpper);
    segments--;
    count(lastOfLower, 1);
    count(firstOfUpper, 1);
  }

  /**
   * Takes in memory that was mapped into a range of addresses: the range's first, a segment of its
   * own, or more of it right after its segment's last block.
   *
   * @param last the last block so far, or {@link #NONE} for the first memory of the range
   * @return the block that covers it, free and not merged
   */
  public int map(int last, long mappedAddress, long mappedBytes, int segmentStream) {
    if (last != NONE && (next(last) != NONE || address(last) + bytes(last) != mappedAddress)) {
      throw new IllegalStateException("the memory does not follow the segment");
    }
    int block = create(mappedAddress, mappedBytes, segmentStream);
    if (last == NONE) {
      segments++;
    } else {
      count(last, -1);
      link(last, block);
      count(last, 1);
      count(block, 1);
    }
    listener.segmentMapped(mappedAddress, mappedBytes, segmentStream, false);
    return block;
  }

  /** Removes a free block, whose memory was unmapped, from the end of its segment. */
  public void unmap(int block) {
    if (next(block) != NONE || !isFree(block)) {
      throw new IllegalStateException("the memory is in use");
    }
    int last = previous(block);
    count(block, -1);
    if (last == NONE) {
      segments--;
    } else {
      count(last, -1);
      link(last, NONE);
      count(last, 1);
    }
    listener.segmentUnmapped(address(block), bytes(block), stream(block), false);
    destroy(block);
  }

  /** Cuts a block: it keeps its first bytes; answers the rest, a free block after it. */
  public int split(int block, long keptBytes) {
    return cut(block, keptBytes);
  }

  /** Lets a block absorb the free one after it. */
  public void mergeNext(int block) {
    if (!isFree(next(block))) {
      throw new IllegalStateException("the next block is in use");
    }
    absorbNext(block);
  }

  /** Hands a free block out to an allocation. */
  public void take(int block, int allocationId, long requested) {
    take(block, allocationId, requested, stream(block));
  }

  /** Hands a free block out to an allocation of a stream. */
  public void take(int block, int allocationId, long requested, int allocationStream) {
    use(block, allocationId, requested);
    setStream(block, allocationStream);
    if (allocationId >= blockOf.length) {
      int old = blockOf.length;
      blockOf = Arrays.copyOf(blockOf, Math.max(allocationId + 1, old + (old >> 1)));
    }
    blockOf[allocationId] = block;
    listener.blockAllocated(
        allocationId, address(block), requested, bytes(block), allocationStream, false);
    settle();
  }

  /**
   * Takes an allocation's block back: it is free at once. The policy merges it, then calls {@link
   * #settle}.
   *
   * @return the block, or {@link #NONE} where the allocation has none
   */
  public int release(int allocationId) {
    int block = requestFree(allocationId);
    if (block != NONE) {
      completeFree(block);
    }
    return block;
  }

  /**
   * Takes an allocation's block back while work still uses it: it is free after {@link
   * #completeFree}.
   *
   * @return the block, or {@link #NONE} where the allocation has none or gave it back before
   */
  public int requestFree(int allocationId) {
    int block = block(allocationId);
    if (block == NONE || isPending(block)) {
      return NONE;
    }
    links[block * LINKS + PENDING] = 1;
    listener.freeRequested(
        allocationId, address(block), requestedBytes(block), bytes(block), stream(block), false);
    return block;
  }

  /** Frees a block whose allocation gave it back; the policy goes on as after {@link #release}. */
  public void completeFree(int block) {
    int allocationId = allocation(block);
    blockOf[allocationId] = NONE;
    links[block * LINKS + PENDING] = 0;
    listener.freeCompleted(
        allocationId, address(block), requestedBytes(block), bytes(block), stream(block), false);
    makeFree(block);
  }

  /** Whether a block was given back and is not free yet. */
  public boolean isPending(int block) {
    return links[block * LINKS + PENDING] != 0;
  }

  /** Reports how the inactive splits changed since the last report. */
  public void settle() {
    settle(false);
  }

  /** Block of an allocation, or {@link #NONE}. */
  public int block(int allocationId) {
    return allocationId < blockOf.length ? blockOf[allocationId] : NONE;
  }

  /** Number of segments. */
  public int segmentCount() {
    return segments;
  }

  /** Shows all segments by ascending address and their blocks. */
  public void describe(LayoutVisitor visitor) {
    describe(visitor, _ -> false, this::isPending);
  }
}
