package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * All blocks of one device. Destroyed blocks are reused, so there are never more objects than
 * blocks at one time.
 */
final class BlockTable {
  private Block[] blocks = new Block[16];
  private int count;
  private final Block edge = Block.edge();

  /** Whether the older segment, not the lower address, decides between blocks of one size. */
  private final boolean olderSegmentsFirst;

  /** Positions from here on are those of segments made since the table was. */
  private static final long FIRST_POSITION = 1L << 62;

  /** Where the positions of the next segment begin; they follow those of all older ones. */
  private long nextPosition = FIRST_POSITION;

  /** The destroyed blocks, each linked to the next. */
  private @Nullable Block unused;

  /**
   * A table without blocks.
   *
   * @param olderSegmentsFirst whether of two blocks of one size that of the older segment comes
   *     first, whatever the addresses
   */
  BlockTable(boolean olderSegmentsFirst) {
    this.olderSegmentsFirst = olderSegmentsFirst;
  }

  /** A new mapped free block, in no set, that is all of a new segment. */
  Block createSegment(long address, long bytes, FreeList list) {
    long shift = 0;
    if (olderSegmentsFirst) {
      shift = nextPosition - address;
      nextPosition += bytes;
    }
    list.pool.hasSegment(bytes);
    return create(address, bytes, shift, list, Block.NO_EXPANDABLE);
  }

  /**
   * As above, of a segment that is older than all that were made. Which of several such is older is
   * unknown; drivers mostly hand out descending addresses, so the highest is taken for it.
   */
  Block createOldSegment(long address, long bytes, FreeList list) {
    list.pool.hasSegment(bytes);
    long shift = olderSegmentsFirst ? FIRST_POSITION - bytes - 2 * address : 0;
    return create(address, bytes, shift, list, Block.NO_EXPANDABLE);
  }

  /** A new mapped free block without neighbours, in no set, in the segment of another one. */
  Block createLike(Block block, long address, long bytes) {
    return create(address, bytes, block.shift(), block.list, block.expandable);
  }

  private Block create(long address, long bytes, long shift, FreeList list, int expandable) {
    Block block = take();
    block.create(address, bytes, shift, list, expandable, edge);
    return block;
  }

  /**
   * Splits the first bytes off a block that is in no set.
   *
   * @return a new block of them, to be handed out at once; the other one keeps the rest
   */
  Block splitFront(Block rest, long bytes) {
    Block front = take();
    front.splitFrom(rest, bytes);
    return front;
  }

  /** As {@link #splitFront} where there is an unused block. */
  @SuppressWarnings("NullAway") // the caller has asked whether there is one
  Block splitFrontUnused(Block rest, long bytes) {
    Block front = unused;
    unused = front.next;
    front.splitFrom(rest, bytes);
    return front;
  }

  /** Whether there is a block that was destroyed and not used again. */
  boolean haveUnused() {
    return unused != null;
  }

  /** A destroyed block. */
  private Block take() {
    Block block = unused;
    if (block == null) {
      return newBlock();
    }
    unused = block.next;
    return block;
  }

  private Block newBlock() {
    if (count == blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.multiplyExact(count, 2));
    }
    Block block = new Block(count);
    blocks[count++] = block;
    return block;
  }

  /** Destroys a block, whose object may be used again. */
  @SuppressWarnings("NullAway") // of destroyed blocks the next is null where there is none
  void destroy(Block block) {
    block.setDestroyed();
    block.next = unused;
    unused = block;
  }

  /** More than the number of every block. */
  int size() {
    return count;
  }

  /** The block of a number, which may be a destroyed one. */
  Block block(int number) {
    return blocks[number];
  }

  /**
   * Lets a free block, which is in no set, absorb the neighbours that are free and of the same
   * mapping state; these are destroyed and leave the free list.
   *
   * @param list the list that the block and its neighbours belong to
   * @param mapped whether the block is backed by physical memory
   * @return number of neighbours absorbed, 0 to 2
   */
  int mergeNeighbours(Block block, FreeList list, boolean mapped) {
    int absorbed = 0;
    Block left = block.previous;
    if (left.isFree(mapped)) {
      block.place(left.position(), left.bytes() + block.bytes());
      Block before = left.previous;
      block.previous = before;
      before.next = block;
      absorb(left, list, mapped);
      absorbed = 1;
    }
    Block right = block.next;
    if (right.isFree(mapped)) {
      block.place(block.position(), block.bytes() + right.bytes());
      Block after = right.next;
      block.next = after;
      after.previous = block;
      absorb(right, list, mapped);
      absorbed++;
    }
    return absorbed;
  }

  private void absorb(Block neighbour, FreeList list, boolean mapped) {
    if (mapped) {
      list.remove(neighbour);
    } else {
      list.removeUnmapped(neighbour);
    }
    destroy(neighbour);
  }
}
