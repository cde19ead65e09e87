package org.allocsim.simulator.order;

import java.util.Arrays;

/**
 * Blocks ordered by unsigned address that are searched by size: the lowest one that is large
 * enough, from the start or from an address on, as first fit and next fit need. Blocks have numbers
 * above 0, of the owner's choice.
 *
 * <p>A tree of wide nodes (a B+ tree) whose entries hold the most bytes of any block below them.
 * The entries of a node lie together and are looked through one after the other, which costs less
 * than as many steps down a binary tree, each with a branch that cannot be foreseen. Every
 * operation takes time logarithmic in the number of blocks that there were at most.
 *
 * <p><b>Source.</b> B+ trees: Comer, ACM Computing Surveys 11 (1979).
 */
public final class AddressOrder {
  /** No block. */
  public static final int NONE = BlockRows.NONE;

  /** Entries of a node: 2^4. */
  private static final int FAN_SHIFT = 4;

  private static final int FAN = 1 << FAN_SHIFT;

  /** In place of a node's parent: the root has none. */
  private static final int NO_NODE = -1;

  // Entries, FAN for each node.

  /** Of a leaf the block's address; else that of the lowest block of the child. */
  private long[] addresses = new long[FAN];

  /** Bytes of the block; else the most of any block of the child. */
  private long[] bytes = new long[FAN];

  /** The block; else the child. */
  private int[] refs = new int[FAN];

  // Nodes.
  private int[] counts = new int[1];
  private int[] parents = {NO_NODE};
  private boolean[] leaves = {true};
  private int[] unused = new int[1];
  private int unusedCount;
  private int nodes = 1;
  private int root;

  /** Leaf of each block. */
  private int[] leafOf = new int[256];

  private int size;

