package org.allocsim.simulator.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some blocks ordered by (bytes, unsigned position), as best fit searches them and PyTorch's free
 * lists are; a position is an address, or what else decides between blocks of one size. A block is
 * in one order at most, and keeps its place while it is.
 *
 * <p>Sizes fall into classes, 64 to a power of two: up to 64 KiB a class is one multiple of 512
 * bytes. A bitmap of two levels shows which classes have blocks, so that the next larger class is
 * two bit scans away, however many there are. The blocks of a class are linked in order. Most come
 * and go near the ends of that list, where their place is found in a few steps; to find the others
 * some blocks are in an index too, a search tree that random priorities keep balanced (a treap).
 * Every block that is put far from the ends enters it, and some of those that a search has to pass,
 * so that the cost of many operations together grows with the logarithm of the number of blocks.
 *
 * <p><b>Source.</b> The two levels are those of TLSF (Masmano et al., ECRTS 2004), which does not
 * order the blocks of a class; treaps: Seidel and Aragon, Algorithmica 16 (1996).
 *
 * @param <B> the kind of block
 */
// Blocks of the same place and size are still two. A class whose bit is set has a first block, and
// a search ends at the last one at the latest, whose key is none below the one that is looked for:
// of neither is asked whether it is null.
@SuppressWarnings({"ReferenceEquality", "NullAway"})
public final class SizeOrder<B extends SizedBlock> {
  /** Sizes are distinguished by class in units of this many bytes: 2^9 = 512. */
  private static final int UNIT_SHIFT = 9;

  /**
   * Rows of 64 classes: one for each power of two that a size may have, in units, and an empty one
   * above them.
   */
  private static final int CLASS_ROWS = 51;

  /** How many blocks from either end a place is looked for before the index is. */
  private static final int REACH = 4;

  /** Of so many blocks in a row that a search has to pass one enters the index. */
  private static final int INDEX_STEP = 4;

  /** Blocks of about the same size, in order. */
  static final class SizeClass {
    /** Its place among all classes. */
    final int index;

    /** Where the list begins, null where the class is empty. */
    @Nullable SizedBlock first;

    /** Where it ends, once it has been other than empty. */
    @SuppressWarnings("NullAway.Init") // read of classes only that have a block
    SizedBlock last;

    /** The index: a tree of some of them, or null. */
    @Nullable SizedBlock root;

    SizeClass(int index) {
      this.index = index;
    }
  }

  /** What orders have that never had a block. */
  private static final SizeClass[] NO_CLASSES = {};

  private static final long[] NO_BITS = new long[CLASS_ROWS];

  /**
   * Classes by row, null for those that never had a block; of rows above the highest that ever had
   * one there are none, as a program may have thousands of orders of a few blocks.
   */
  private SizeClass[] classes = NO_CLASSES;

  /** Which classes of each row are not empty. */
  private long[] used = NO_BITS;

  /** Which rows are not empty. */
  private long usedRows;

  /** An order of no blocks. */
  public SizeOrder() {}

  /** Number of blocks, counted one by one. */
  public int size() {
    int size = 0;
    for (B block = first(); block != null; block = next(block)) {
      size++;
    }
    return size;
  }

  /** The first block of at least so many bytes, or null. */
  public @Nullable B ceiling(long bytes) {
    SizedBlock first = firstFrom(classOf(bytes));
    if (first == null) {
      return null;
    }
    return typed(first.bytes >= bytes ? first : ceilingAfterFirst(first.sizeClass, bytes, 0));
  }

  /**
   * Takes the first block of at least so many bytes out of the order where it is found without a
   * search, as most are.
   *
   * @return the block; null where there is none, or where {@link #ceiling(long)} has to look for it
   */
  public @Nullable B takeCeilingAtOnce(long bytes) {
    int index = firstClassFrom(classOf(bytes));
    if (index < 0) {
      return null;
    }
    SizeClass sizeClass = classes[index];
    SizedBlock first = sizeClass.first;
    if (first.bytes < bytes || first.isIndexed) {
      return null;
    }
    removeFirst(sizeClass, first, index);
    return typed(first);
  }

  /** The first block of at least the key, or null. */
  public @Nullable B ceiling(long bytes, long position) {
    int index = classOf(bytes);
    SizeClass sizeClass = index < classes.length ? classes[index] : null;
    if (sizeClass == null || sizeClass.first == null) {
      return typed(firstAbove(index));
    }
    SizedBlock first = sizeClass.first;
    return typed(
        first.isBelow(bytes, position) ? ceilingAfterFirst(sizeClass, bytes, position) : first);
  }

