package org.allocsim.simulator.policy.block;

import java.util.Arrays;

/**
 * Blocks ordered by (bytes, unsigned address), as best fit searches them and PyTorch's free lists
 * are.
 *
 * <p>Sizes fall into classes, 64 to a power of two: up to 64 KiB a class is one multiple of 512
 * bytes. A bitmap of two levels tells which classes have blocks, so that the next larger class is
 * two bit scans away, however many there are. The blocks of a class form a search tree that random
 * priorities keep balanced (a treap); most classes hold a block or two, and a tree of blocks that
 * are all alike is searched in time logarithmic in their number. No operation looks at more.
 *
 * <p><b>Source.</b> The two levels are those of TLSF (Masmano et al., ECRTS 2004), which does not
 * order the blocks of a class; treaps: Seidel and Aragon, Algorithmica 16 (1996).
 *
 * <p>A position is a number that stays with its block while that is in the set; {@link #NONE} is no
 * position.
 */
public final class OrderedBlocks {
  /** No position. */
  public static final int NONE = 0;

  /** Sizes are told apart by class in units of this many bytes: 2^9 = 512. */
  private static final int UNIT_SHIFT = 9;

  /** Rows of 64 classes: one for each power of two that a size may have, in units. */
  private static final int ROWS = 50;

  /** Addresses are kept with the sign bit flipped, so that signed comparison orders them. */
  private static final long SIGN = Long.MIN_VALUE;

  /** Cells of a node's key: bytes, flipped address. */
  private static final int KEY_CELLS = 2;

  /** Cells of a node's links: lower child, upper child, block, priority. */
  private static final int LINK_CELLS = 4;

  private static final int LOWER = 0;
  private static final int UPPER = 1;
  private static final int BLOCK = 2;
  private static final int PRIORITY = 3;

  /** Roots of the classes' trees by row, {@link #NONE} for empty ones; null for unused rows. */
  private final int[][] roots = new int[ROWS][];

  /** By row, which classes are not empty. */
  private final long[] classes = new long[ROWS];

  /** Which rows are not empty. */
  private long rows;

  /** Node 0 is none. */
  private long[] keys = new long[8 * KEY_CELLS];

  private int[] links = new int[8 * LINK_CELLS];
  private int nodes = 1;

  /** First of the nodes that can be used again, linked by their lower children. */
  private int unused = NONE;

  private int size;

