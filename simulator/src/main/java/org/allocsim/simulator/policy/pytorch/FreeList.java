package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.order.SizeOrder;

/** Free blocks of one pool that belong to one stream. */
final class FreeList {
  /** The pool that they are part of. */
  final BlockPool pool;

  /** Number of their stream. */
  final int stream;

  /** Number of this list in the table of blocks. */
  final int number;

  /** Mapped free blocks by (bytes, address). */
  final SizeOrder mapped;

  /** Unmapped ranges by address. */
  final OrderedBlocks unmapped = new OrderedBlocks();

  private final BlockTable blocks;

  FreeList(BlockPool pool, int stream, BlockTable blocks) {
    this.pool = pool;
    this.stream = stream;
    this.blocks = blocks;
    mapped = new SizeOrder(blocks);
    number = blocks.register(this);
  }

  /** Adds a mapped free block, which is of age 0 from now on. */
  void add(int block) {
    blocks.setLookupsWhenFreed(block, pool.lookups);
    mapped.add(block);
  }

  /** Removes a mapped free block. */
  void remove(int block) {
    mapped.remove(block);
  }

  /** Adds an unmapped range. */
  void addUnmapped(int block) {
    unmapped.add(0, blocks.address(block), block);
  }

  /** Removes an unmapped range. */
  void removeUnmapped(int block) {
    unmapped.remove(0, blocks.address(block));
  }
}
