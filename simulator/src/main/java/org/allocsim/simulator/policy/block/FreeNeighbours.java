package org.allocsim.simulator.policy.block;

import org.allocsim.simulator.order.SizeOrderedRows;

/** Joins a block that became free to its free neighbours and enters it into the order of those. */
public final class FreeNeighbours {
  private FreeNeighbours() {}

  /**
   * Joins a block to the free ones beside it, in its segment.
   *
   * @param free the free blocks, the neighbours among them; the block is not
   * @return the block that covers all, which is in the order now: the one at the lowest address
   */
  public static int join(BlockHeap heap, SizeOrderedRows free, int block) {
    int joined = block;
    int next = heap.next(block);
    if (heap.isFree(next)) {
      free.remove(next);
      heap.mergeNext(block);
    }
    int previous = heap.previous(block);
    if (heap.isFree(previous)) {
      free.remove(previous);
      heap.mergeNext(previous);
      joined = previous;
    }
    free.add(joined);
    return joined;
  }
}