  /** The first block of at least a key that the first block of its class is below, or null. */
  private @Nullable SizedBlock ceilingAfterFirst(SizeClass sizeClass, long bytes, long position) {
    if (sizeClass.last.isBelow(bytes, position)) {
      return firstAbove(classOf(bytes));
    }
    SizedBlock found = findNearEnds(sizeClass, bytes, position, Integer.MIN_VALUE);
    return found != null ? found : findByIndex(sizeClass, bytes, position, Integer.MIN_VALUE);
  }

  /** The first block, or null. */
  public @Nullable B first() {
    return typed(firstFrom(0));
  }

  /** The last block, or null. */
  public @Nullable B last() {
    return typed(usedRows == 0 ? null : lastIn(highestBit(usedRows)));
  }

  /** The block after one of the order, or null. */
  public @Nullable B next(B block) {
    SizedBlock after = block.after;
    return typed(after != null ? after : firstAbove(classOf(block.bytes)));
  }

  /** The block before one of the order, or null. */
  public @Nullable B previous(B block) {
    boolean isFirst = block == block.sizeClass.first;
    return typed(isFirst ? lastBelow(classOf(block.bytes)) : block.before);
  }

  /** Puts a block, which is in no order, into this one. */
  public void add(B block) {
    add(block, block.bytes);
  }

  /**
   * As above.
   *
   * @param bytes of the block, which the caller has at hand: what was just written need not be read
   */
  public void add(B block, long bytes) {
    int index = classOf(bytes);
    SizeClass sizeClass = index < classes.length ? classes[index] : null;
    if (sizeClass == null) {
      sizeClass = newClass(index);
    }
    block.sizeClass = sizeClass;
    SizedBlock first = sizeClass.first;
    if (first == null) {
      sizeClass.first = block;
      sizeClass.last = block;
      block.after = null;
      // From the number, not from the class: the next search waits for these bits.
      used[index >> 6] |= 1L << index;
      usedRows |= 1L << (index >> 6);
    } else {
      addToOthers(sizeClass, first, block, bytes);
    }
  }

  private static void addToOthers(
      SizeClass sizeClass, SizedBlock first, SizedBlock block, long bytes) {
    SizedBlock last = sizeClass.last;
    // Most blocks that share a class are of one size; then only positions are compared.
    if (bytes == first.bytes && bytes == last.bytes) {
      long position = block.position;
      if (Long.compareUnsigned(position, first.position) < 0) {
        addBefore(sizeClass, first, block);
        return;
      }
      if (Long.compareUnsigned(last.position, position) < 0) {
        addBehind(sizeClass, last, block);
        return;
      }
    }
    addToOthersInGeneral(sizeClass, block);
  }

  private static void addToOthersInGeneral(SizeClass sizeClass, SizedBlock block) {
    SizedBlock first = sizeClass.first;
    SizedBlock last = sizeClass.last;
    if (block.isBefore(first)) {
      addBefore(sizeClass, first, block);
    } else if (last.isBefore(block)) {
      addBehind(sizeClass, last, block);
    } else {
      addBetween(sizeClass, block);
    }
  }

  private static void addBefore(SizeClass sizeClass, SizedBlock first, SizedBlock block) {
    block.after = first;
    first.before = block;
    sizeClass.first = block;
  }

  private static void addBehind(SizeClass sizeClass, SizedBlock last, SizedBlock block) {
    block.before = last;
    block.after = null;
    last.after = block;
    sizeClass.last = block;
  }

  private static void addBetween(SizeClass sizeClass, SizedBlock block) {
    SizedBlock after = findNearEnds(sizeClass, block.bytes, block.position, block.priority);
    if (after == null) {
      after = findByIndex(sizeClass, block.bytes, block.position, block.priority);
      index(sizeClass, block);
    }
    SizedBlock before = after.before;
    block.before = before;
    block.after = after;
    before.after = block;
    after.before = block;
  }

  /** Takes a block of this order out of it. */
  public void remove(B block) {
    SizeClass sizeClass = block.sizeClass;
    if (block.isIndexed) {
      dropFromIndex(sizeClass, block);
    }
    if (block == sizeClass.first) {
      removeFirst(sizeClass, block, sizeClass.index);
      return;
    }
    SizedBlock before = block.before;
    SizedBlock after = block.after;
    before.after = after;
    if (after == null) {
      sizeClass.last = before;
    } else {
      after.before = before;
    }
  }

  /** Takes the first block of a class, which is not in the index, out of its list. */
  private void removeFirst(SizeClass sizeClass, SizedBlock block, int index) {
    SizedBlock after = block.after;
    if (after == null) {
      sizeClass.first = null;
      clear(index);
    } else {
      sizeClass.first = after;
    }
  }

  /** A class has no block any more. */
  private void clear(int index) {
    int row = index >> 6;
    long left = used[row] & ~(1L << index);
    used[row] = left;
    // Without a branch, which would often be guessed wrong: all bits are set where any is left.
    long anyLeft = (left | -left) >> Long.SIZE - 1;
    usedRows &= anyLeft | ~(1L << row);
  }

