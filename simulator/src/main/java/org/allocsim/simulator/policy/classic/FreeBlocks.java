package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.block.BlockHeap;

/** The free blocks of a heap but for its top, and the rule that chooses among them. */
abstract class FreeBlocks {
  /** No block fits. */
  static final int NONE = BlockHeap.NONE;

  final BlockHeap heap;

  /**
   * No blocks yet.
   *
   * @param heap keeps the blocks
   */
  FreeBlocks(BlockHeap heap) {
    this.heap = heap;
  }

  /** The block that serves a request of so many bytes, or {@link #NONE}; it stays in the set. */
  abstract int find(long bytes);

  /** A block became free. */
  abstract void add(int block);

  /** A block, which is still as it was added, is handed out whole or merges into another. */
  abstract void remove(int block);

  /** Cuts the low part off a block of the set; the rest takes its place in the set. */
  void cut(int block, long bytes) {
    remove(block);
    add(heap.split(block, bytes));
  }

  /** Lets a block of the set absorb the free one after it, which is not in the set. */
  void absorbNext(int block) {
    remove(block);
    heap.mergeNext(block);
    add(block);
  }

  /** An allocation that ends here was handed out, from the set or from the top. */
  void handedOut(long endAddress) {}
}
