package org.allocsim.simulator.policy.block;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.BlockRows;
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
public final class BlockHeap extends BlockRows {
  // Numbers of a row.
  private static final int REQUESTED_BYTES = 0;

  // Links of a row.
  private static final int PREVIOUS = 0;
  private static final int NEXT = 1;
  private static final int ALLOCATION = 2;
  private static final int STREAM = 3;
  private static final int PENDING = 4;

  /** In place of an allocation: the block is free. */
  private static final int FREE = -1;

  /** In place of an allocation: the row is no block. */
  private static final int GONE = -2;

  private final EffectListener listener;
  private int[] blockOf = new int[1024];
  private int splitBlocks;
  private long splitBytes;
  private int segments;

  /** A heap without segments that reports to a listener. */
  public BlockHeap(EffectListener listener) {
    this.listener = listener;
    links[NONE * LINKS + ALLOCATION] = GONE;
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
      throw new IllegalStateException("the segments do not touch");
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
    int block = create(mappedAddress, mappedBytes, segmentStream);
    if (last == NONE) {
      segments++;
    } else {
      if (next(last) != NONE || address(last) + bytes(last) != mappedAddress) {
        throw new IllegalStateException("the memory does not follow the segment");
      }
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
      links[last * LINKS + NEXT] = NONE;
      count(last, 1);
    }
    listener.segmentUnmapped(address(block), bytes(block), stream(block), false);
    destroy(block);
  }

  /** Cuts a block: it keeps its first bytes; answers the rest, a free block after it. */
  public int split(int block, long keptBytes) {
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

  /** Lets a block absorb the free one after it. */
  public void mergeNext(int block) {
    int absorbed = next(block);
    if (!isFree(absorbed)) {
      throw new IllegalStateException("the next block is in use");
    }
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

  /** Hands a free block out to an allocation. */
  public void take(int block, int allocationId, long requested) {
    take(block, allocationId, requested, stream(block));
  }

  /** Hands a free block out to an allocation of a stream. */
  public void take(int block, int allocationId, long requested, int allocationStream) {
    count(block, -1);
    int link = block * LINKS;
    links[link + ALLOCATION] = allocationId;
    links[link + STREAM] = allocationStream;
    numbers[block * NUMBERS + REQUESTED_BYTES] = requested;
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
    links[block * LINKS + ALLOCATION] = FREE;
    count(block, 1);
  }

  /** Whether a block was given back and is not free yet. */
  public boolean isPending(int block) {
    return links[block * LINKS + PENDING] != 0;
  }

  /** Reports how the inactive splits changed since the last report. */
  public void settle() {
    if (splitBlocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(splitBlocks, splitBytes, false);
      splitBlocks = 0;
      splitBytes = 0;
    }
  }

  /** Block of an allocation, or {@link #NONE}. */
  public int block(int allocationId) {
    return allocationId < blockOf.length ? blockOf[allocationId] : NONE;
  }

  /** Bytes of the last request that a block served. */
  public long requestedBytes(int block) {
    return numbers[block * NUMBERS + REQUESTED_BYTES];
  }

  /** The block at the lower address in the same segment, or {@link #NONE}. */
  public int previous(int block) {
    return links[block * LINKS + PREVIOUS];
  }

  /** The block at the higher address in the same segment, or {@link #NONE}. */
  public int next(int block) {
    return links[block * LINKS + NEXT];
  }

  /** Stream of a block: its last allocation's, else its segment's. */
  public int stream(int block) {
    return links[block * LINKS + STREAM];
  }

  /** Changes the stream of a free block. */
  public void setStream(int block, int newStream) {
    links[block * LINKS + STREAM] = newStream;
  }

  /** Allocation id of a block in use. */
  public int allocation(int block) {
    return links[block * LINKS + ALLOCATION];
  }

  /** Whether a block, which exists, is free; false for {@link #NONE}. */
  public boolean isFree(int block) {
    return allocation(block) == FREE;
  }

  /** Whether a block is its segment's only one. */
  public boolean coversSegment(int block) {
    return (previous(block) | next(block)) == NONE;
  }

  /** Whether a row is a block. */
  public boolean isBlock(int row) {
    return allocation(row) != GONE;
  }

  /** Number of segments. */
  public int segmentCount() {
    return segments;
  }

  /** Shows all segments by ascending address and their blocks. */
  public void describe(LayoutVisitor visitor) {
    int[] firsts = new int[segments];
    int count = 0;
    for (int block = 0; block < rows(); block++) {
      if (isBlock(block) && previous(block) == NONE) {
        firsts[count++] = block;
      }
    }
    int[] order =
        Arrays.stream(firsts)
            .boxed()
            .sorted((a, b) -> Long.compareUnsigned(address(a), address(b)))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int first : order) {
      long segmentBytes = 0;
      for (int block = first; block != NONE; block = next(block)) {
        segmentBytes += bytes(block);
      }
      visitor.segment(address(first), segmentBytes, stream(first), false, 0, false);
      for (int block = first; block != NONE; block = next(block)) {
        visitor.block(
            address(block), bytes(block), requestedBytes(block), state(block), allocation(block));
      }
    }
  }

  private LayoutVisitor.BlockState state(int block) {
    if (allocation(block) == FREE) {
      return LayoutVisitor.BlockState.INACTIVE;
    }
    return isPending(block)
        ? LayoutVisitor.BlockState.ACTIVE_PENDING_FREE
        : LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
  }

  private int create(long newAddress, long newBytes, int newStream) {
    int block = newRow();
    place(block, newAddress, newBytes);
    numbers[block * NUMBERS + REQUESTED_BYTES] = 0;
    int link = block * LINKS;
    links[link + PREVIOUS] = NONE;
    links[link + NEXT] = NONE;
    links[link + ALLOCATION] = FREE;
    links[link + STREAM] = newStream;
    links[link + PENDING] = 0;
    return block;
  }

  private void destroy(int block) {
    links[block * LINKS + ALLOCATION] = GONE;
    giveBack(block);
  }

  /** Makes two rows neighbours; one of them may be {@link #NONE}. */
  private void link(int left, int right) {
    links[left * LINKS + NEXT] = right;
    links[right * LINKS + PREVIOUS] = left;
  }

  /** Adds a block to the inactive splits, or takes it out, if it is one. */
  private void count(int block, int sign) {
    if (isFree(block) && !coversSegment(block)) {
      splitBlocks += sign;
      splitBytes += sign * bytes(block);
    }
  }
}
