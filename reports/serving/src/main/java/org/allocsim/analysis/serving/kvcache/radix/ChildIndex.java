package org.allocsim.analysis.serving.kvcache.radix;

import java.util.Arrays;

/** Which child of a node begins with which page: an open hash table with linear probing. */
final class ChildIndex {
  static final int NONE = -1;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private int[] table = new int[64];
  private int shift = Long.SIZE - 6;
  private int size;

  /** By node: its parent and its first page. */
  private int[] parentOf = new int[64];

  private long[] firstOf = new long[64];

  ChildIndex() {
    Arrays.fill(table, NONE);
  }

  /** The child that begins with a page; {@link #NONE} where there is none. */
  int child(int parent, long first) {
    return table[slotOf(parent, first)];
  }

  /** A node is the child that begins with a page from now on, instead of any other. */
  void put(int node, int parent, long first) {
    if (node >= parentOf.length) {
      int length = Math.max(node + 1, parentOf.length * 2);
      parentOf = Arrays.copyOf(parentOf, length);
      firstOf = Arrays.copyOf(firstOf, length);
    }
    int slot = slotOf(parent, first);
    boolean isNew = table[slot] == NONE;
    parentOf[node] = parent;
    firstOf[node] = first;
    table[slot] = node;
    if (isNew && ++size > table.length / 2) {
      grow();
    }
  }

  /** The child that begins with a page is none any more. */
  void remove(int parent, long first) {
    int mask = table.length - 1;
    int gap = slotOf(parent, first);
    size--;
    // What was pushed after its place by a neighbour moves back into the gap.
    for (int at = gap + 1 & mask; table[at] != NONE; at = at + 1 & mask) {
      int home = home(parentOf[table[at]], firstOf[table[at]]);
      if ((at - home & mask) >= (at - gap & mask)) {
        table[gap] = table[at];
        gap = at;
      }
    }
    table[gap] = NONE;
  }

  private int home(int parent, long first) {
    return (int) (((first ^ parent * SPREAD) * SPREAD) >>> shift);
  }

  private int slotOf(int parent, long first) {
    int mask = table.length - 1;
    int slot = home(parent, first);
    while (table[slot] != NONE
        && (parentOf[table[slot]] != parent || firstOf[table[slot]] != first)) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private void grow() {
    int[] old = table;
    table = new int[Math.multiplyExact(old.length, 2)];
    Arrays.fill(table, NONE);
    shift--;
    for (int node : old) {
      if (node != NONE) {
        table[slotOf(parentOf[node], firstOf[node])] = node;
      }
    }
  }
}
