package org.allocsim.simulator.policy.classic;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The buddy system written down as its rules are stated, with plain sets that are searched from end
 * to end.
 */
final class NaiveBuddies {
  private record Block(long offset, long bytes) {}

  private final long minBytes;
  private final Set<Block> free = new HashSet<>();
  private final Map<Integer, Block> live = new HashMap<>();

  private long heapBytes;

  NaiveBuddies(long minBytes) {
    this.minBytes = minBytes;
  }

  long allocate(int allocation, long requestedBytes) {
    long bytes = minBytes;
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
      chosen = new Block((heapBytes + bytes - 1) / bytes * bytes, bytes);
      cutGap(chosen.offset());
      heapBytes = chosen.offset() + bytes;
    }
    free.remove(chosen);
    for (long half = chosen.bytes() / 2; half >= bytes; half /= 2) {
      free.add(new Block(chosen.offset() + half, half));
    }
    live.put(allocation, new Block(chosen.offset(), bytes));
    return chosen.offset();
  }

  /** The largest blocks that lie at multiples of their sizes, from the heap's end on. */
  private void cutGap(long end) {
    long offset = heapBytes;
    while (offset < end) {
      long bytes = minBytes;
      while (offset % (2 * bytes) == 0 && offset + 2 * bytes <= end) {
        bytes *= 2;
      }
      free.add(new Block(offset, bytes));
      offset += bytes;
    }
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
