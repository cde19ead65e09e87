package org.allocsim.simulator.order;

/**
 * Some blocks ordered by (bytes, unsigned address), as best fit searches them and PyTorch's free
 * lists are. A block is in one order at most, and keeps its place while it is.
 *
 * <p>Sizes fall into classes, 64 to a power of two: up to 64 KiB a class is one multiple of 512
 * bytes. A bitmap of two levels tells which classes have blocks, so that the next larger class is
 * two bit scans away, however many there are. The last few blocks of a class wait in a list in no
 * order, because most leave it before anyone looks for them; when there are more, they move to a
 * search tree that random priorities keep balanced (a treap). So a search looks at a few blocks
 * that wait and at a number of others that grows with the logarithm of how many are alike.
 *
 * <p><b>Source.</b> The two levels are those of TLSF (Masmano et al., ECRTS 2004), which does not
 * order the blocks of a class; treaps: Seidel and Aragon, Algorithmica 16 (1996).
 *
 * @param <B> the kind of block
 */
@SuppressWarnings("ReferenceEquality") // blocks of the same place and size are still two
public final class SizeOrder<B extends SizedBlock> {
  /** Sizes are told apart by class in units of this many bytes: 2^9 = 512. */
  private static final int UNIT_SHIFT = 9;

  /** Rows of 64 classes: one for each power of two that a size may have, in units. */
  private static final int CLASS_ROWS = 50;

  /** More blocks of a class do not wait. */
  private static final int MOST_WAITING = 8;

  /** Blocks of about the same size. */
  static final class SizeClass {
    final int row;
    final long bit;

    /** The tree of those in order; null where the class is empty, even of blocks that wait. */
    SizedBlock root;

    /** The first of those that wait, or null; they are linked both ways. */
    SizedBlock waiting;

    int waitingCount;

    SizeClass(int row, long bit) {
      this.row = row;
      this.bit = bit;
    }
  }

  /** The classes of orders that never had a block. */
  private static final SizeClass[] NO_CLASSES = new SizeClass[CLASS_ROWS << 6];

  /** Classes by row, null for those that never had a block. */
  private SizeClass[] classes = NO_CLASSES;

  /** By row, which classes are not empty. */
  private final long[] used = new long[CLASS_ROWS];

  /** Which rows are not empty. */
  private long usedRows;

  private int size;

  /** An order of no blocks. */
  public SizeOrder() {}

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** The first block of at least the key, or null. */
  public B ceiling(long bytes, long address) {
    int index = classOf(bytes);
    SizeClass sizeClass = classes[index];
    if (sizeClass != null) {
      SizedBlock block = ceilingIn(sizeClass, bytes, address);
      if (block != null) {
        return typed(block);
      }
    }
    return typed(firstAbove(index));
  }

  /** The first block, or null. */
  public B first() {
    return typed(usedRows == 0 ? null : firstIn(Long.numberOfTrailingZeros(usedRows)));
  }

  /** The last block, or null. */
  public B last() {
    return typed(usedRows == 0 ? null : lastIn(highestBit(usedRows)));
  }

  /** The block behind one of the order, or null. */
  public B next(B block) {
    sort(block.sizeClass);
    SizedBlock next = null;
    for (SizedBlock at = block.sizeClass.root; at != null; ) {
      boolean isBehind = block.isBefore(at);
      next = isBehind ? at : next;
      at = isBehind ? at.lower : at.upper;
    }
    return typed(next != null ? next : firstAbove(classOf(block.bytes)));
  }

  /** The block before one of the order, or null. */
  public B previous(B block) {
    sort(block.sizeClass);
    SizedBlock previous = null;
    for (SizedBlock at = block.sizeClass.root; at != null; ) {
      boolean isBefore = at.isBefore(block);
      previous = isBefore ? at : previous;
      at = isBefore ? at.upper : at.lower;
    }
    return typed(previous != null ? previous : lastBelow(classOf(block.bytes)));
  }

  /**
   * Puts a block into the order.
   *
   * @throws IllegalStateException where it is in one
   */
  public void add(B block) {
    if (block.sizeClass != null) {
      throw new IllegalStateException("block is in an order");
    }
    int index = classOf(block.bytes);
    SizeClass sizeClass = classes[index];
    if (sizeClass == null) {
      sizeClass = newClass(index);
    }
    size++;
    block.sizeClass = sizeClass;
    if (sizeClass.root == null) {
      sizeClass.root = block;
      used[sizeClass.row] |= sizeClass.bit;
      usedRows |= 1L << sizeClass.row;
    } else {
      await(sizeClass, block);
    }
  }

