package org.allocsim.simulator.policy.classic;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The buddy system written down as the specification states it, over a heap that is large from the
 * start: whether a block is free follows from the blocks in use alone.
 */
final class NaiveBuddies {
  private record Block(long offset, long bytes) {}

  private final long leastBytes;
  private final Set<Block> free = new HashSet<>();
  private final Map<Integer, Block> live = new HashMap<>();

  NaiveBuddies(long leastBytes, long heapBytes) {
    this.leastBytes = leastBytes;
    free.add(new Block(0, heapBytes));
  }

  long allocate(int allocation, long requestedBytes) {
    long bytes = leastBytes;
    while (bytes < requestedBytes) {
      bytes *= 2;
    }
    Block chosen = null;
    for (Block block : free) {
      if (block.bytes() >= bytes
          && (chosen == null
              || block.bytes() < chosen.bytes()
              || (block.bytes() == chosen.bytes() && block.offset() < chosen.offset()))) {
        chosen = block;
      }
    }
    if (chosen == null) {
      throw new IllegalStateException("the heap is too small for this test");
    }
    free.remove(chosen);
    for (long half = chosen.bytes() / 2; half >= bytes; half /= 2) {
      free.add(new Block(chosen.offset() + half, half));
    }
    live.put(allocation, new Block(chosen.offset(), bytes));
    return chosen.offset();
  }

  void free(int allocation) {
    Block block = live.remove(allocation);
    while (true) {
      Block buddy = new Block(block.offset() ^ block.bytes(), block.bytes());
      if (!free.remove(buddy)) {
        free.add(block);
        return;
      }
      block = new Block(Math.min(block.offset(), buddy.offset()), 2 * block.bytes());
    }
  }
}
