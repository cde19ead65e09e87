package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * The free blocks of a heap but for its top, and the rule that chooses among them. A block is a row
 * number of the heap; the rest of a block is added before the block itself is handed out.
 */
interface FreeBlocks {
  /** No block fits. */
  int NONE = BlockHeap.NONE;

  /** The block that serves a request of so many bytes, or {@link #NONE}; it stays in the set. */
  int find(long bytes);

  /** A block became free. */
  void add(int block, long address, long bytes);

  /** A block is handed out whole, or merges into another. */
  void remove(int block, long address, long bytes);

  /** A block's low part is handed out, its rest is the block {@code rest}. */
  default void cut(int block, long address, long bytes, int rest, long keptBytes) {
    remove(block, address, bytes);
    add(rest, address + keptBytes, bytes - keptBytes);
  }

  /**
   * A block of the set now begins elsewhere or is larger: it merged with one that was not in it.
   */
  default void resize(int block, long address, long bytes, long newAddress, long newBytes) {
    remove(block, address, bytes);
    add(block, newAddress, newBytes);
  }

  /** An allocation that ends here was handed out, from the set or from the top. */
  default void handedOut(long endAddress) {}
}
