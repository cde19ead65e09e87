package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.order.BlockRows;

/**
 * All blocks of one device. The fields are those of PyTorch 2.11's {@code Block}; free blocks are
 * ordered by the {@link FreeList} that they belong to.
 */
final class BlockTable extends BlockRows {
  /** Expandable segment of a block that lies in none. */
  static final int NO_EXPANDABLE = -1;

  // Numbers behind those of the order.
  private static final int REQUESTED_BYTES = 2;
  private static final int LOOKUPS_WHEN_FREED = 3;

  // Links behind those of the order.
  private static final int PREVIOUS = 2;
  private static final int NEXT = 3;
  private static final int LIST_AND_STATE = 4;
  private static final int EXPANDABLE = 5;
  private static final int FIRST_USE = 6;
  private static final int ALLOCATION = 7;

  // States, in the lowest bits of the link to the free list; a mapped free block has none of them.
  private static final int FREE = 0;
  private static final int ALLOCATED = 1;
  private static final int PENDING = 2;
  private static final int UNMAPPED = 4;
  private static final int DESTROYED = 8;
  private static final int STATES = 15;
  private static final int STATE_BITS = 4;

  /** All free lists by their numbers. */
  private FreeList[] lists = new FreeList[4];

  private int listCount;

  BlockTable() {
    links[NONE * LINKS + LIST_AND_STATE] = DESTROYED;
    links[NONE * LINKS + EXPANDABLE] = NO_EXPANDABLE;
  }

  /** Takes a free list in and returns its number. */
  int register(FreeList list) {
    if (listCount == lists.length) {
      lists = Arrays.copyOf(lists, listCount * 2);
    }
    lists[listCount] = list;
    return listCount++;
  }

  /** A new mapped free block without neighbours that is in no set. */
  int create(long address, long bytes, FreeList list) {
    return create(address, bytes, list.number << STATE_BITS, NO_EXPANDABLE);
  }

  /** As above, in the segment of another block. */
  int createLike(int block, long address, long bytes) {
    int link = block * LINKS;
    return create(address, bytes, links[link + LIST_AND_STATE] & ~STATES, links[link + EXPANDABLE]);
  }

  private int create(long address, long bytes, int listAndState, int expandable) {
    int block = newRow();
    place(block, address, bytes);
    int number = block * NUMBERS;
    numbers[number + REQUESTED_BYTES] = 0;
    numbers[number + LOOKUPS_WHEN_FREED] = 0;
    int link = block * LINKS;
    links[link + PREVIOUS] = NONE;
    links[link + NEXT] = NONE;
    links[link + LIST_AND_STATE] = listAndState;
    links[link + EXPANDABLE] = expandable;
    links[link + FIRST_USE] = StreamUses.NONE;
    links[link + ALLOCATION] = -1;
    return block;
  }

  /** Destroys a block whose row may be used again. */
  void destroy(int block) {
    links[block * LINKS + LIST_AND_STATE] = DESTROYED;
    giveBack(block);
  }

  /** Whether a row is a block. */
  boolean isBlock(int row) {
    return links[row * LINKS + LIST_AND_STATE] != DESTROYED;
  }

  // Fields.

  /** Bytes of the last request that this block object served; kept while it is free. */
  long requestedBytes(int block) {
    return numbers[block * NUMBERS + REQUESTED_BYTES];
  }

  void setRequestedBytes(int block, long requestedBytes) {
    numbers[block * NUMBERS + REQUESTED_BYTES] = requestedBytes;
  }

  /** The pool's lookup counter when the block last became free. */
  long lookupsWhenFreed(int block) {
    return numbers[block * NUMBERS + LOOKUPS_WHEN_FREED];
  }

  void setLookupsWhenFreed(int block, long lookups) {
    numbers[block * NUMBERS + LOOKUPS_WHEN_FREED] = lookups;
  }

  /** Neighbour at the lower address in the same segment, or {@link #NONE}. */
  int previous(int block) {
    return links[block * LINKS + PREVIOUS];
  }

  /** Neighbour at the higher address in the same segment, or {@link #NONE}. */
  int next(int block) {
    return links[block * LINKS + NEXT];
  }

