package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.order.SizeOrder;

/** Free blocks of one pool that belong to one stream. */
final class FreeList {
  /** The pool that they are part of. */
  final BlockPool pool;

  /** Whether that is one of small blocks. */
  final boolean small;

  /** Number of their stream. */
  final int stream;

  /** Mapped free blocks by (bytes, address). */
  final SizeOrder<Block> mapped = new SizeOrder<>();

  /** Numbers of unmapped ranges, by address. */
  final OrderedBlocks unmapped = new OrderedBlocks();

  FreeList(BlockPool pool, int stream) {
    this.pool = pool;
    small = pool.small;
    this.stream = stream;
  }

  /** Adds a mapped free block, which is of age 0 from now on. */
  void add(Block block) {
    block.lookupsWhenFreed = pool.lookups;
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
