package org.allocsim.simulator.order;

import java.util.Arrays;

/**
 * Some blocks of a table ordered by (bytes, unsigned address), as best fit searches them: {@code
 * policy.block.SizeOrder} over rows in place of objects, for tables whose blocks are numbers. Any
 * number of orders may share a table; a block is in one of them at most, and keeps its place while
 * it is.
 *
 * <p>Sizes fall into classes, 64 to a power of two: up to 64 KiB a class is one multiple of 512
 * bytes. A bitmap of two levels tells which classes have blocks, so that the next larger class is
 * two bit scans away, however many there are. The blocks of a class form a search tree that random
 * priorities keep balanced (a treap); most classes hold a block or two, and a tree of blocks that
 * are all alike is searched in time logarithmic in their number. No operation looks at more.
 *
 * <p><b>Source.</b> The two levels are those of TLSF (Masmano et al., ECRTS 2004), which does not
 * order the blocks of a class; treaps: Seidel and Aragon, Algorithmica 16 (1996).
 */
public final class SizeOrderedRows {
  /** No block. */
  public static final int NONE = BlockRows.NONE;

  /** Sizes are told apart by class in units of this many bytes: 2^9 = 512. */
  private static final int UNIT_SHIFT = 9;

  /** Rows of 64 classes: one for each power of two that a size may have, in units. */
  private static final int CLASS_ROWS = 50;

  private final BlockRows blocks;

  /** Roots of the classes' trees by row, {@link #NONE} for empty ones; null for unused rows. */
  private final int[][] roots = new int[CLASS_ROWS][];

  /** By row, which classes are not empty. */
  private final long[] classes = new long[CLASS_ROWS];

  /** Which rows are not empty. */
  private long classRows;

  private int size;

  /** An order of no blocks of a table. */
  public SizeOrderedRows(BlockRows blocks) {
    this.blocks = blocks;
  }

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** The first block of at least the key, or {@link #NONE}. */
  public int ceiling(long bytes, long address) {
    int sizeClass = classOf(bytes);
    if (isUsed(sizeClass)) {
      int block = ceilingIn(root(sizeClass), bytes, address);
      if (block != NONE) {
        return block;
      }
    }
    return firstAbove(sizeClass);
  }

  /** The first block, or {@link #NONE}. */
  public int first() {
    return classRows == 0 ? NONE : firstIn(Long.numberOfTrailingZeros(classRows));
  }

  /** The last block, or {@link #NONE}. */
  public int last() {
    return classRows == 0 ? NONE : lastIn(highestBit(classRows));
  }

  /** The block behind one of the order, or {@link #NONE}. */
  public int next(int block) {
    long bytes = blocks.bytes(block);
    long address = blocks.address(block);
    int next = NONE;
    int sizeClass = classOf(bytes);
    for (int at = root(sizeClass); at != NONE; ) {
      boolean isBehind = at != block && !isBelow(at, bytes, address);
      next = isBehind ? at : next;
      at = isBehind ? lower(at) : upper(at);
    }
    return next != NONE ? next : firstAbove(sizeClass);
  }

  /** The block before one of the order, or {@link #NONE}. */
  public int previous(int block) {
    long bytes = blocks.bytes(block);
    long address = blocks.address(block);
    int previous = NONE;
    int sizeClass = classOf(bytes);
    for (int at = root(sizeClass); at != NONE; ) {
      boolean isBefore = isBelow(at, bytes, address);
      previous = isBefore ? at : previous;
      at = isBefore ? upper(at) : lower(at);
    }
    return previous != NONE ? previous : lastBelow(sizeClass);
  }

  /** Puts a block into the order, where none has the same bytes and address. */
  public void add(int block) {
    size++;
    int sizeClass = classOf(blocks.bytes(block));
    int row = sizeClass >> 6;
    long bit = 1L << sizeClass;
    if (roots[row] == null) {
      roots[row] = new int[Long.SIZE];
    }
    if ((classes[row] & bit) == 0) {
      classes[row] |= bit;
      classRows |= 1L << row;
      roots[row][sizeClass & 63] = block;
      blocks.links[block * BlockRows.LINKS + BlockRows.LOWER] = NONE;
      blocks.links[block * BlockRows.LINKS + BlockRows.UPPER] = NONE;
    } else {
      roots[row][sizeClass & 63] = insert(roots[row][sizeClass & 63], block);
    }
  }

  /**
   * Takes a block out of the order.
   *
   * @throws IllegalStateException where it is not in it
   */
  public void remove(int block) {
    int sizeClass = classOf(blocks.bytes(block));
    int row = sizeClass >> 6;
    int root = isUsed(sizeClass) ? roots[row][sizeClass & 63] : NONE;
    int rest;
    if (root == block) {
      rest = joined(lower(block), upper(block));
    } else {
      detachBelow(root, block);
      rest = root;
    }
    roots[row][sizeClass & 63] = rest;
    if (rest == NONE) {
      classes[row] &= ~(1L << sizeClass);
      if (classes[row] == 0) {
        classRows &= ~(1L << row);
      }
    }
    size--;
  }

  /** Copies all blocks in order behind {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int[] grown = list.length < count + size ? Arrays.copyOf(list, count + size) : list;
    int at = count;
    for (int block = first(); block != NONE; block = next(block)) {
      grown[at++] = block;
    }
    return grown;
  }

  // Classes.

  /** Grows with the size; below 128 units the number of units itself. */
  private static int classOf(long bytes) {
    long units = bytes >>> UNIT_SHIFT;
    int shift = Math.max(0, Long.SIZE - 7 - Long.numberOfLeadingZeros(units));
    return (shift << 6) + (int) (units >>> shift);
  }

  private boolean isUsed(int sizeClass) {
    return (classes[sizeClass >> 6] & 1L << sizeClass) != 0;
  }

  private int root(int sizeClass) {
    return roots[sizeClass >> 6][sizeClass & 63];
  }

  /** The first block of all classes above one. */
  private int firstAbove(int sizeClass) {
    int row = sizeClass >> 6;
    long inRow = classes[row] & -2L << sizeClass;
    if (inRow != 0) {
      return lowest(roots[row][Long.numberOfTrailingZeros(inRow)]);
    }
    long above = classRows & -2L << row;
    return above == 0 ? NONE : firstIn(Long.numberOfTrailingZeros(above));
  }

  private int firstIn(int row) {
    return lowest(roots[row][Long.numberOfTrailingZeros(classes[row])]);
  }

  /** The last block of all classes below one. */
  private int lastBelow(int sizeClass) {
    int row = sizeClass >> 6;
    long inRow = classes[row] & (1L << sizeClass) - 1;
    if (inRow != 0) {
      return highest(roots[row][highestBit(inRow)]);
    }
    long below = classRows & (1L << row) - 1;
    return below == 0 ? NONE : lastIn(highestBit(below));
  }

  private int lastIn(int row) {
    return highest(roots[row][highestBit(classes[row])]);
  }

  private static int highestBit(long bits) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
  }

