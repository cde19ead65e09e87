package org.allocsim.simulator.policy.block;

import java.util.Arrays;

/**
 * Blocks ordered by address that are searched by size: the lowest one that is large enough, from
 * the start or from an address on, as first fit and next fit need.
 *
 * <p>A search tree whose nodes are the blocks' own row numbers, each with the most bytes of any
 * block below it; it stays balanced by priorities that depend on nothing but the order of the calls
 * (a treap), so that every operation takes time logarithmic in the number of blocks.
 */
public final class AddressOrderedBlocks {
  /** No block. */
  public static final int NONE = -1;

  private long[] address = new long[256];
  private long[] bytes = new long[256];
  private long[] mostBytes = new long[256];
  private int[] priority = new int[256];
  private int[] lower = new int[256];
  private int[] upper = new int[256];
  private int[] parent = new int[256];
  private int root = NONE;
  private int seed = 1;
  private int size;

  /** An empty set. */
  public AddressOrderedBlocks() {}

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** The block at the lowest address with at least so many bytes, or {@link #NONE}. */
  public int lowest(long leastBytes) {
    return root == NONE || mostBytes[root] < leastBytes ? NONE : lowestBelow(root, leastBytes);
  }

  /**
   * The block at the lowest address, but none below {@code fromAddress}, with at least so many
   * bytes, or {@link #NONE}.
   */
  public int lowestFrom(long fromAddress, long leastBytes) {
    int node = root;
    int found = NONE;
    boolean foundIsSubtree = false;
    while (node != NONE) {
      if (Long.compareUnsigned(address[node], fromAddress) < 0) {
        node = upper[node];
        continue;
      }
      if (bytes[node] >= leastBytes) {
        found = node;
        foundIsSubtree = false;
      } else if (upper[node] != NONE && mostBytes[upper[node]] >= leastBytes) {
        found = upper[node];
        foundIsSubtree = true;
      }
      node = lower[node];
    }
    return foundIsSubtree ? lowestBelow(found, leastBytes) : found;
  }

  /** The block at the highest address that is not above a given one, or {@link #NONE}. */
  public int floor(long mostAddress) {
    int node = root;
    int found = NONE;
    while (node != NONE) {
      if (Long.compareUnsigned(address[node], mostAddress) <= 0) {
        found = node;
        node = upper[node];
      } else {
        node = lower[node];
      }
    }
    return found;
  }

  /** The lowest large enough block of a subtree that has one. */
  private int lowestBelow(int subtree, long leastBytes) {
    int node = subtree;
    while (true) {
      int low = lower[node];
      if (low != NONE && mostBytes[low] >= leastBytes) {
        node = low;
      } else if (bytes[node] >= leastBytes) {
        return node;
      } else {
        node = upper[node];
      }
    }
  }

  /** Adds a block, whose number is not in the set, at an address where no other begins. */
  public void add(int block, long blockAddress, long blockBytes) {
    ensureRow(block);
    address[block] = blockAddress;
    bytes[block] = blockBytes;
    mostBytes[block] = blockBytes;
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    priority[block] = seed;
    lower[block] = NONE;
    upper[block] = NONE;
    int above = NONE;
    int node = root;
    boolean isLower = false;
    while (node != NONE) {
      if (mostBytes[node] < blockBytes) {
        mostBytes[node] = blockBytes;
      }
      above = node;
      isLower = Long.compareUnsigned(blockAddress, address[node]) < 0;
      node = isLower ? lower[node] : upper[node];
    }
    parent[block] = above;
    if (above == NONE) {
      root = block;
    } else if (isLower) {
      lower[above] = block;
    } else {
      upper[above] = block;
    }
    while (parent[block] != NONE && priority[parent[block]] < priority[block]) {
      raise(block);
    }
    size++;
  }

  /** Removes a block of the set. */
  public void remove(int block) {
    while (lower[block] != NONE && upper[block] != NONE) {
      boolean raiseLower = priority[lower[block]] > priority[upper[block]];
      raise(raiseLower ? lower[block] : upper[block]);
    }
    int child = lower[block] != NONE ? lower[block] : upper[block];
    int above = parent[block];
    link(above, block, child);
    settleFrom(above);
    size--;
  }

  /** A block now begins elsewhere or has another size; its place in the order stays. */
  public void resize(int block, long newAddress, long newBytes) {
    address[block] = newAddress;
    bytes[block] = newBytes;
    settleFrom(block);
  }

  /** Another block takes the place of one of the set in the order. */
  public void replace(int old, int block, long newAddress, long newBytes) {
    ensureRow(block);
    priority[block] = priority[old];
    lower[block] = lower[old];
    upper[block] = upper[old];
    mostBytes[block] = mostBytes[old];
    if (lower[block] != NONE) {
      parent[lower[block]] = block;
    }
    if (upper[block] != NONE) {
      parent[upper[block]] = block;
    }
    link(parent[old], old, block);
    resize(block, newAddress, newBytes);
  }

  /** Puts {@code child}, which may be none, where {@code old} was below {@code above}. */
  private void link(int above, int old, int child) {
    if (above == NONE) {
      root = child;
    } else if (lower[above] == old) {
      lower[above] = child;
    } else {
      upper[above] = child;
    }
    if (child != NONE) {
      parent[child] = above;
    }
  }

  /** Exchanges a node and its parent, which keeps the order. */
  private void raise(int node) {
    int above = parent[node];
    int middle;
    if (lower[above] == node) {
      middle = upper[node];
      lower[above] = middle;
      upper[node] = above;
    } else {
      middle = lower[node];
      upper[above] = middle;
      lower[node] = above;
    }
    if (middle != NONE) {
      parent[middle] = above;
    }
    link(parent[above], above, node);
    parent[above] = node;
    mostBytes[node] = mostBytes[above];
    mostBytes[above] = mostOf(above);
  }

  private void settleFrom(int start) {
    for (int node = start; node != NONE; node = parent[node]) {
      long most = mostOf(node);
      if (most == mostBytes[node]) {
        return;
      }
      mostBytes[node] = most;
    }
  }

  private long mostOf(int node) {
    long most = bytes[node];
    if (lower[node] != NONE) {
      most = Math.max(most, mostBytes[lower[node]]);
    }
    if (upper[node] != NONE) {
      most = Math.max(most, mostBytes[upper[node]]);
    }
    return most;
  }

  private void ensureRow(int row) {
    if (row >= address.length) {
      int capacity = Math.max(row + 1, Math.addExact(address.length, address.length));
      address = Arrays.copyOf(address, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      mostBytes = Arrays.copyOf(mostBytes, capacity);
      priority = Arrays.copyOf(priority, capacity);
      lower = Arrays.copyOf(lower, capacity);
      upper = Arrays.copyOf(upper, capacity);
      parent = Arrays.copyOf(parent, capacity);
    }
  }
}