  // Classes.

  private SizeClass newClass(int index) {
    if (used == NO_BITS) {
      used = new long[CLASS_ROWS];
    }
    if (index >= classes.length) {
      classes = Arrays.copyOf(classes, (index >> 6) + 1 << 6);
    }
    classes[index] = new SizeClass(index);
    return classes[index];
  }

  /** Grows with the size; below 128 units the number of units itself. */
  private static int classOf(long bytes) {
    long units = bytes >>> UNIT_SHIFT;
    int shift = Long.SIZE - 7 - Long.numberOfLeadingZeros(units | 64);
    return (shift << 6) + (int) (units >>> shift);
  }

  /** The first class from one on that is not empty, or −1. */
  private int firstClassFrom(int index) {
    int row = index >> 6;
    long inRow = used[row] & -1L << index;
    if (inRow == 0) {
      long above = usedRows & -2L << row;
      if (above == 0) {
        return -1;
      }
      row = Long.numberOfTrailingZeros(above);
      inRow = used[row];
    }
    return (row << 6) + Long.numberOfTrailingZeros(inRow);
  }

  /** The first block of all classes from one on, or null. */
  private @Nullable SizedBlock firstFrom(int index) {
    int found = firstClassFrom(index);
    return found < 0 ? null : classes[found].first;
  }

  /** The first block of all classes above one, or null. */
  private @Nullable SizedBlock firstAbove(int index) {
    return firstFrom(index + 1);
  }

  /** The last block of all classes below one, or null. */
  private @Nullable SizedBlock lastBelow(int index) {
    int row = index >> 6;
    long inRow = used[row] & (1L << index) - 1;
    if (inRow != 0) {
      return classes[(row << 6) + highestBit(inRow)].last;
    }
    long below = usedRows & (1L << row) - 1;
    return below == 0 ? null : lastIn(highestBit(below));
  }

  private SizedBlock lastIn(int row) {
    return classes[(row << 6) + highestBit(used[row])].last;
  }

  private static int highestBit(long bits) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
  }

  /** Only blocks of this kind come into the order. */
  @SuppressWarnings("unchecked")
  private @Nullable B typed(@Nullable SizedBlock block) {
    return (B) block;
  }

  // Blocks of a class, of which there is one at least.

  /**
   * The first block that is not before a key, where it is near an end of the list, else null. The
   * first block of the class is before the key, the last one is not.
   */
  private static @Nullable SizedBlock findNearEnds(
      SizeClass sizeClass, long bytes, long position, int priority) {
    SizedBlock low = sizeClass.first;
    SizedBlock high = sizeClass.last;
    for (int step = 0; step < REACH; step++) {
      low = low.after;
      if (!low.isBefore(bytes, position, priority)) {
        return low;
      }
      SizedBlock lower = high.before;
      if (lower.isBefore(bytes, position, priority)) {
        return high;
      }
      high = lower;
    }
    return null;
  }

  /** The same wherever the block is. */
  private static SizedBlock findByIndex(
      SizeClass sizeClass, long bytes, long position, int priority) {
    SizedBlock start = sizeClass.first;
    for (SizedBlock at = sizeClass.root; at != null; ) {
      if (at.isBefore(bytes, position, priority)) {
        start = at;
        at = at.upper;
      } else {
        at = at.lower;
      }
    }
    SizedBlock found = start.after;
    for (int passed = 1; found.isBefore(bytes, position, priority); passed++) {
      if (passed % INDEX_STEP == 0) {
        index(sizeClass, found);
      }
      found = found.after;
    }
    return found;
  }

  // The index.

  /** Puts a block, which has no children, into the tree. */
  private static void index(SizeClass sizeClass, SizedBlock block) {
    block.isIndexed = true;
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

  /** Takes a block out of the tree. */
  private static void dropFromIndex(SizeClass sizeClass, SizedBlock block) {
    block.isIndexed = false;
    SizedBlock above = null;
    for (SizedBlock at = sizeClass.root; at != block; ) {
      above = at;
      at = at.isBefore(block) ? at.upper : at.lower;
    }
    SizedBlock rest = joined(block.lower, block.upper);
    if (above == null) {
      sizeClass.root = rest;
    } else if (above.upper == block) {
      above.upper = rest;
    } else {
      above.lower = rest;
    }
    block.lower = null;
    block.upper = null;
  }

  /** One tree of two, all blocks of the first one before those of the second one. */
  private static @Nullable SizedBlock joined(
      @Nullable SizedBlock first, @Nullable SizedBlock second) {
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

  /** What follows a block of the lower tree comes after it, of the upper tree before it. */
  private static void attach(
      @Nullable SizedBlock end, boolean endIsLow, @Nullable SizedBlock tree) {
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
