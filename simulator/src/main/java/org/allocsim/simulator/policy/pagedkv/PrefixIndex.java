package org.allocsim.simulator.policy.pagedkv;

import java.util.Arrays;

/**
 * Which blocks hold which prefixes. Several may hold the same, as sequences that began together
 * filled one each; the first of them that is left is the one that others share. What nobody can
 * look for yet is only noted with its block. Every call takes constant time.
 *
 * <p>The first blocks are found in an open hash table with linear probing, without gaps after
 * removals. An entry has a block, and before it 32 bits of what its hash is mixed to: they say
 * where it belongs, and all but never need a look at the hash itself, which is another line of
 * memory.
 */
public final class PrefixIndex {
  /** No block. */
  public static final int NONE = -1;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final long EMPTY = NONE;
  private static final long TAG = -1L << Integer.SIZE;

  private long[] table = new long[16];
  private int shift = Long.SIZE - 4;
  private int size;
  private long changes;
  private long additions;

  private static final byte NOTED = 1;
  private static final byte LISTED = 2;

  /** By block: 0 where it holds no prefix. */
  private final byte[] state;

  private final long[] hash;

  /** The next block with the same prefix. */
  private final int[] next;

  /** The block before it with the same prefix; of the first one, the last. */
  private final int[] before;

  /** Blocks below a number, none of which holds a prefix. */
  public PrefixIndex(int count) {
    Arrays.fill(table, EMPTY);
    state = new byte[count];
    hash = new long[count];
    next = new int[count];
    before = new int[count];
  }

  /** The first block that holds a prefix; {@link #NONE} where none does. */
  public int holder(long prefixHash) {
    return (int) table[slotOf(prefixHash)];
  }

  /** Whether a block holds a prefix. */
  public boolean has(int block) {
    return state[block] != 0;
  }

  /** How often {@link #holder} may have come to answer otherwise. */
  public long changes() {
    return changes;
  }

  /** How often a prefix may have come to have a holder, or another one. */
  public long additions() {
    return additions;
  }

  /** A block that holds none holds a prefix from now on, which is not found before it is listed. */
  public void note(int block, long prefixHash) {
    state[block] = NOTED;
    hash[block] = prefixHash;
  }

  /** Whether a block holds a prefix that is not found yet. */
  public boolean isNoted(int block) {
    return state[block] == NOTED;
  }

  /** A prefix that was noted with a block, if it still is, can be found there from now on. */
  public void list(int block, long prefixHash) {
    if (state[block] == NOTED && hash[block] == prefixHash) {
      add(block, prefixHash);
    }
  }

  /** A block that holds none holds a prefix from now on. */
  public void add(int block, long prefixHash) {
    changes++;
    additions++;
    state[block] = LISTED;
    hash[block] = prefixHash;
    next[block] = NONE;
    int slot = slotOf(prefixHash);
    int first = (int) table[slot];
    if (first == NONE) {
      table[slot] = entry(prefixHash, block);
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
    boolean isListed = state[block] == LISTED;
    state[block] = 0;
    if (!isListed) {
      return;
    }
    changes++;
    int after = next[block];
    boolean isFirst = next[before[block]] == NONE;
    if (!isFirst) {
      next[before[block]] = after;
      before[after == NONE ? holder(hash[block]) : after] = before[block];
    } else if (after == NONE) {
      clear(slotOf(hash[block]));
    } else {
      table[slotOf(hash[block])] = entry(hash[block], after);
      before[after] = before[block];
    }
  }

  /** Where the first block of a prefix is, or the slot where it would be put. */
  private int slotOf(long prefixHash) {
    int mask = table.length - 1;
    long wanted = prefixHash * SPREAD;
    int slot = (int) (wanted >>> shift);
    while (true) {
      long entry = table[slot];
      if ((int) entry == NONE || ((entry ^ wanted) & TAG) == 0 && hash[(int) entry] == prefixHash) {
        return slot;
      }
      slot = slot + 1 & mask;
    }
  }

  private static long entry(long prefixHash, int block) {
    return prefixHash * SPREAD & TAG | block;
  }

  private void clear(int slot) {
    size--;
    int mask = table.length - 1;
    int gap = slot;
    // What was pushed after its place by a neighbour moves back into the gap.
    for (int at = gap + 1 & mask; (int) table[at] != NONE; at = at + 1 & mask) {
      int home = (int) (table[at] >>> shift);
      if ((at - home & mask) >= (at - gap & mask)) {
        table[gap] = table[at];
        gap = at;
      }
    }
    table[gap] = EMPTY;
  }

  private void grow() {
    long[] old = table;
    table = new long[Math.multiplyExact(old.length, 2)];
    Arrays.fill(table, EMPTY);
    shift--;
    for (long entry : old) {
      if ((int) entry != NONE) {
        table[slotOf(hash[(int) entry])] = entry;
      }
    }
  }
}
