package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Best fit: the smallest block that is large enough. Worst fit: the largest one. Among equals the
 * lowest address.
 */
final class SizeFit extends FreeBlocks {
  private final SizeOrderedRows blocks;
  private final boolean takesLargest;

  /**
   * No blocks yet.
   *
   * @param heap keeps the blocks
   * @param takesLargest whether the largest block is taken, not the smallest
   */
  SizeFit(BlockHeap heap, boolean takesLargest) {
    super(heap);
    blocks = new SizeOrderedRows(heap);
    this.takesLargest = takesLargest;
  }

  @Override
  int find(long bytes) {
    if (!takesLargest) {
      return blocks.ceiling(bytes, 0);
    }
    int last = blocks.last();
    return last == NONE || heap.bytes(last) < bytes ? NONE : blocks.ceiling(heap.bytes(last), 0);
  }

  @Override
  void add(int block) {
    blocks.add(block);
  }

  @Override
  void remove(int block) {
    blocks.remove(block);
  }
}