  /**
   * Takes a block out of the order.
   *
   * @throws IllegalStateException where it is not in it
   */
  public void remove(B block) {
    SizeClass sizeClass = block.sizeClass;
    if (sizeClass == null) {
      throw new IllegalStateException("block is in no order");
    }
    size--;
    block.sizeClass = null;
    if (block.waits) {
      leave(sizeClass, block);
    } else if (sizeClass.root != block) {
      detachBelow(sizeClass.root, block);
    } else {
      removeRoot(sizeClass);
    }
  }

  private void removeRoot(SizeClass sizeClass) {
    SizedBlock block = sizeClass.root;
    SizedBlock rest = joined(block.lower, block.upper);
    block.lower = null;
    block.upper = null;
    if (rest == null && sizeClass.waiting != null) {
      rest = sizeClass.waiting;
      leave(sizeClass, rest);
    }
    sizeClass.root = rest;
    if (rest == null) {
      long left = used[sizeClass.row] & ~sizeClass.bit;
      used[sizeClass.row] = left;
      if (left == 0) {
        usedRows &= ~(1L << sizeClass.row);
      }
    }
  }

  // Classes.

  private SizeClass newClass(int index) {
    if (classes == NO_CLASSES) {
      classes = new SizeClass[NO_CLASSES.length];
    }
    classes[index] = new SizeClass(index >> 6, 1L << index);
    return classes[index];
  }

  /** Grows with the size; below 128 units the number of units itself. */
  private static int classOf(long bytes) {
    long units = bytes >>> UNIT_SHIFT;
    int shift = Math.max(0, Long.SIZE - 7 - Long.numberOfLeadingZeros(units));
    return (shift << 6) + (int) (units >>> shift);
  }

  /** The first block of all classes above one, or null. */
  private SizedBlock firstAbove(int index) {
    int row = index >> 6;
    long inRow = used[row] & -2L << index;
    if (inRow != 0) {
      return lowest(classes[(row << 6) + Long.numberOfTrailingZeros(inRow)]);
    }
    long above = usedRows & -2L << row;
    return above == 0 ? null : firstIn(Long.numberOfTrailingZeros(above));
  }

  private SizedBlock firstIn(int row) {
    return lowest(classes[(row << 6) + Long.numberOfTrailingZeros(used[row])]);
  }

  /** The last block of all classes below one, or null. */
  private SizedBlock lastBelow(int index) {
    int row = index >> 6;
    long inRow = used[row] & (1L << index) - 1;
    if (inRow != 0) {
      return highest(classes[(row << 6) + highestBit(inRow)]);
    }
    long below = usedRows & (1L << row) - 1;
    return below == 0 ? null : lastIn(highestBit(below));
  }

  private SizedBlock lastIn(int row) {
    return highest(classes[(row << 6) + highestBit(used[row])]);
  }

