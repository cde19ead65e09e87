package org.allocsim.simulator.device;

import java.util.Arrays;

/**
 * Sets of rows ordered by (bytes, stamp), in which the smallest row of at least some size is found
 * in logarithmic time, the one with the lowest stamp among equals. Any number of disjoint sets
 * share the columns: a treap each, whose priorities are fixed pseudo-random numbers.
 */
final class BestFitTrees {
  /** No row. */
  static final int NONE = -1;

  private int[] roots = new int[4];
  private int[] left = new int[64];
  private int[] right = new int[64];
  private int[] priority = new int[64];
  private long[] bytes = new long[64];
  private long[] stamp = new long[64];
  private int random = 1;

  BestFitTrees() {
    Arrays.fill(roots, NONE);
  }

  /** Whether a set has no rows. */
  boolean isEmpty(int set) {
    return set >= roots.length || roots[set] == NONE;
  }

  /** Bytes under which a row was added last. */
  long bytes(int row) {
    return bytes[row];
  }

  /** Stamp under which a row was added last. */
  long stamp(int row) {
    return stamp[row];
  }

  /** Empties a set. */
  void clear(int set) {
    if (set < roots.length) {
      roots[set] = NONE;
    }
  }

  /** The first row by (bytes, stamp) with at least this many bytes, or {@link #NONE}. */
  int bestFit(int set, long atLeastBytes) {
    int best = NONE;
    int row = set < roots.length ? roots[set] : NONE;
    while (row != NONE) {
      if (bytes[row] >= atLeastBytes) {
        best = row;
        row = left[row];
      } else {
        row = right[row];
      }
    }
    return best;
  }

  /** The row behind one that is in the set, by (bytes, stamp), or {@link #NONE}. */
  int after(int set, int row) {
    int next = NONE;
    int at = roots[set];
    while (at != NONE) {
      if (isBefore(row, at)) {
        next = at;
        at = left[at];
      } else {
        at = right[at];
      }
    }
    return next;
  }

  /** Adds a row that is in no set; its stamp must be its own. */
  void add(int set, int row, long rowBytes, long rowStamp) {
    reserve(set, row);
    bytes[row] = rowBytes;
    stamp[row] = rowStamp;
    priority[row] = nextRandom();
    int parent = NONE;
    boolean onTheRight = false;
    int below = roots[set];
    while (below != NONE && priority[below] >= priority[row]) {
      parent = below;
      onTheRight = isBefore(below, row);
      below = onTheRight ? right[below] : left[below];
    }
    link(set, parent, onTheRight, row);
    split(below, row);
  }

  /** Makes the rows of a subtree children of a row that takes its place. */
  private void split(int subtree, int row) {
    int lastBefore = row;
    int firstAfter = row;
    int below = subtree;
    while (below != NONE) {
      if (isBefore(below, row)) {
        if (lastBefore == row) {
          left[row] = below;
        } else {
          right[lastBefore] = below;
        }
        lastBefore = below;
        below = right[below];
      } else {
        if (firstAfter == row) {
          right[row] = below;
        } else {
          left[firstAfter] = below;
        }
        firstAfter = below;
        below = left[below];
      }
    }
    if (lastBefore == row) {
      left[row] = NONE;
    } else {
      right[lastBefore] = NONE;
    }
    if (firstAfter == row) {
      right[row] = NONE;
    } else {
      left[firstAfter] = NONE;
    }
  }

  /** Removes a row that is in the set. */
  void remove(int set, int row) {
    int parent = NONE;
    boolean onTheRight = false;
    int below = roots[set];
    while (below != row) {
      parent = below;
      onTheRight = isBefore(below, row);
      below = onTheRight ? right[below] : left[below];
    }
    int low = left[row];
    int high = right[row];
    while (low != NONE && high != NONE) {
      if (priority[low] >= priority[high]) {
        link(set, parent, onTheRight, low);
        parent = low;
        onTheRight = true;
        low = right[low];
      } else {
        link(set, parent, onTheRight, high);
        parent = high;
        onTheRight = false;
        high = left[high];
      }
    }
    link(set, parent, onTheRight, low == NONE ? high : low);
  }

  private void link(int set, int parent, boolean onTheRight, int row) {
    if (parent == NONE) {
      roots[set] = row;
    } else if (onTheRight) {
      right[parent] = row;
    } else {
      left[parent] = row;
    }
  }

  private boolean isBefore(int a, int b) {
    return bytes[a] < bytes[b] || (bytes[a] == bytes[b] && stamp[a] < stamp[b]);
  }

  /** Xorshift (Marsaglia 2003), the same sequence in every run. */
  private int nextRandom() {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    return random;
  }

  private void reserve(int set, int row) {
    if (set >= roots.length) {
      int old = roots.length;
      roots = Arrays.copyOf(roots, Math.max(set + 1, 2 * old));
      Arrays.fill(roots, old, roots.length, NONE);
    }
    if (row >= left.length) {
      int capacity = Math.max(row + 1, Math.addExact(left.length, left.length));
      left = Arrays.copyOf(left, capacity);
      right = Arrays.copyOf(right, capacity);
      priority = Arrays.copyOf(priority, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      stamp = Arrays.copyOf(stamp, capacity);
    }
  }
}
