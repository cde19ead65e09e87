package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.policy.block.OrderedBlocks;

/**
 * Free blocks of one kind (small or large) of one owner, searched together: per stream the mapped
 * free blocks by (bytes, address) and the unmapped ranges by address. Streams are visited by
 * ascending number, which is ascending handle.
 */
final class BlockPool {
  private static final OrderedBlocks EMPTY = new OrderedBlocks();

  /** Number of the owner: 0 for the default pool, else the private pool. */
  final int owner;

  /** The owner, or null for the default pool. */
  final PrivatePool privatePool;

  /** Whether this is the pool of requests up to 1 MiB. */
  final boolean small;

  /** Searches so far; the age of a block is the number of searches since it became free. */
  long lookups;

  private final BlockTable blocks;
  private OrderedBlocks[] free = new OrderedBlocks[4];
  private OrderedBlocks[] unmapped = new OrderedBlocks[4];

  BlockPool(int owner, boolean small, BlockTable blocks, PrivatePool privatePool) {
    this.owner = owner;
    this.privatePool = privatePool;
    this.small = small;
    this.blocks = blocks;
  }

  /** Mapped free blocks of a stream. */
  OrderedBlocks free(int stream) {
    return stream < free.length && free[stream] != null ? free[stream] : EMPTY;
  }

  /** Unmapped ranges of a stream, by address. */
  OrderedBlocks unmapped(int stream) {
    return stream < unmapped.length && unmapped[stream] != null ? unmapped[stream] : EMPTY;
  }

  /** Adds a mapped free block, which is of age 0 from now on. */
  void addFree(int block) {
    blocks.lookupsWhenFreed[block] = lookups;
    int stream = blocks.stream[block];
    free = withSet(free, stream);
    free[stream].add(blocks.bytes[block], blocks.address[block], block);
  }

  /** Removes a mapped free block. */
  void removeFree(int block) {
    free[blocks.stream[block]].remove(blocks.bytes[block], blocks.address[block]);
  }

  /** Adds an unmapped range. */
  void addUnmapped(int block) {
    int stream = blocks.stream[block];
    unmapped = withSet(unmapped, stream);
    unmapped[stream].add(0, blocks.address[block], block);
  }

  /** Removes an unmapped range. */
  void removeUnmapped(int block) {
    unmapped[blocks.stream[block]].remove(0, blocks.address[block]);
  }

  /** All mapped free blocks by ascending (stream, bytes, address). */
  int[] freeInOrder() {
    int[] list = new int[16];
    int count = 0;
    for (OrderedBlocks set : free) {
      if (set != null) {
        list = set.copyTo(list, count);
        count += set.size();
      }
    }
    return Arrays.copyOf(list, count);
  }

  /** Bytes of all mapped free blocks. */
  long freeBytes() {
    long sum = 0;
    for (int block : freeInOrder()) {
      sum += blocks.bytes[block];
    }
    return sum;
  }

  private static OrderedBlocks[] withSet(OrderedBlocks[] sets, int stream) {
    OrderedBlocks[] grown =
        stream < sets.length ? sets : Arrays.copyOf(sets, Math.max(stream + 1, sets.length * 2));
    if (grown[stream] == null) {
      grown[stream] = new OrderedBlocks();
    }
    return grown;
  }
}