  // Trees.

  private int lower(int block) {
    return blocks.links[block * BlockRows.LINKS + BlockRows.LOWER];
  }

  private int upper(int block) {
    return blocks.links[block * BlockRows.LINKS + BlockRows.UPPER];
  }

  private boolean isBelow(int block, long bytes, long address) {
    long blockBytes = blocks.bytes(block);
    return blockBytes < bytes
        || (blockBytes == bytes && Long.compareUnsigned(blocks.address(block), address) < 0);
  }

  private int lowest(int root) {
    int block = root;
    for (int below = lower(block); below != NONE; below = lower(block)) {
      block = below;
    }
    return block;
  }

  private int highest(int root) {
    int block = root;
    for (int above = upper(block); above != NONE; above = upper(block)) {
      block = above;
    }
    return block;
  }

  private int ceilingIn(int root, long bytes, long address) {
    int found = NONE;
    int block = root;
    while (block != NONE) {
      if (isBelow(block, bytes, address)) {
        block = upper(block);
      } else {
        found = block;
        block = lower(block);
      }
    }
    return found;
  }

  /** Puts a block into a tree; answers the root. */
  private int insert(int root, int block) {
    int[] links = blocks.links;
    long bytes = blocks.bytes(block);
    long address = blocks.address(block);
    int priority = priority(block);
    int end = NONE;
    int at = root;
    while (at != NONE && priority(at) >= priority) {
      end =
          at * BlockRows.LINKS + (isBelow(at, bytes, address) ? BlockRows.UPPER : BlockRows.LOWER);
      at = links[end];
    }
    split(at, block);
    if (end == NONE) {
      return block;
    }
    links[end] = block;
    return root;
  }

  /** Makes the blocks of a tree children of a block that takes its place. */
  private void split(int root, int block) {
    int[] links = blocks.links;
    long bytes = blocks.bytes(block);
    long address = blocks.address(block);
    int lowerEnd = block * BlockRows.LINKS + BlockRows.LOWER;
    int upperEnd = block * BlockRows.LINKS + BlockRows.UPPER;
    int at = root;
    while (at != NONE) {
      if (isBelow(at, bytes, address)) {
        links[lowerEnd] = at;
        lowerEnd = at * BlockRows.LINKS + BlockRows.UPPER;
        at = links[lowerEnd];
      } else {
        links[upperEnd] = at;
        upperEnd = at * BlockRows.LINKS + BlockRows.LOWER;
        at = links[upperEnd];
      }
    }
    links[lowerEnd] = NONE;
    links[upperEnd] = NONE;
  }

  /** Takes a block that is not the root out of a tree. */
  private void detachBelow(int root, int block) {
    int[] links = blocks.links;
    long bytes = blocks.bytes(block);
    long address = blocks.address(block);
    int end = NONE;
    for (int at = root; at != block; at = links[end]) {
      if (at == NONE) {
        throw new IllegalStateException("block is not in the order");
      }
      end =
          at * BlockRows.LINKS + (isBelow(at, bytes, address) ? BlockRows.UPPER : BlockRows.LOWER);
    }
    links[end] = joined(lower(block), upper(block));
  }

  /** One tree of two, all blocks of the first one before those of the second one. */
  private int joined(int first, int second) {
    if (first == NONE || second == NONE) {
      return first | second;
    }
    int[] links = blocks.links;
    int low = first;
    int high = second;
    int root = priority(low) >= priority(high) ? low : high;
    int end = NONE;
    while (low != NONE && high != NONE) {
      boolean lowIsTop = priority(low) >= priority(high);
      links[end] = lowIsTop ? low : high;
      if (lowIsTop) {
        end = low * BlockRows.LINKS + BlockRows.UPPER;
        low = links[end];
      } else {
        end = high * BlockRows.LINKS + BlockRows.LOWER;
        high = links[end];
      }
    }
    links[end] = low | high;
    return root;
  }

  /** The row number's bits in disorder, the same in every run (MurmurHash3's finalizer). */
  private static int priority(int block) {
    int bits = (block ^ block >>> 16) * 0x85ebca6b;
    bits = (bits ^ bits >>> 13) * 0xc2b2ae35;
    return bits ^ bits >>> 16;
  }
}
