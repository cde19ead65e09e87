package org.allocsim.simulator.policy.pagedkv;

import org.allocsim.simulator.order.AddressMap;

/**
 * Which blocks hold which prefixes. Several may hold the same, as sequences that began together
 * filled one each; the first of them that is left is the one that others share.
 */
public final class PrefixIndex {
  /** No block. */
  public static final int NONE = -1;

  private final AddressMap firstOf = new AddressMap();
  private final boolean[] hasHash;
  private final long[] hash;

  /** The next block with the same prefix. */
  private final int[] next;

  /** Blocks below a number, none of which holds a prefix. */
  public PrefixIndex(int count) {
    hasHash = new boolean[count];
    hash = new long[count];
    next = new int[count];
  }

  /** The first block that holds a prefix; {@link #NONE} where none does. */
  public int holder(long prefixHash) {
    return (int) firstOf.get(prefixHash);
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
    int last = holder(prefixHash);
    if (last == NONE) {
      firstOf.put(prefixHash, block);
      return;
    }
    while (next[last] != NONE) {
      last = next[last];
    }
    next[last] = block;
  }

  /** A block that holds a prefix does so no more. */
  public void remove(int block) {
    hasHash[block] = false;
    int at = holder(hash[block]);
    if (at == block) {
      if (next[block] == NONE) {
        firstOf.remove(hash[block]);
      } else {
        firstOf.put(hash[block], next[block]);
      }
      return;
    }
    while (next[at] != block) {
      at = next[at];
    }
    next[at] = next[block];
  }
}
