package org.allocsim.simulator.policy.block;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.LayoutVisitor;

/**
 * Segments that are divided into blocks: what policies that split and merge have in common. It
 * keeps the books and reports to the listener; which block serves a request, what is split, merged
 * or given back is the policy's business.
 *
 * <p>A block is a row number of columns; rows of blocks that are gone are used again. Blocks of a
 * segment are linked in address order and tile it. Allocations are found by their dense ids.
 * Reported inactive splits (free blocks of partly used segments, PyTorch's notion) change at {@link
 * #take} and {@link #settle} only, so that steps in between leave no false peaks.
 */
public final class BlockHeap {
  /** No block. */
  public static final int NONE = -1;

  private static final int FREE = -1;

  private final EffectListener listener;
  private long[] address = new long[256];
  private long[] bytes = new long[256];
  private long[] requestedBytes = new long[256];
  private int[] previous = new int[256];
  private int[] next = new int[256];
  private int[] allocation = new int[256];
  private int[] stream = new int[256];
  private boolean[] exists = new boolean[256];
  private boolean[] pending = new boolean[256];
  private int rows;
  private int[] unused = new int[256];
  private int unusedCount;
  private int[] blockOf = new int[1024];
  private int splitBlocks;
  private long splitBytes;
  private int segments;

  /** A heap without segments that reports to a listener. */
  public BlockHeap(EffectListener listener) {
    this.listener = listener;
    Arrays.fill(blockOf, NONE);
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
    listener.segmentFreed(address[block], bytes[block], stream[block], false);
    destroy(block);
  }

  /** Joins a segment to the one that ends where it begins; the blocks stay as they are. */
  public void joinSegments(int lastOfLower, int firstOfUpper) {
    if (next[lastOfLower] != NONE
        || previous[firstOfUpper] != NONE
        || address[lastOfLower] + bytes[lastOfLower] != address[firstOfUpper]) {
      throw new IllegalStateException("the segments do not touch");
    }
    count(lastOfLower, -1);
    count(firstOfUpper, -1);
    next[lastOfLower] = firstOfUpper;
    previous[firstOfUpper] = lastOfLower;
    segments--;
    count(lastOfLower, 1);
    count(firstOfUpper, 1);
  }

  /**
   * Takes in memory that was mapped into a range of addresses: the range's first, a segment of its
   * own, or more of it right behind its segment's last block.
   *
   * @param last the last block so far, or {@link #NONE} for the first memory of the range
   * @return the block that covers it, free and not merged
   */
  public int map(int last, long mappedAddress, long mappedBytes, int segmentStream) {
    int block = create(mappedAddress, mappedBytes, segmentStream);
    if (last == NONE) {
      segments++;
    } else {
      if (next[last] != NONE || address[last] + bytes[last] != mappedAddress) {
        throw new IllegalStateException("the memory does not lie behind the segment");
      }
      count(last, -1);
      previous[block] = last;
      next[last] = block;
      count(last, 1);
      count(block, 1);
    }
    listener.segmentMapped(mappedAddress, mappedBytes, segmentStream, false);
    return block;
  }

  /** Removes a free block, whose memory was unmapped, from the end of its segment. */
  public void unmap(int block) {
    if (next[block] != NONE || !isFree(block)) {
      throw new IllegalStateException("the memory is in use");
    }
    int last = previous[block];
    count(block, -1);
    if (last == NONE) {
      segments--;
    } else {
      count(last, -1);
      next[last] = NONE;
      count(last, 1);
    }
    listener.segmentUnmapped(address[block], bytes[block], stream[block], false);
    destroy(block);
  }

  /** Cuts a block: it keeps its first bytes; answers the rest, a free block behind it. */
  public int split(int block, long keptBytes) {
    count(block, -1);
    int rest = create(address[block] + keptBytes, bytes[block] - keptBytes, stream[block]);
    bytes[block] = keptBytes;
    next[rest] = next[block];
    previous[rest] = block;
    if (next[block] != NONE) {
      previous[next[block]] = rest;
    }
    next[block] = rest;
    count(block, 1);
    count(rest, 1);
    return rest;
  }

  /** Lets a block absorb the free one behind it. */
  public void mergeNext(int block) {
    int absorbed = next[block];
    if (!isFree(absorbed)) {
      throw new IllegalStateException("the block behind is in use");
    }
    count(block, -1);
    count(absorbed, -1);
    bytes[block] += bytes[absorbed];
    next[block] = next[absorbed];
    if (next[absorbed] != NONE) {
      previous[next[absorbed]] = block;
    }
    destroy(absorbed);
    count(block, 1);
  }

  /** Hands a free block out to an allocation. */
  public void take(int block, int allocationId, long requested) {
    take(block, allocationId, requested, stream[block]);
  }

