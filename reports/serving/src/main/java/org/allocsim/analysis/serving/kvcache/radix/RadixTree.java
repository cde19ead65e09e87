package org.allocsim.analysis.serving.kvcache.radix;

import java.util.Arrays;
import org.allocsim.analysis.serving.kvcache.PrefixHashes;

/**
 * SGLang's tree of what pages hold: a path from the root is a prefix, a node a run of pages that no
 * prefix ends within. Nodes of sequences that run are locked; leaves that are not can be forgotten.
 *
 * <p><b>Rules.</b> A search follows the longest prefix that is there and splits the node in which
 * it ends. What is inserted beyond that becomes a new leaf. Both note the time in the nodes on
 * their way, and insertions count how often a node was found, those of parts of a prompt excepted.
 * Nodes are forgotten leaf by leaf in the order of {@link EvictionPolicy}, always whole; a node
 * without children is a leaf.
 *
 * <p><b>Source.</b> sgl-project/sglang, {@code mem_cache/radix_cache.py} 385903b (12 August 2026).
 *
 * <p><b>Cost.</b> Linear in the pages that are compared or inserted; a leaf that is touched or
 * forgotten takes the logarithm of the leaves.
 */
final class RadixTree {
  static final int ROOT = 0;

  private final EvictionPolicy policy;
  private final PageQueue free;
  private final ChildIndex index = new ChildIndex();
  private final LeafOrder leaves = new LeafOrder();

  /** By node: its parent, children, locks, hits, priority, times of its last use and its making. */
  private int[] parent = new int[64];

  private int[] children = new int[64];
  private int[] locks = new int[64];
  private int[] hits = new int[64];
  private int[] priority = new int[64];
  private long[] accessed = new long[64];
  private long[] created = new long[64];

  /** By node: hashes of its pages, and the pages. */
  private long[][] keys = new long[64][];

  private int[][] pages = new int[64][];

  /** Numbers of nodes that are not used. */
  private int[] spare = new int[64];

  private int spares;
  private int nodes;
  private long clock;
  private int evictable;
  private int locked;

  /** What the last search found. */
  private int found;

  private int foundNode;

  RadixTree(EvictionPolicy policy, PageQueue free) {
    this.policy = policy;
    this.free = free;
    node(0);
    priority[ROOT] = Integer.MIN_VALUE;
    locks[ROOT] = 1;
    keys[ROOT] = new long[0];
    pages[ROOT] = new int[0];
  }

  /** Pages that can be forgotten. */
  int evictable() {
    return evictable;
  }

  /** Pages of nodes that are locked. */
  int locked() {
    return locked;
  }

  /** Pages that the last search or insertion found there. */
  int found() {
    return found;
  }

  /** The node at which the last search or insertion ended. */
  int foundNode() {
    return foundNode;
  }

  /** Searches the longest part of a prefix that is there, of so many pages at most. */
  void search(PrefixHashes prefix, int most) {
    long time = clock++;
    int node = ROOT;
    int page = 0;
    accessed[ROOT] = time;
    while (page < most) {
      int child = index.child(node, prefix.hash(page));
      if (child == ChildIndex.NONE) {
        break;
      }
      touch(child, time);
      int same = common(child, prefix, page, most);
      page += same;
      if (same < keys[child].length) {
        node = split(child, same);
        break;
      }
      node = child;
    }
    found = page;
    foundNode = node;
  }

  /** How many of the pages of a node a prefix has from a page on. */
  private int common(int node, PrefixHashes prefix, int page, int most) {
    long[] key = keys[node];
    int length = Math.min(key.length, most - page);
    int same = 0;
    while (same < length && key[same] == prefix.hash(page + same)) {
      same++;
    }
    return same;
  }

  /** The pages of a prefix that ends at a node. */
  void copyPages(int node, int[] into, int count) {
    int end = count;
    for (int at = node; at != ROOT; at = parent[at]) {
      end -= pages[at].length;
      System.arraycopy(pages[at], 0, into, end, pages[at].length);
    }
  }