  private static int highestBit(long bits) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
  }

  /** Only blocks of this kind come into the order. */
  @SuppressWarnings("unchecked")
  private B typed(SizedBlock block) {
    return (B) block;
  }

  // Blocks of a class, of which there is one at least.

  private static SizedBlock lowest(SizeClass sizeClass) {
    SizedBlock lowest = sizeClass.root;
    while (lowest.lower != null) {
      lowest = lowest.lower;
    }
    for (SizedBlock b = sizeClass.waiting; b != null; b = b.upper) {
      if (b.isBefore(lowest)) {
        lowest = b;
      }
    }
    return lowest;
  }

  private static SizedBlock highest(SizeClass sizeClass) {
    SizedBlock highest = sizeClass.root;
    while (highest.upper != null) {
      highest = highest.upper;
    }
    for (SizedBlock b = sizeClass.waiting; b != null; b = b.upper) {
      if (highest.isBefore(b)) {
        highest = b;
      }
    }
    return highest;
  }

  /** The first block of at least the key, or null. */
  private static SizedBlock ceilingIn(SizeClass sizeClass, long bytes, long address) {
    SizedBlock found = null;
    for (SizedBlock b = sizeClass.root; b != null; ) {
      if (b.isBelow(bytes, address)) {
        b = b.upper;
      } else {
        found = b;
        b = b.lower;
      }
    }
    for (SizedBlock b = sizeClass.waiting; b != null; b = b.upper) {
      if (!b.isBelow(bytes, address) && (found == null || b.isBefore(found))) {
        found = b;
      }
    }
    return found;
  }

  // Blocks that wait.

  /** Moves those that wait to the tree. */
  private static void sort(SizeClass sizeClass) {
    SizedBlock block = sizeClass.waiting;
    if (block == null) {
      return;
    }
    sizeClass.waiting = null;
    sizeClass.waitingCount = 0;
    while (block != null) {
      SizedBlock next = block.upper;
      block.waits = false;
      block.lower = null;
      block.upper = null;
      insert(sizeClass, block);
      block = next;
    }
  }

  private static void await(SizeClass sizeClass, SizedBlock block) {
    if (sizeClass.waitingCount == MOST_WAITING) {
      sort(sizeClass);
    }
    SizedBlock behind = sizeClass.waiting;
    block.waits = true;
    block.upper = behind;
    if (behind != null) {
      behind.lower = block;
    }
    sizeClass.waiting = block;
    sizeClass.waitingCount++;
  }

  private static void leave(SizeClass sizeClass, SizedBlock block) {
    SizedBlock before = block.lower;
    SizedBlock behind = block.upper;
    if (before == null) {
      sizeClass.waiting = behind;
    } else {
      before.upper = behind;
    }
    if (behind != null) {
      behind.lower = before;
    }
    block.lower = null;
    block.upper = null;
    block.waits = false;
    sizeClass.waitingCount--;
  }

  // Trees.

  /** Puts a block, which has no children, into a tree. */
  private static void insert(SizeClass sizeClass, SizedBlock block) {
    SizedBlock above = null;
    SizedBlock at = sizeClass.root;
    while (at != null && at.priority >= block.priority) {
      above = at;
      at = at.isBefore(block) ? at.upper : at.lower;
    }
    if (at != null) {
      split(at, block);
    }
    if (above == null) {
      sizeClass.root = block;
    } else if (above.isBefore(block)) {
      above.upper = block;
    } else {
      above.lower = block;
    }
  }

  /** Makes the blocks of a tree children of a block that takes its place. */
  private static void split(SizedBlock root, SizedBlock block) {
    SizedBlock lastBelow = null;
    SizedBlock lastAbove = null;
    SizedBlock at = root;
    while (at != null) {
      if (at.isBefore(block)) {
        if (lastBelow == null) {
          block.lower = at;
        } else {
          lastBelow.upper = at;
        }
        lastBelow = at;
        at = at.upper;
      } else {
        if (lastAbove == null) {
          block.upper = at;
        } else {
          lastAbove.lower = at;
        }
        lastAbove = at;
        at = at.lower;
      }
    }
    if (lastBelow != null) {
      lastBelow.upper = null;
    }
    if (lastAbove != null) {
      lastAbove.lower = null;
    }
  }

  /** Takes a block that is not the root out of a tree. */
  private static void detachBelow(SizedBlock root, SizedBlock block) {
    SizedBlock above = null;
    SizedBlock at = root;
    while (at != block) {
      if (at == null) {
        throw new IllegalStateException("block is in another order");
      }
      above = at;
      at = at.isBefore(block) ? at.upper : at.lower;
    }
    SizedBlock rest = joined(block.lower, block.upper);
    if (above.upper == block) {
      above.upper = rest;
    } else {
      above.lower = rest;
    }
    block.lower = null;
    block.upper = null;
  }

  /** One tree of two, all blocks of the first one before those of the second one. */
  private static SizedBlock joined(SizedBlock first, SizedBlock second) {
    if (first == null || second == null) {
      return first == null ? second : first;
    }
    SizedBlock low = first;
    SizedBlock high = second;
    SizedBlock root = low.priority >= high.priority ? low : high;
    SizedBlock end = null;
    boolean endIsLow = false;
    while (low != null && high != null) {
      boolean lowIsTop = low.priority >= high.priority;
      SizedBlock top = lowIsTop ? low : high;
      attach(end, endIsLow, top);
      end = top;
      endIsLow = lowIsTop;
      if (lowIsTop) {
        low = low.upper;
      } else {
        high = high.lower;
      }
    }
    attach(end, endIsLow, low == null ? high : low);
    return root;
  }

  /** What follows a block of the lower tree comes behind it, of the upper tree before it. */
  private static void attach(SizedBlock end, boolean endIsLow, SizedBlock tree) {
    if (end == null) {
      return;
    }
    if (endIsLow) {
      end.upper = tree;
    } else {
      end.lower = tree;
    }
  }
}
