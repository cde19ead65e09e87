package org.allocsim.simulator.policy.block;

/** Joins a block that became free to its free neighbours and enters it into the set of those. */
public final class FreeNeighbours {
  private FreeNeighbours() {}

  /**
   * Joins a block to the free ones beside it, in its segment.
   *
   * @param free the free blocks, the neighbours among them; the block is not
   * @return the block that covers all, which is in the set now: the one at the lowest address
   */
  public static int join(BlockHeap heap, OrderedBlocks free, int block) {
    int next = heap.next(block);
    boolean joinsNext = heap.isFree(next);
    long nextBytes = 0;
    long nextAddress = 0;
    if (joinsNext) {
      nextBytes = heap.bytes(next);
      nextAddress = heap.address(next);
      heap.mergeNext(block);
    }
    int previous = heap.previous(block);
    if (heap.isFree(previous)) {
      if (joinsNext) {
        free.remove(nextBytes, nextAddress);
      }
      long previousBytes = heap.bytes(previous);
      long address = heap.address(previous);
      heap.mergeNext(previous);
      free.replace(previousBytes, address, heap.bytes(previous), address, previous);
      return previous;
    }
    if (joinsNext) {
      free.replace(nextBytes, nextAddress, heap.bytes(block), heap.address(block), block);
    } else {
      free.add(heap.bytes(block), heap.address(block), block);
    }
    return block;
  }
}