  /** Hands a free block out to an allocation of a stream. */
  public void take(int block, int allocationId, long requested, int allocationStream) {
    count(block, -1);
    allocation[block] = allocationId;
    requestedBytes[block] = requested;
    stream[block] = allocationStream;
    if (allocationId >= blockOf.length) {
      int old = blockOf.length;
      blockOf = Arrays.copyOf(blockOf, Math.max(allocationId + 1, old + (old >> 1)));
      Arrays.fill(blockOf, old, blockOf.length, NONE);
    }
    blockOf[allocationId] = block;
    listener.blockAllocated(
        allocationId, address[block], requested, bytes[block], allocationStream, false);
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
    if (block == NONE || pending[block]) {
      return NONE;
    }
    pending[block] = true;
    listener.freeRequested(
        allocationId, address[block], requestedBytes[block], bytes[block], stream[block], false);
    return block;
  }

  /** Frees a block whose allocation gave it back; the policy goes on as after {@link #release}. */
  public void completeFree(int block) {
    int allocationId = allocation[block];
    blockOf[allocationId] = NONE;
    pending[block] = false;
    listener.freeCompleted(
        allocationId, address[block], requestedBytes[block], bytes[block], stream[block], false);
    allocation[block] = FREE;
    count(block, 1);
  }

  /** Whether a block was given back and is not free yet. */
  public boolean isPending(int block) {
    return pending[block];
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

  /** Address of a block. */
  public long address(int block) {
    return address[block];
  }

  /** Bytes of a block. */
  public long bytes(int block) {
    return bytes[block];
  }

  /** Bytes of the last request that a block served. */
  public long requestedBytes(int block) {
    return requestedBytes[block];
  }

  /** The block at the lower address in the same segment, or {@link #NONE}. */
  public int previous(int block) {
    return previous[block];
  }

  /** The block at the higher address in the same segment, or {@link #NONE}. */
  public int next(int block) {
    return next[block];
  }

  /** Stream of a block: its last allocation's, else its segment's. */
  public int stream(int block) {
    return stream[block];
  }

  /** Changes the stream of a free block. */
  public void setStream(int block, int newStream) {
    stream[block] = newStream;
  }

  /** Allocation id of a block in use. */
  public int allocation(int block) {
    return allocation[block];
  }

  /** Whether a block, which exists, is free; false for {@link #NONE}. */
  public boolean isFree(int block) {
    return block != NONE && allocation[block] == FREE;
  }

  /** Whether a block is its segment's only one. */
  public boolean coversSegment(int block) {
    return previous[block] == NONE && next[block] == NONE;
  }

  /** More than every row number in use: the length that a policy's own columns need. */
  public int rows() {
    return rows;
  }

  /** Whether a row is a block. */
  public boolean isBlock(int row) {
    return exists[row];
  }

  /** Number of segments. */
  public int segmentCount() {
    return segments;
  }

  /** Shows all segments by ascending address and their blocks. */
  public void describe(LayoutVisitor visitor) {
    int[] firsts = new int[segments];
    int count = 0;
    for (int block = 0; block < rows; block++) {
      if (exists[block] && previous[block] == NONE) {
        firsts[count++] = block;
      }
    }
    int[] order =
        Arrays.stream(firsts)
            .boxed()
            .sorted((a, b) -> Long.compareUnsigned(address[a], address[b]))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int first : order) {
      long segmentBytes = 0;
      for (int block = first; block != NONE; block = next[block]) {
        segmentBytes += bytes[block];
      }
      visitor.segment(address[first], segmentBytes, stream[first], false, 0, false);
      for (int block = first; block != NONE; block = next[block]) {
        visitor.block(
            address[block], bytes[block], requestedBytes[block], state(block), allocation[block]);
      }
    }
  }

  private LayoutVisitor.BlockState state(int block) {
    if (allocation[block] == FREE) {
      return LayoutVisitor.BlockState.INACTIVE;
    }
    return pending[block]
        ? LayoutVisitor.BlockState.ACTIVE_PENDING_FREE
        : LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
  }

  private int create(long newAddress, long newBytes, int newStream) {
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
    allocation[block] = FREE;
    stream[block] = newStream;
    exists[block] = true;
    return block;
  }

  private void destroy(int block) {
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    exists[block] = false;
    unused[unusedCount++] = block;
  }

  /** Adds a block to the inactive splits, or takes it out, if it is one. */
  private void count(int block, int sign) {
    if (allocation[block] == FREE && !coversSegment(block)) {
      splitBlocks += sign;
      splitBytes += sign * bytes[block];
    }
  }

  private void grow() {
    int capacity = Math.addExact(rows, rows);
    address = Arrays.copyOf(address, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    requestedBytes = Arrays.copyOf(requestedBytes, capacity);
    previous = Arrays.copyOf(previous, capacity);
    next = Arrays.copyOf(next, capacity);
    allocation = Arrays.copyOf(allocation, capacity);
    stream = Arrays.copyOf(stream, capacity);
    exists = Arrays.copyOf(exists, capacity);
    pending = Arrays.copyOf(pending, capacity);
  }
}
