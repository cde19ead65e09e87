package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;

/**
 * All blocks of one device. A block is a row number, and rows of destroyed blocks are used again.
 * The fields are those of PyTorch 2.11's {@code Block}.
 *
 * <p>The cells of a row lie together, its numbers in one array and its links in another: with many
 * blocks each that is looked at costs two cache lines, where a column for every field would cost
 * ten. Row 0 is no block but may be written to, so that linking need not ask whether there is a
 * neighbour.
 */
final class BlockTable {
  /** No block. */
  static final int NONE = 0;

  /** Expandable segment of a block that lies in none. */
  static final int NO_EXPANDABLE = -1;

  private static final int NUMBER_CELLS = 4;
  private static final int ADDRESS = 0;
  private static final int BYTES = 1;
  private static final int REQUESTED_BYTES = 2;
  private static final int LOOKUPS_WHEN_FREED = 3;

  private static final int LINK_CELLS = 8;
  private static final int PREVIOUS = 0;
  private static final int NEXT = 1;
  private static final int STATE = 2;
  private static final int LIST = 3;
  private static final int EXPANDABLE = 4;
  private static final int FIRST_USE = 5;
  private static final int ALLOCATION = 6;

  // States; a mapped free block has none of them.
  private static final int FREE = 0;
  private static final int ALLOCATED = 1;
  private static final int PENDING = 2;
  private static final int UNMAPPED = 4;
  private static final int DESTROYED = 8;

  private static final int FIRST_CAPACITY = 256;

  private long[] numbers = new long[FIRST_CAPACITY * NUMBER_CELLS];
  private int[] links = new int[FIRST_CAPACITY * LINK_CELLS];
  private int rows = 1;

  /** First of the rows that can be used again, linked by their next neighbours. */
  private int unused = NONE;

  /** All free lists by their numbers. */
  private FreeList[] lists = new FreeList[4];

  private int listCount;

  BlockTable() {
    links[NONE * LINK_CELLS + STATE] = DESTROYED;
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
    return create(address, bytes, list.number, NO_EXPANDABLE);
  }

  /** As above, in the segment of another block. */
  int createLike(int block, long address, long bytes) {
    int link = block * LINK_CELLS;
    return create(address, bytes, links[link + LIST], links[link + EXPANDABLE]);
  }

  private int create(long address, long bytes, int list, int expandable) {
    int block = unused;
    if (block == NONE) {
      block = rows++;
      if (block * LINK_CELLS == links.length) {
        links = Arrays.copyOf(links, Math.multiplyExact(links.length, 2));
        numbers = Arrays.copyOf(numbers, Math.multiplyExact(numbers.length, 2));
      }
    } else {
      unused = links[block * LINK_CELLS + NEXT];
    }
    int number = block * NUMBER_CELLS;
    numbers[number + ADDRESS] = address;
    numbers[number + BYTES] = bytes;
    numbers[number + REQUESTED_BYTES] = 0;
    numbers[number + LOOKUPS_WHEN_FREED] = 0;
    int link = block * LINK_CELLS;
    links[link + PREVIOUS] = NONE;
    links[link + NEXT] = NONE;
    links[link + STATE] = FREE;
    links[link + LIST] = list;
    links[link + EXPANDABLE] = expandable;
    links[link + FIRST_USE] = StreamUses.NONE;
    links[link + ALLOCATION] = -1;
    return block;
  }

  /** Destroys a block whose row may be used again. */
  void destroy(int block) {
    links[block * LINK_CELLS + STATE] = DESTROYED;
    links[block * LINK_CELLS + NEXT] = unused;
    unused = block;
  }

  /** More than every row number in use. */
  int rows() {
    return rows;
  }

  /** Whether a row is a block. */
  boolean isBlock(int row) {
    return links[row * LINK_CELLS + STATE] != DESTROYED;
  }

  // Fields.

  long address(int block) {
    return numbers[block * NUMBER_CELLS + ADDRESS];
  }

  long bytes(int block) {
    return numbers[block * NUMBER_CELLS + BYTES];
  }

  /** Gives a block another place. */
  void place(int block, long address, long bytes) {
    numbers[block * NUMBER_CELLS + ADDRESS] = address;
    numbers[block * NUMBER_CELLS + BYTES] = bytes;
  }

  /** Bytes of the last request that this block object served; kept while it is free. */
  long requestedBytes(int block) {
    return numbers[block * NUMBER_CELLS + REQUESTED_BYTES];
  }

  void setRequestedBytes(int block, long requestedBytes) {
    numbers[block * NUMBER_CELLS + REQUESTED_BYTES] = requestedBytes;
  }

  /** The pool's lookup counter when the block last became free. */
  long lookupsWhenFreed(int block) {
    return numbers[block * NUMBER_CELLS + LOOKUPS_WHEN_FREED];
  }

  void setLookupsWhenFreed(int block, long lookups) {
    numbers[block * NUMBER_CELLS + LOOKUPS_WHEN_FREED] = lookups;
  }

  /** Neighbour at the lower address in the same segment, or {@link #NONE}. */
  int previous(int block) {
    return links[block * LINK_CELLS + PREVIOUS];
  }

  /** Neighbour at the higher address in the same segment, or {@link #NONE}. */
  int next(int block) {
    return links[block * LINK_CELLS + NEXT];
  }

  /** Where the block is when it is free. */
  FreeList list(int block) {
    return lists[links[block * LINK_CELLS + LIST]];
  }

  /** Row of the expandable segment that the block lies in, or {@link #NO_EXPANDABLE}. */
  int expandable(int block) {
    return links[block * LINK_CELLS + EXPANDABLE];
  }

  boolean isExpandable(int block) {
    return expandable(block) != NO_EXPANDABLE;
  }

  void setExpandable(int block, int segment) {
    links[block * LINK_CELLS + EXPANDABLE] = segment;
  }

  /** First use on another stream, a row of {@link StreamUses}, or none. */
  int firstUse(int block) {
    return links[block * LINK_CELLS + FIRST_USE];
  }

  void setFirstUse(int block, int use) {
    links[block * LINK_CELLS + FIRST_USE] = use;
  }

  /** Allocation id while handed out or awaiting free, else −1. */
  int allocation(int block) {
    return links[block * LINK_CELLS + ALLOCATION];
  }

  // States.

  private int state(int block) {
    return links[block * LINK_CELLS + STATE];
  }

  private void setState(int block, int state) {
    links[block * LINK_CELLS + STATE] = state;
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
    links[block * LINK_CELLS + ALLOCATION] = allocation;
  }

  void setPending(int block) {
    setState(block, PENDING);
  }

  void setFree(int block) {
    setState(block, FREE);
    links[block * LINK_CELLS + ALLOCATION] = -1;
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
    links[left * LINK_CELLS + NEXT] = right;
    links[right * LINK_CELLS + PREVIOUS] = left;
  }

  /**
   * Lets a free block absorb the neighbours that are free and of the same mapping state; their rows
   * and their places in the free list go.
   *
   * @return number of neighbours absorbed, 0 to 2
   */
  int mergeNeighbours(int block) {
    int state = state(block);
    int left = previous(block);
    int right = next(block);
    long address = address(block);
    long bytes = bytes(block);
    int absorbed = 0;
    if (state(left) == state) {
      address = address(left);
      bytes += bytes(left);
      link(previous(left), block);
      absorb(left);
      absorbed++;
    }
    if (state(right) == state) {
      bytes += bytes(right);
      link(block, next(right));
      absorb(right);
      absorbed++;
    }
    place(block, address, bytes);
    return absorbed;
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