  /**
   * Inserts a prefix.
   *
   * @param prefix what its pages hold
   * @param count its pages
   * @param from a node at which its first pages end, as known
   * @param known number of those
   * @param row its pages
   * @param isPart whether the rest of its prompt comes later
   * @param requestPriority priority of its request
   */
  void insert(
      PrefixHashes prefix,
      int count,
      int from,
      int known,
      int[] row,
      boolean isPart,
      int requestPriority) {
    long time = clock++;
    for (int at = from; at != ROOT; at = parent[at]) {
      visit(at, isPart, requestPriority);
      touch(at, time);
    }
    accessed[ROOT] = time;
    priority[ROOT] = Math.max(priority[ROOT], requestPriority);
    int node = from;
    int page = known;
    while (page < count) {
      int child = index.child(node, prefix.hash(page));
      if (child == ChildIndex.NONE) {
        break;
      }
      touch(child, time);
      int same = common(child, prefix, page, count);
      page += same;
      node = same < keys[child].length ? split(child, same) : child;
      visit(node, isPart, requestPriority);
      update(node);
    }
    found = page;
    if (page < count) {
      long[] key = new long[count - page];
      for (int i = 0; i < key.length; i++) {
        key[i] = prefix.hash(page + i);
      }
      int leaf = node(node);
      priority[leaf] = requestPriority;
      keys[leaf] = key;
      pages[leaf] = Arrays.copyOfRange(row, page, count);
      hits[leaf] = isPart ? 0 : 1;
      children[node]++;
      index.put(leaf, node, key[0]);
      evictable += key.length;
      update(node);
      update(leaf);
      node = leaf;
    }
    foundNode = node;
  }

  private void visit(int node, boolean isPart, int requestPriority) {
    priority[node] = Math.max(priority[node], requestPriority);
    hits[node] += isPart ? 0 : 1;
  }

  private void touch(int node, long time) {
    accessed[node] = time;
    if (leaves.contains(node)) {
      order(node);
    }
  }

  /** Notes that a search follows the nodes down to one. */
  void touchPath(int node) {
    long time = clock++;
    for (int at = node; at != ROOT; at = parent[at]) {
      touch(at, time);
    }
    accessed[ROOT] = time;
  }

  /** Cuts a node after some of its pages; answers the node that has those. */
  private int split(int child, int length) {
    int upper = node(parent[child]);
    hits[upper] = hits[child];
    priority[upper] = priority[child];
    locks[upper] = locks[child];
    children[upper] = 1;
    keys[upper] = Arrays.copyOf(keys[child], length);
    pages[upper] = Arrays.copyOf(pages[child], length);
    index.put(upper, parent[child], keys[upper][0]);
    keys[child] = Arrays.copyOfRange(keys[child], length, keys[child].length);
    pages[child] = Arrays.copyOfRange(pages[child], length, pages[child].length);
    parent[child] = upper;
    index.put(child, upper, keys[child][0]);
    return upper;
  }

  private int node(int of) {
    int node = spares > 0 ? spare[--spares] : nodes++;
    if (node == parent.length) {
      int length = node * 2;
      parent = Arrays.copyOf(parent, length);
      children = Arrays.copyOf(children, length);
      locks = Arrays.copyOf(locks, length);
      hits = Arrays.copyOf(hits, length);
      priority = Arrays.copyOf(priority, length);
      accessed = Arrays.copyOf(accessed, length);
      created = Arrays.copyOf(created, length);
      keys = Arrays.copyOf(keys, length);
      pages = Arrays.copyOf(pages, length);
      spare = Arrays.copyOf(spare, length);
    }
    parent[node] = of;
    children[node] = 0;
    locks[node] = 0;
    hits[node] = 0;
    accessed[node] = clock++;
    created[node] = clock++;
    return node;
  }

  /** Locks the nodes of a prefix. */
  void lock(int node) {
    for (int at = node; at != ROOT; at = parent[at]) {
      if (locks[at]++ == 0) {
        evictable -= keys[at].length;
        locked += keys[at].length;
      }
      update(at);
    }
  }

  /** Undoes a {@link #lock}. */
  void unlock(int node) {
    for (int at = node; at != ROOT; at = parent[at]) {
      if (--locks[at] == 0) {
        evictable += keys[at].length;
        locked -= keys[at].length;
      }
      update(at);
    }
  }

  /** Whether a node is a leaf that can be forgotten may have changed, or when. */
  private void update(int node) {
    if (locks[node] == 0 && children[node] == 0) {
      order(node);
    } else {
      leaves.remove(node);
    }
  }

  private void order(int node) {
    leaves.put(
        node, policy.rank(hits[node], priority[node]), policy.age(accessed[node], created[node]));
  }

  /** Forgets leaves until so many pages are free again, or none is left. */
  void evict(int count) {
    int evicted = 0;
    while (evicted < count && leaves.first() != LeafOrder.NONE) {
      int node = leaves.first();
      int length = keys[node].length;
      free.release(pages[node], 0, length);
      evicted += length;
      evictable -= length;
      leaves.remove(node);
      index.remove(parent[node], keys[node][0]);
      children[parent[node]]--;
      update(parent[node]);
      spare[spares++] = node;
    }
  }
}
