package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.stats.BlockEffects;
import org.jspecify.annotations.Nullable;

/**
 * Free blocks of one kind (small or large) of one owner, searched together: a free list for each
 * stream. Streams are visited by ascending number, which is ascending handle.
 */
final class BlockPool {
  /** Number of the owner: 0 for the default pool, else the private pool. */
  final int owner;

  /** The owner, or null for the default pool. */
  final @Nullable PrivatePool privatePool;

  /** Whether this is the pool of requests up to 1 MiB. */
  final boolean small;

  /** Whether its memory comes from segments that grow in place. */
  final boolean grows;

  /** Whether its blocks are split by the rules for such segments, whatever they lie in. */
  final boolean splitsFinely;

  /** Whether a block is handed out whole, however large it is. */
  final boolean neverSplits;

  /** Reports what happens to its blocks. */
  final BlockEffects effects;

  /** Searches so far; the age of a block is the number of searches since it became free. */
  long lookups;

  private final FreeLists lists;

  BlockPool(
      int owner,
      boolean small,
      @Nullable PrivatePool privatePool,
      boolean grows,
      boolean splitsFinely,
      BlockEffects effects,
      FreeLists lists) {
    this.owner = owner;
    this.privatePool = privatePool;
    this.small = small;
    this.grows = grows;
    this.splitsFinely = splitsFinely;
    this.effects = effects;
    this.lists = lists;
    neverSplits = privatePool != null && privatePool.options.noSplit();
  }

  /** The free list of a stream. */
  FreeList list(int stream) {
    FreeList list = lists.find(stream, small);
    if (list == null) {
      list = new FreeList(this, stream);
      lists.add(list);
    }
    return list;
  }

  /** All mapped free blocks by ascending (stream, bytes, position). */
  Block[] freeInOrder() {
    int size = 0;
    for (int stream = 0; stream < lists.streams(); stream++) {
      FreeList list = lists.find(stream, small);
      size += list == null ? 0 : list.mapped.size();
    }
    Block[] inOrder = new Block[size];
    int at = 0;
    for (int stream = 0; stream < lists.streams(); stream++) {
      FreeList list = lists.find(stream, small);
      if (list != null) {
        for (Block b = list.mapped.first(); b != null; b = list.mapped.next(b)) {
          inOrder[at++] = b;
        }
      }
    }
    return inOrder;
  }

  /** Bytes of all mapped free blocks. */
  long freeBytes() {
    long sum = 0;
    for (Block block : freeInOrder()) {
      sum += block.bytes();
    }
    return sum;
  }
}
