package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.order.SizeOrder;
import org.allocsim.simulator.stats.BlockEffects;
import org.allocsim.simulator.stats.PoolCounters;
import org.jspecify.annotations.Nullable;

/** Free blocks of one pool that belong to one stream. */
final class FreeList {
  /** PyTorch 2.11: more than {@code kSmallSize} must be left of a large block. */
  private static final long MIN_LARGE_REST_BYTES = RequestSizes.SMALL_REQUEST_BYTES + 1;

  /** The pool that they are part of. */
  final BlockPool pool;

  /** Whether that is one of small blocks. */
  final boolean small;

  /** Number of their stream. */
  final int stream;

  /** Whether the pool's memory comes from segments that grow in place. */
  boolean grows;

  /** Counts what requests do to blocks of the pool. */
  final PoolCounters counters;

  /** Reports what else happens to them. */
  final BlockEffects effects;

  /** Who is notified besides the statistics, or null. */
  final @Nullable EffectListener others;

  /** The smallest rest that is split off a block in a segment that grows in place. */
  private final long minGrowingRestBytes;

  /** The smallest rest that is split off a block in another segment. */
  private final long minFixedRestBytes;

  /** Which of the two holds for the segments that the pool makes. */
  private long minRestBytes;

  /** Mapped free blocks by (bytes, position). */
  final SizeOrder<Block> mapped = new SizeOrder<>();

  /** Numbers of unmapped ranges, by address. */
  final OrderedBlocks unmapped = new OrderedBlocks();

  FreeList(BlockPool pool, int stream) {
    this.pool = pool;
    small = pool.small;
    effects = pool.effects;
    counters = effects.counters();
    others = effects.others();
    this.stream = stream;
    minGrowingRestBytes = pool.neverSplits ? Long.MAX_VALUE : RequestSizes.MIN_BLOCK_BYTES;
    minFixedRestBytes = small || pool.neverSplits ? minGrowingRestBytes : MIN_LARGE_REST_BYTES;
    followPool();
  }

  /** Takes over how the pool obtains memory and splits blocks. */
  void followPool() {
    grows = pool.grows;
    minRestBytes = pool.splitsFinely ? minGrowingRestBytes : minFixedRestBytes;
  }

  /** Whether a rest of a block is large enough to be split off. */
  boolean splits(long restBytes, boolean inPlaceThatGrows) {
    return restBytes >= (inPlaceThatGrows ? minGrowingRestBytes : minFixedRestBytes);
  }

  /** As above for a block in a segment that the pool made. */
  boolean splits(long restBytes) {
    return restBytes >= minRestBytes;
  }

  /** Adds a mapped free block, which is of age 0 from now on. */
  void add(Block block) {
    block.lookupsWhenFreed = pool.countedLookups;
    mapped.add(block);
  }

  /** Removes a mapped free block. */
  void remove(Block block) {
    mapped.remove(block);
  }

  /** Adds an unmapped range. */
  void addUnmapped(Block range) {
    unmapped.add(0, range.address(), range.number);
  }

  /** Removes an unmapped range. */
  void removeUnmapped(Block range) {
    unmapped.remove(0, range.address());
  }
}