  /** Where the block is when it is free. */
  FreeList list(int block) {
    return lists[links[block * LINKS + LIST_AND_STATE] >> STATE_BITS];
  }

  /** Row of the expandable segment that the block lies in, or {@link #NO_EXPANDABLE}. */
  int expandable(int block) {
    return links[block * LINKS + EXPANDABLE];
  }

  boolean isExpandable(int block) {
    return expandable(block) != NO_EXPANDABLE;
  }

  void setExpandable(int block, int segment) {
    links[block * LINKS + EXPANDABLE] = segment;
  }

  /** First use on another stream, a row of {@link StreamUses}, or none. */
  int firstUse(int block) {
    return links[block * LINKS + FIRST_USE];
  }

  void setFirstUse(int block, int use) {
    links[block * LINKS + FIRST_USE] = use;
  }

  /** Allocation id while handed out or awaiting free, else −1. */
  int allocation(int block) {
    return links[block * LINKS + ALLOCATION];
  }

  // States.

  private int state(int block) {
    return links[block * LINKS + LIST_AND_STATE] & STATES;
  }

  private void setState(int block, int state) {
    int link = block * LINKS + LIST_AND_STATE;
    links[link] = links[link] & ~STATES | state;
  }

  /** Handed out to the program. */
  boolean isAllocated(int block) {
    return state(block) == ALLOCATED;
  }

  /** Given back by the program, not yet reusable. */
  boolean isPending(int block) {
    return state(block) == PENDING;
  }

  /** Backed by physical memory. */
  boolean isMapped(int block) {
    return state(block) != UNMAPPED;
  }

  /** Whether the block exists, is free, and waits for no other stream. */
  boolean isAllocatable(int block) {
    return (state(block) & ~UNMAPPED) == FREE;
  }

  void setAllocated(int block, int allocation) {
    setState(block, ALLOCATED);
    links[block * LINKS + ALLOCATION] = allocation;
  }

  void setPending(int block) {
    setState(block, PENDING);
  }

  void setFree(int block) {
    setState(block, FREE);
    links[block * LINKS + ALLOCATION] = -1;
  }

  void setMapped(int block, boolean mapped) {
    setState(block, mapped ? FREE : UNMAPPED);
  }

  // Neighbours.

  /** Whether the block shares its segment with other blocks. */
  boolean isSplit(int block) {
    return (previous(block) | next(block)) != NONE;
  }

  /** Puts {@code block} between {@code before} and its right neighbour. */
  void linkBehind(int before, int block) {
    int after = next(before);
    link(before, block);
    link(block, after);
  }

  /** Puts {@code block} between {@code after} and its left neighbour. */
  void linkBefore(int after, int block) {
    int before = previous(after);
    link(before, block);
    link(block, after);
  }

  /** Makes two rows neighbours; one of them may be {@link #NONE}. */
  private void link(int left, int right) {
    links[left * LINKS + NEXT] = right;
    links[right * LINKS + PREVIOUS] = left;
  }

  /**
   * Lets a free block absorb the neighbours that are free and of the same mapping state; their rows
   * and their places in the free list go.
   *
   * @return number of neighbours absorbed, 0 to 2
   */
  int mergeNeighbours(int block) {
    int left = previous(block);
    int right = next(block);
    long address = address(block);
    long bytes = bytes(block);
    int absorbed = 0;
    if (isAlike(left, block)) {
      address = address(left);
      bytes += bytes(left);
      link(previous(left), block);
      absorb(left);
      absorbed++;
    }
    if (isAlike(right, block)) {
      bytes += bytes(right);
      link(block, next(right));
      absorb(right);
      absorbed++;
    }
    place(block, address, bytes);
    return absorbed;
  }

  /** Whether a neighbour, which may be {@link #NONE}, is in the same state. */
  private boolean isAlike(int neighbour, int block) {
    return links[neighbour * LINKS + LIST_AND_STATE] == links[block * LINKS + LIST_AND_STATE];
  }

  private void absorb(int neighbour) {
    if (isMapped(neighbour)) {
      list(neighbour).remove(neighbour);
    } else {
      list(neighbour).removeUnmapped(neighbour);
    }
    destroy(neighbour);
  }
}
