package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.List;
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
  boolean grows;

  /** Whether its blocks are split by the rules for such segments, whatever they lie in. */
  boolean splitsFinely;

  /** Whether a block is handed out whole, however large it is. */
  final boolean neverSplits;

  /** Reports what happens to its blocks. */
  final BlockEffects effects;

  /** Searches so far. */
  long lookups;

  /**
   * Searches so far while garbage collection was on; the age of a block is the number of these
   * since it became free.
   */
  long countedLookups;

  private final FreeLists lists;

  /** No free block of fewer bytes is a whole segment or has a whole page. */
  private long minReleasableBytes = Long.MAX_VALUE;

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

  /** Changes how the pool obtains memory and splits blocks from now on. */
  void grow(boolean newGrows, boolean newSplitsFinely) {
    grows = newGrows;
    splitsFinely = newSplitsFinely;
    for (int stream = 0; stream < lists.streams(); stream++) {
      FreeList list = lists.find(stream, small);
      if (list != null) {
        list.followPool();
      }
    }
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

  /** The pool has a segment of this many bytes that is released whole, or by pages. */
  void hasSegment(long releasableBytes) {
    minReleasableBytes = Math.min(minReleasableBytes, releasableBytes);
  }

  /**
   * Mapped free blocks by ascending (stream, bytes, position) that are large enough to be a whole
   * segment or to have a whole page. Of others there may be any number; of these a device holds
   * few.
   */
  List<Block> releasableInOrder() {
    return freeInOrder(minReleasableBytes);
  }

  /** All mapped free blocks by ascending (stream, bytes, position). */
  List<Block> freeInOrder() {
    return freeInOrder(0);
  }

  private List<Block> freeInOrder(long minBytes) {
    List<Block> inOrder = new ArrayList<>();
    for (int stream = 0; stream < lists.streams(); stream++) {
      FreeList list = lists.find(stream, small);
      if (list != null) {
        for (Block b = list.mapped.ceiling(minBytes); b != null; b = list.mapped.next(b)) {
          inOrder.add(b);
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
