package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;

/**
 * All blocks of one device as columns; a block is a row number, and rows of destroyed blocks are
 * used again. The fields are those of PyTorch 2.11's {@code Block}.
 */
final class BlockTable {
  /** No block. */
  static final int NONE = -1;

  long[] address = new long[256];
  long[] bytes = new long[256];

  /** Bytes of the last request that this block object served; kept while it is free. */
  long[] requestedBytes = new long[256];

  /** Neighbour at the lower address in the same segment, or {@link #NONE}. */
  int[] previous = new int[256];

  /** Neighbour at the higher address in the same segment, or {@link #NONE}. */
  int[] next = new int[256];

  /** Allocation id while handed out or awaiting free. */
  int[] allocation = new int[256];

  /** The pool's lookup counter when the block last became free. */
  long[] lookupsWhenFreed = new long[256];

  /** Row of the expandable segment that the block lives in, or {@link #NONE}. */
  int[] expandable = new int[256];

  /** First outstanding use on another stream, a row of {@link StreamUses}, or none. */
  int[] firstUse = new int[256];

  BlockPool[] pool = new BlockPool[256];
  int[] stream = new int[256];

  /** Handed out to the program. */
  boolean[] allocated = new boolean[256];

  /** Given back by the program, not yet reusable. */
  boolean[] pending = new boolean[256];

  /** Backed by physical memory. */
  boolean[] mapped = new boolean[256];

  private int rows;
  private int[] unused = new int[256];
  private int unusedCount;

  /** A new mapped free block without neighbours that is in no set. */
  int create(long newAddress, long newBytes, int newStream, BlockPool newPool) {
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
    allocation[block] = -1;
    lookupsWhenFreed[block] = 0;
    expandable[block] = NONE;
    firstUse[block] = StreamUses.NONE;
    pool[block] = newPool;
    stream[block] = newStream;
    allocated[block] = false;
    pending[block] = false;
    mapped[block] = true;
    return block;
  }

  /** Destroys a block whose row may be used again. */
  void destroy(int block) {
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    pool[block] = null;
    unused[unusedCount++] = block;
  }

  /** Whether the block shares its segment with other blocks. */
  boolean isSplit(int block) {
    return previous[block] != NONE || next[block] != NONE;
  }

  /** Whether the block exists, is free, and waits for no other stream. */
  boolean isAllocatable(int block) {
    return block != NONE && !allocated[block] && !pending[block];
  }

  /** Puts {@code block} between {@code before} and its right neighbour. */
  void linkBehind(int before, int block) {
    previous[block] = before;
    next[block] = next[before];
    if (next[before] != NONE) {
      previous[next[before]] = block;
    }
    next[before] = block;
  }

  /** Puts {@code block} between {@code after} and its left neighbour. */
  void linkBefore(int after, int block) {
    next[block] = after;
    previous[block] = previous[after];
    if (previous[after] != NONE) {
      next[previous[after]] = block;
    }
    previous[after] = block;
  }

  /**
   * Lets a block absorb a neighbour that is free and of the same mapping state.
   *
   * @param absorbed the neighbour, or {@link #NONE}; its row and its place in its pool's set go
   * @return bytes gained, 0 where the neighbour cannot be absorbed
   */
  long tryMerge(int block, int absorbed) {
    if (!isAllocatable(absorbed) || mapped[absorbed] != mapped[block]) {
      return 0;
    }
    if (mapped[absorbed]) {
      pool[absorbed].removeFree(absorbed);
    } else {
      pool[absorbed].removeUnmapped(absorbed);
    }
    if (previous[block] == absorbed) {
      address[block] = address[absorbed];
      previous[block] = previous[absorbed];
      if (previous[block] != NONE) {
        next[previous[block]] = block;
      }
    } else {
      next[block] = next[absorbed];
      if (next[block] != NONE) {
        previous[next[block]] = block;
      }
    }
    long gainedBytes = bytes[absorbed];
    bytes[block] += gainedBytes;
    destroy(absorbed);
    return gainedBytes;
  }

  /** Number of rows in use or unused; a row in use has a pool. */
  int rows() {
    return rows;
  }

  private void grow() {
    int capacity = Math.addExact(rows, rows);
    address = Arrays.copyOf(address, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    requestedBytes = Arrays.copyOf(requestedBytes, capacity);
    previous = Arrays.copyOf(previous, capacity);
    next = Arrays.copyOf(next, capacity);
    allocation = Arrays.copyOf(allocation, capacity);
    lookupsWhenFreed = Arrays.copyOf(lookupsWhenFreed, capacity);
    expandable = Arrays.copyOf(expandable, capacity);
    firstUse = Arrays.copyOf(firstUse, capacity);
    pool = Arrays.copyOf(pool, capacity);
    stream = Arrays.copyOf(stream, capacity);
    allocated = Arrays.copyOf(allocated, capacity);
    pending = Arrays.copyOf(pending, capacity);
    mapped = Arrays.copyOf(mapped, capacity);
  }
}
