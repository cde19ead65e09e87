package org.allocsim.simulator.policy.pagedkv;

import java.util.Arrays;

/**
 * vLLM's pool of cache blocks: which are in use, by how many sequences, and in which order the free
 * ones are used again. A free block that holds a known prefix keeps its hash until it is taken for
 * something else, and can be shared again until then.
 *
 * <p>Prefixes are known to a program by their tokens, which a trace does not have; so {@link
 * PagedKvCache} shares nothing, and sharing is for programs that use the pool themselves.
 *
 * <p>Blocks that become free join the end of the queue. Since 0.24 those that keep no prefix go to
 * its front instead, in the order in which they are released together ({@link #releaseByUse}).
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/block_pool.py} 15b1511 (December 2025) and
 * 5208287 (pull request 42656 of 16 June 2026).
 */
public final class KvBlocks {
  /** No block. */
  public static final int NONE = PrefixIndex.NONE;

  private final int[] references;

  /** Neighbours in the queue of free blocks; the last element is the queue itself. */
  private final int[] before;

  private final int[] after;

  private final PrefixIndex prefixes;
  private int freeCount;
  private int keptCount;

  /** The block at the front of the queue that was released last in this release. */
  private int lastFront;

  /** A pool of blocks that are all free, the lowest number first in the queue. */
  public KvBlocks(int count) {
    references = new int[count];
    before = new int[count + 1];
    after = new int[count + 1];
    prefixes = new PrefixIndex(count);
    before[count] = count;
    after[count] = count;
    lastFront = count;
    for (int block = 0; block < count; block++) {
      append(block);
    }
  }

  /** Number of blocks. */
  public int count() {
    return references.length;
  }

  /** Number of free blocks, those that keep a prefix included. */
  public int freeCount() {
    return freeCount;
  }

  /** Number of free blocks that keep a prefix. */
  public int keptCount() {
    return keptCount;
  }

  /** Number of sequences that use a block. */
  public int references(int block) {
    return references[block];
  }

  /** Takes the first free block, which forgets its prefix; {@link #NONE} where none is free. */
  public int take() {
    int block = after[references.length];
    if (block == references.length) {
      return NONE;
    }
    unlink(block);
    references[block] = 1;
    if (prefixes.has(block)) {
      prefixes.remove(block);
      keptCount--;
    }
    return block;
  }

  /** Shares the block that holds a prefix; {@link #NONE} where none does. */
  public int share(long prefixHash) {
    int block = holder(prefixHash);
    if (block != NONE && references[block]++ == 0) {
      unlink(block);
      keptCount--;
    }
    return block;
  }

  /** The first block that holds a prefix, in use or free; {@link #NONE} where none does. */
  public int holder(long prefixHash) {
    return prefixes.holder(prefixHash);
  }

  /** How often {@link #holder} may have come to answer otherwise. */
  public long changes() {
    return prefixes.changes();
  }

  /** How often a block came to hold a prefix that others can share. */
  public long additions() {
    return prefixes.additions();
  }

  /**
   * Notes that a full block in use holds a prefix; a block that held it before stays its holder.
   */
  public void remember(int block, long prefixHash) {
    if (!prefixes.has(block)) {
      prefixes.add(block, prefixHash);
    }
  }

  /** The same of a prefix that nobody looks for before it is listed. */
  public void note(int block, long prefixHash) {
    if (!prefixes.has(block)) {
      prefixes.note(block, prefixHash);
    }
  }

  /** A prefix that was noted with a block, if it still is, can be shared from now on. */
  public void list(int block, long prefixHash) {
    prefixes.list(block, prefixHash);
  }

  /**
   * A sequence does not use a block any more; after the last one it joins the end of the queue. The
   * blocks of a sequence are to be released last one first.
   */
  public void release(int block) {
    if (references[block] == 0) {
      throw new IllegalStateException("block " + block + " is free");
    }
    if (--references[block] == 0) {
      append(block);
      if (prefixes.has(block)) {
        keptCount++;
      }
    }
  }

  /** Blocks that {@link #releaseByUse} releases from now on are released together. */
  public void startRelease() {
    lastFront = references.length;
  }

  /**
   * The same as {@link #release}, but a block that keeps no prefix joins the front of the queue,
   * after those released before it since {@link #startRelease}.
   */
  public void releaseByUse(int block) {
    if (references[block] == 1 && !prefixes.has(block)) {
      references[block] = 0;
      insert(block, lastFront);
      lastFront = block;
    } else {
      release(block);
    }
  }

  /** The free blocks in the order in which they will be taken. */
  public int[] queue() {
    int[] blocks = new int[freeCount];
    int count = 0;
    for (int block = after[references.length]; block != references.length; block = after[block]) {
      blocks[count++] = block;
    }
    return Arrays.copyOf(blocks, count);
  }

  private void append(int block) {
    insert(block, before[references.length]);
  }

  private void insert(int block, int place) {
    int following = after[place];
    before[block] = place;
    after[block] = following;
    after[place] = block;
    before[following] = block;
    freeCount++;
  }

  private void unlink(int block) {
    after[before[block]] = after[block];
    before[after[block]] = before[block];
    freeCount--;
  }
}