  /** An empty set. */
  public OrderedBlocks() {}

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** First position with a block of at least the key, or {@link #NONE}. */
  public int ceiling(long keyBytes, long keyAddress) {
    int sizeClass = classOf(keyBytes);
    if (isUsed(sizeClass)) {
      int node = ceilingIn(root(sizeClass), keyBytes, keyAddress ^ SIGN);
      if (node != NONE) {
        return node;
      }
    }
    return firstAbove(sizeClass);
  }

  /** Position of the first block, or {@link #NONE}. */
  public int first() {
    return rows == 0 ? NONE : firstIn(Long.numberOfTrailingZeros(rows));
  }

  /** Position of the last block, or {@link #NONE}. */
  public int last() {
    return rows == 0 ? NONE : lastIn(Long.SIZE - 1 - Long.numberOfLeadingZeros(rows));
  }

  /** The position behind, or {@link #NONE}. */
  public int next(int position) {
    int next = NONE;
    int sizeClass = classOf(bytes(position));
    for (int node = root(sizeClass); node != NONE; ) {
      boolean isBehind = isBelow(position, node);
      next = isBehind ? node : next;
      node = links[node * LINK_CELLS + (isBehind ? LOWER : UPPER)];
    }
    return next != NONE ? next : firstAbove(sizeClass);
  }

  /** The position before, or {@link #NONE}. */
  public int previous(int position) {
    int previous = NONE;
    int sizeClass = classOf(bytes(position));
    for (int node = root(sizeClass); node != NONE; ) {
      boolean isBefore = isBelow(node, position);
      previous = isBefore ? node : previous;
      node = links[node * LINK_CELLS + (isBefore ? UPPER : LOWER)];
    }
    return previous != NONE ? previous : lastBelow(sizeClass);
  }

  /** Block at a position. */
  public int block(int position) {
    return links[position * LINK_CELLS + BLOCK];
  }

  /** Bytes of the block at a position. */
  public long bytes(int position) {
    return keys[position * KEY_CELLS];
  }

  /** Address of the block at a position. */
  public long address(int position) {
    return flippedAddress(position) ^ SIGN;
  }

  /** Whether a block is in the set. */
  public boolean contains(long bytes, long address) {
    int position = ceiling(bytes, address);
    return position != NONE && bytes(position) == bytes && address(position) == address;
  }

  /** Adds a block; none of the same bytes and address is in the set. */
  public void add(long bytes, long address, int block) {
    insert(newNode(), bytes, address ^ SIGN, block);
  }

  /** Removes a block that is in the set. */
  public void remove(long bytes, long address) {
    release(detach(bytes, address ^ SIGN));
  }

  /** Removes the block at a position. */
  public void removeAt(int position) {
    release(detach(bytes(position), flippedAddress(position)));
  }

  /** Replaces a block that is in the set. */
  public void replace(long bytes, long address, long newBytes, long newAddress, int newBlock) {
    insert(detach(bytes, address ^ SIGN), newBytes, newAddress ^ SIGN, newBlock);
  }

  /** Replaces the block at a position. */
  public void replaceAt(int position, long newBytes, long newAddress, int newBlock) {
    replace(bytes(position), address(position), newBytes, newAddress, newBlock);
  }

  /** Copies all blocks in order behind {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int[] grown = list.length < count + size ? Arrays.copyOf(list, count + size) : list;
    int at = count;
    for (int node = first(); node != NONE; node = next(node)) {
      grown[at++] = block(node);
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

  /** Makes a node, or {@link #NONE}, the root of a class. */
  private void setRoot(int sizeClass, int node) {
    int row = sizeClass >> 6;
    roots[row][sizeClass & 63] = node;
    if (node == NONE) {
      classes[row] &= ~(1L << sizeClass);
      if (classes[row] == 0) {
        rows &= ~(1L << row);
      }
    }
  }

  /** The first node of all classes above one. */
  private int firstAbove(int sizeClass) {
    int row = sizeClass >> 6;
    long inRow = classes[row] & -2L << sizeClass;
    if (inRow != 0) {
      return lowest(roots[row][Long.numberOfTrailingZeros(inRow)]);
    }
    long above = rows & -2L << row;
    return above == 0 ? NONE : firstIn(Long.numberOfTrailingZeros(above));
  }

  private int firstIn(int row) {
    return lowest(roots[row][Long.numberOfTrailingZeros(classes[row])]);
  }

  /** The last node of all classes below one. */
  private int lastBelow(int sizeClass) {
    int row = sizeClass >> 6;
    long inRow = classes[row] & (1L << sizeClass) - 1;
    if (inRow != 0) {
      return highest(roots[row][Long.SIZE - 1 - Long.numberOfLeadingZeros(inRow)]);
    }
    long below = rows & (1L << row) - 1;
    return below == 0 ? NONE : lastIn(Long.SIZE - 1 - Long.numberOfLeadingZeros(below));
  }

  private int lastIn(int row) {
    return highest(roots[row][Long.SIZE - 1 - Long.numberOfLeadingZeros(classes[row])]);
  }

  // Trees.

  private int lower(int node) {
    return links[node * LINK_CELLS + LOWER];
  }

  private int upper(int node) {
    return links[node * LINK_CELLS + UPPER];
  }

  private int priority(int node) {
    return links[node * LINK_CELLS + PRIORITY];
  }

  private long flippedAddress(int node) {
    return keys[node * KEY_CELLS + 1];
  }

  private boolean isBelow(int node, int other) {
    return isBelow(node, bytes(other), flippedAddress(other));
  }

  private boolean isBelow(int node, long keyBytes, long keyAddress) {
    long nodeBytes = bytes(node);
    return nodeBytes < keyBytes || (nodeBytes == keyBytes && flippedAddress(node) < keyAddress);
  }

  private int lowest(int root) {
    int node = root;
    for (int below = lower(node); below != NONE; below = lower(node)) {
      node = below;
    }
    return node;
  }

  private int highest(int root) {
    int node = root;
    for (int above = upper(node); above != NONE; above = upper(node)) {
      node = above;
    }
    return node;
  }

  private int ceilingIn(int root, long keyBytes, long keyAddress) {
    int found = NONE;
    int node = root;
    while (node != NONE) {
      if (isBelow(node, keyBytes, keyAddress)) {
        node = upper(node);
      } else {
        found = node;
        node = lower(node);
      }
    }
    return found;
  }

  /** Puts a node that is in no tree into the one of its class. */
  private void insert(int node, long bytes, long flippedAddress, int block) {
    keys[node * KEY_CELLS] = bytes;
    keys[node * KEY_CELLS + 1] = flippedAddress;
    links[node * LINK_CELLS + BLOCK] = block;
    size++;
    int sizeClass = classOf(bytes);
    int row = sizeClass >> 6;
    long bit = 1L << sizeClass;
    if ((classes[row] & bit) == 0) {
      if (roots[row] == null) {
        roots[row] = new int[Long.SIZE];
      }
      classes[row] |= bit;
      rows |= 1L << row;
      roots[row][sizeClass & 63] = node;
      links[node * LINK_CELLS + LOWER] = NONE;
      links[node * LINK_CELLS + UPPER] = NONE;
      return;
    }
    int priority = priority(node);
    int parent = NONE;
    int side = LOWER;
    int below = roots[row][sizeClass & 63];
    while (below != NONE && priority(below) >= priority) {
      parent = below;
      side = isBelow(below, bytes, flippedAddress) ? UPPER : LOWER;
      below = links[below * LINK_CELLS + side];
    }
    if (parent == NONE) {
      roots[row][sizeClass & 63] = node;
    } else {
      links[parent * LINK_CELLS + side] = node;
    }
    split(below, node);
  }

  /** Makes the nodes of a tree children of a node that takes its place. */
  private void split(int root, int node) {
    int lowerEnd = node * LINK_CELLS + LOWER;
    int upperEnd = node * LINK_CELLS + UPPER;
    int at = root;
    while (at != NONE) {
      if (isBelow(at, node)) {
        links[lowerEnd] = at;
        lowerEnd = at * LINK_CELLS + UPPER;
        at = links[lowerEnd];
      } else {
        links[upperEnd] = at;
        upperEnd = at * LINK_CELLS + LOWER;
        at = links[upperEnd];
      }
    }
    links[lowerEnd] = NONE;
    links[upperEnd] = NONE;
  }

  /** Takes the node of a key out of its tree. */
  private int detach(long bytes, long flippedAddress) {
    int sizeClass = classOf(bytes);
    int node = isUsed(sizeClass) ? root(sizeClass) : NONE;
    int parent = NONE;
    int side = LOWER;
    while (node != NONE && (bytes(node) != bytes || flippedAddress(node) != flippedAddress)) {
      parent = node;
      side = isBelow(node, bytes, flippedAddress) ? UPPER : LOWER;
      node = links[node * LINK_CELLS + side];
    }
    if (node == NONE) {
      throw new IllegalStateException("block is not in the set");
    }
    int rest = joined(lower(node), upper(node));
    if (parent == NONE) {
      setRoot(sizeClass, rest);
    } else {
      links[parent * LINK_CELLS + side] = rest;
    }
    size--;
    return node;
  }

  /** One tree of two, all nodes of the first one before those of the second one. */
  private int joined(int first, int second) {
    if (first == NONE) {
      return second;
    }
    if (second == NONE) {
      return first;
    }
    int low = first;
    int high = second;
    int root = priority(low) >= priority(high) ? low : high;
    int end = -1;
    while (low != NONE && high != NONE) {
      int top;
      int openEnd;
      if (priority(low) >= priority(high)) {
        top = low;
        openEnd = low * LINK_CELLS + UPPER;
        low = links[openEnd];
      } else {
        top = high;
        openEnd = high * LINK_CELLS + LOWER;
        high = links[openEnd];
      }
      if (end >= 0) {
        links[end] = top;
      }
      end = openEnd;
    }
    links[end] = low == NONE ? high : low;
    return root;
  }

  // Nodes.

  private int newNode() {
    int node = unused;
    if (node != NONE) {
      unused = lower(node);
      return node;
    }
    node = nodes++;
    if (node * KEY_CELLS == keys.length) {
      int capacity = Math.multiplyExact(node, 2);
      keys = Arrays.copyOf(keys, capacity * KEY_CELLS);
      links = Arrays.copyOf(links, Math.multiplyExact(capacity, LINK_CELLS));
    }
    links[node * LINK_CELLS + PRIORITY] = scrambled(node);
    return node;
  }

  private void release(int node) {
    links[node * LINK_CELLS + LOWER] = unused;
    unused = node;
  }

  /** A number's bits in disorder, the same in every run (MurmurHash3's finalizer). */
  private static int scrambled(int number) {
    int bits = number;
    bits = (bits ^ bits >>> 16) * 0x85ebca6b;
    bits = (bits ^ bits >>> 13) * 0xc2b2ae35;
    return bits ^ bits >>> 16;
  }
}
