package org.allocsim.simulator.policy.pagedkv;

import java.util.Arrays;

/**
 * Which blocks hold which prefixes. Several may hold the same, as sequences that began together
 * filled one each; the first of them that is left is the one that others share. Every call takes
 * constant time.
 *
 * <p>The first blocks are found in an open hash table with linear probing, without gaps after
 * removals, whose entries are blocks: their hashes are in columns that are needed anyway, so it
 * takes a quarter of the memory of a table with keys, and fewer lines of the processor's cache.
 */
public final class PrefixIndex {
  /** No block. */
  public static final int NONE = -1;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private int[] table = new int[16];
  private int shift = Long.SIZE - 4;
  private int size;

  private final boolean[] hasHash;
  private final long[] hash;

  /** The next block with the same prefix. */
  private final int[] next;

  /** The block before it with the same prefix; of the first one, the last. */
  private final int[] before;

  /** Blocks below a number, none of which holds a prefix. */
  public PrefixIndex(int count) {
    Arrays.fill(table, NONE);
    hasHash = new boolean[count];
    hash = new long[count];
    next = new int[count];
    before = new int[count];
  }

  /** The first block that holds a prefix; {@link #NONE} where none does. */
  public int holder(long prefixHash) {
    return table[slotOf(prefixHash)];
  }

  /** Whether a block holds a prefix. */
  public boolean has(int block) {
    return hasHash[block];
  }

  /** A block that holds none holds a prefix from now on. */
  public void add(int block, long prefixHash) {
    hasHash[block] = true;
    hash[block] = prefixHash;
    next[block] = NONE;
    int slot = slotOf(prefixHash);
    int first = table[slot];
    if (first == NONE) {
      table[slot] = block;
      before[block] = block;
      if (++size > table.length / 2) {
        grow();
      }
      return;
    }
    int last = before[first];
    next[last] = block;
    before[block] = last;
    before[first] = block;
  }

  /** A block that holds a prefix does so no more. */
  public void remove(int block) {
    hasHash[block] = false;
    int after = next[block];
    boolean isFirst = next[before[block]] == NONE;
    if (!isFirst) {
      next[before[block]] = after;
      before[after == NONE ? holder(hash[block]) : after] = before[block];
    } else if (after == NONE) {
      clear(slotOf(hash[block]));
    } else {
      table[slotOf(hash[block])] = after;
      before[after] = before[block];
    }
  }

  /** Where the first block of a prefix is, or the slot where it would be put. */
  private int slotOf(long prefixHash) {
    int mask = table.length - 1;
    int slot = homeOf(prefixHash);
    while (table[slot] != NONE && hash[table[slot]] != prefixHash) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private int homeOf(long prefixHash) {
    return (int) (prefixHash * SPREAD >>> shift);
  }

  private void clear(int slot) {
    size--;
    int mask = table.length - 1;
    int gap = slot;
    // What was pushed after its place by a neighbour moves back into the gap.
    for (int at = gap + 1 & mask; table[at] != NONE; at = at + 1 & mask) {
      int home = homeOf(hash[table[at]]);
      if ((at - home & mask) >= (at - gap & mask)) {
        table[gap] = table[at];
        gap = at;
      }
    }
    table[gap] = NONE;
  }

  private void grow() {
    int[] old = table;
    table = new int[Math.multiplyExact(old.length, 2)];
    Arrays.fill(table, NONE);
    shift--;
    for (int block : old) {
      if (block != NONE) {
        table[slotOf(hash[block])] = block;
      }
    }
  }
}