  /** An empty set. */
  public AddressOrder() {}

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** The block at the lowest address with at least so many bytes, or {@link #NONE}. */
  public int lowest(long minBytes) {
    int entry = firstFrom(root, 0, minBytes);
    return entry < 0 ? NONE : lowestBelow(root, entry, minBytes);
  }

  /**
   * The block at the lowest address, but none below {@code fromAddress}, with at least so many
   * bytes, or {@link #NONE}.
   */
  public int lowestFrom(long fromAddress, long minBytes) {
    int node = leafFor(fromAddress);
    int first = node << FAN_SHIFT;
    int end = first + counts[node];
    int entry = first;
    while (entry < end && Long.compareUnsigned(addresses[entry], fromAddress) < 0) {
      entry++;
    }
    int found = firstFrom(node, entry - first, minBytes);
    while (found < 0) {
      int above = parents[node];
      if (above == NO_NODE) {
        return NONE;
      }
      found = firstFrom(above, entryOf(above, node) + 1 - (above << FAN_SHIFT), minBytes);
      node = above;
    }
    return lowestBelow(node, found, minBytes);
  }

  /** The block at the highest address that is not above a given one, or {@link #NONE}. */
  public int floor(long maxAddress) {
    int leaf = leafFor(maxAddress);
    int first = leaf << FAN_SHIFT;
    int entry = first + counts[leaf] - 1;
    while (entry >= first && Long.compareUnsigned(addresses[entry], maxAddress) > 0) {
      entry--;
    }
    // The nodes above know where each leaf begins: only below the first block of all is there none.
    return entry >= first ? refs[entry] : NONE;
  }

  /** Adds a block, whose number is not in the set, at an address where no other begins. */
  public void add(int block, long address, long blockBytes) {
    int leaf = leafFor(address);
    int entry = leaf << FAN_SHIFT;
    int end = entry + counts[leaf];
    while (entry < end && Long.compareUnsigned(addresses[entry], address) < 0) {
      entry++;
    }
    if (block >= leafOf.length) {
      leafOf = Arrays.copyOf(leafOf, Math.max(block + 1, 2 * leafOf.length));
    }
    insert(leaf, entry - (leaf << FAN_SHIFT), address, blockBytes, block);
    size++;
  }

  /** Removes a block of the set. */
  public void remove(int block) {
    int leaf = leafOf[block];
    delete(leaf, entryOf(leaf, block));
    size--;
  }

  /** A block now begins elsewhere or has another size; its place in the order stays. */
  public void resize(int block, long newAddress, long newBytes) {
    int leaf = leafOf[block];
    set(leaf, entryOf(leaf, block), newAddress, newBytes);
  }

  /** Another block takes the place of one of the set in the order. */
  public void replace(int old, int block, long newAddress, long newBytes) {
    int leaf = leafOf[old];
    int entry = entryOf(leaf, old);
    if (block >= leafOf.length) {
      leafOf = Arrays.copyOf(leafOf, Math.max(block + 1, 2 * leafOf.length));
    }
    leafOf[block] = leaf;
    refs[entry] = block;
    set(leaf, entry, newAddress, newBytes);
  }

  // Searches.

  /** First entry of a node, from a position on, with at least so many bytes, or −1. */
  private int firstFrom(int node, int from, long minBytes) {
    int end = (node << FAN_SHIFT) + counts[node];
    for (int entry = (node << FAN_SHIFT) + from; entry < end; entry++) {
      if (bytes[entry] >= minBytes) {
        return entry;
      }
    }
    return -1;
  }

  /** The lowest large enough block of an entry that has one. */
  private int lowestBelow(int node, int entry, long minBytes) {
    int at = node;
    int found = entry;
    while (!leaves[at]) {
      at = refs[found];
      found = at << FAN_SHIFT;
      while (bytes[found] < minBytes) {
        found++;
      }
    }
    return refs[found];
  }

  /** The leaf that an address belongs to. */
  private int leafFor(long address) {
    int node = root;
    while (!leaves[node]) {
      int entry = (node << FAN_SHIFT) + 1;
      int end = (node << FAN_SHIFT) + counts[node];
      while (entry < end && Long.compareUnsigned(addresses[entry], address) <= 0) {
        entry++;
      }
      node = refs[entry - 1];
    }
    return node;
  }

  /** The entry of a node that refers to a block or a child. */
  private int entryOf(int node, int ref) {
    int entry = node << FAN_SHIFT;
    while (refs[entry] != ref) {
      entry++;
    }
    return entry;
  }

  // Changes.

  /** Changes an entry of a leaf, and what the nodes above hold of it. */
  private void set(int leaf, int entry, long address, long newBytes) {
    long oldBytes = bytes[entry];
    addresses[entry] = address;
    bytes[entry] = newBytes;
    if (entry == leaf << FAN_SHIFT) {
      settleStart(leaf);
    }
    settle(leaf, oldBytes, newBytes);
  }

  /** Changes the nodes above where the first block of a node is another or lies elsewhere. */
  private void settleStart(int start) {
    int node = start;
    for (int above = parents[node]; above != NO_NODE; above = parents[node]) {
      int upper = entryOf(above, node);
      addresses[upper] = addresses[node << FAN_SHIFT];
      if (upper != above << FAN_SHIFT) {
        return;
      }
      node = above;
    }
  }

  /** Changes the nodes above where an entry of a node has other bytes than before. */
  private void settle(int start, long oldBytes, long newBytes) {
    int node = start;
    long old = oldBytes;
    long most = newBytes;
    for (int above = parents[node]; above != NO_NODE; above = parents[node]) {
      int upper = entryOf(above, node);
      long before = bytes[upper];
      if (most < before) {
        if (old < before) {
          return;
        }
        most = maxOf(node);
      }
      if (most == before) {
        return;
      }
      bytes[upper] = most;
      old = before;
      node = above;
    }
  }

  private long maxOf(int node) {
    long most = Long.MIN_VALUE;
    int end = (node << FAN_SHIFT) + counts[node];
    for (int entry = node << FAN_SHIFT; entry < end; entry++) {
      most = Math.max(most, bytes[entry]);
    }
    return most;
  }

  /** Puts an entry into a node; one that is full is divided before. */
  private void insert(int into, int index, long address, long entryBytes, int ref) {
    int node = into;
    int at = index;
    if (counts[node] == FAN) {
      int right = divide(node);
      if (at > FAN / 2) {
        node = right;
        at -= FAN / 2;
      }
    }
    int entry = (node << FAN_SHIFT) + at;
    move(entry, entry + 1, counts[node] - at);
    counts[node]++;
    addresses[entry] = address;
    bytes[entry] = entryBytes;
    refs[entry] = ref;
    adopt(node, ref);
    if (at == 0) {
      settleStart(node);
    }
    settle(node, Long.MIN_VALUE, entryBytes);
  }

  /** Moves the upper half of a full node into a new one after it, which is answered. */
  private int divide(int node) {
    if (node == root) {
      root = newNode(false);
      parents[root] = NO_NODE;
      int entry = root << FAN_SHIFT;
      counts[root] = 1;
      addresses[entry] = addresses[node << FAN_SHIFT];
      bytes[entry] = maxOf(node);
      refs[entry] = node;
      parents[node] = root;
    }
    int right = newNode(leaves[node]);
    int from = (node << FAN_SHIFT) + FAN / 2;
    move(from, right << FAN_SHIFT, FAN / 2);
    counts[node] = FAN / 2;
    counts[right] = FAN / 2;
    for (int entry = right << FAN_SHIFT; entry < (right << FAN_SHIFT) + FAN / 2; entry++) {
      adopt(right, refs[entry]);
    }
    int above = parents[node];
    int upper = entryOf(above, node);
    long most = bytes[upper];
    bytes[upper] = maxOf(node);
    settle(above, most, bytes[upper]);
    insert(
        above,
        upper + 1 - (above << FAN_SHIFT),
        addresses[right << FAN_SHIFT],
        maxOf(right),
        right);
    return right;
  }

  private void adopt(int node, int ref) {
    if (leaves[node]) {
      leafOf[ref] = node;
    } else {
      parents[ref] = node;
    }
  }

  /** Takes an entry out of a node; a node that has none any more goes. */
  private void delete(int from, int entry) {
    int node = from;
    long oldBytes = bytes[entry];
    int last = (node << FAN_SHIFT) + --counts[node];
    move(entry + 1, entry, last - entry);
    if (counts[node] > 0) {
      if (entry == node << FAN_SHIFT) {
        settleStart(node);
      }
      settle(node, oldBytes, Long.MIN_VALUE);
    } else if (node != root) {
      int above = parents[node];
      recycle(node);
      delete(above, entryOf(above, node));
      while (!leaves[root] && counts[root] == 1) {
        recycle(root);
        root = refs[root << FAN_SHIFT];
        parents[root] = NO_NODE;
      }
    }
  }

  private void move(int from, int to, int count) {
    if (count > 0) {
      System.arraycopy(addresses, from, addresses, to, count);
      System.arraycopy(bytes, from, bytes, to, count);
      System.arraycopy(refs, from, refs, to, count);
    }
  }

  private int newNode(boolean isLeaf) {
    int node;
    if (unusedCount > 0) {
      node = unused[--unusedCount];
    } else {
      if (nodes == counts.length) {
        int capacity = Math.multiplyExact(nodes, 2);
        addresses = Arrays.copyOf(addresses, capacity << FAN_SHIFT);
        bytes = Arrays.copyOf(bytes, capacity << FAN_SHIFT);
        refs = Arrays.copyOf(refs, capacity << FAN_SHIFT);
        counts = Arrays.copyOf(counts, capacity);
        parents = Arrays.copyOf(parents, capacity);
        leaves = Arrays.copyOf(leaves, capacity);
        unused = Arrays.copyOf(unused, capacity);
      }
      node = nodes++;
    }
    leaves[node] = isLeaf;
    counts[node] = 0;
    return node;
  }

  private void recycle(int node) {
    unused[unusedCount++] = node;
  }
}
