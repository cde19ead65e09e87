package org.allocsim.simulator.policy.pytorch;

/**
 * What the statistics count of blocks that are handed out and given back, and what is reported to
 * others of them. The two are apart so that where nobody else listens the compiler need not keep
 * everything for calls that never come.
 */
final class BlockReports {
  private BlockReports() {}

  // What is counted.

  /** Counts that a block is no free part of its segment any more. */
  static void countTaken(Block block, FreeList list) {
    if (block.isSplit() && !block.isExpandable()) {
      list.counters.countInactiveSplitsReduced(1, block.bytes());
    }
  }

  /** Counts that a free block loses its first bytes. */
  static void countSplitOff(long frontBytes, Block block, FreeList list) {
    if (!block.isExpandable()) {
      if (block.isSplit()) {
        list.counters.countInactiveSplitsReduced(0, frontBytes);
      } else {
        list.counters.countInactiveSplitAdded(0, block.bytes() - frontBytes);
      }
    }
  }

  /** Counts the free part that a block is which had so many bytes before it absorbed neighbours. */
  static void countMerged(Block block, FreeList list, long freedBytes, int absorbed) {
    if (!block.isExpandable()) {
      if (block.isSplit()) {
        list.counters.countInactiveSplitAdded(absorbed, freedBytes);
      } else if (absorbed > 0) {
        list.counters.countInactiveSplitsReduced(absorbed, block.bytes() - freedBytes);
      }
    }
  }

  // What is reported to others.

  /** Reports that a block is handed out. */
  static void reportAllocated(Block block) {
    FreeList list = block.list;
    if (list.others != null) {
      list.others.blockAllocated(
          block.allocation(),
          block.address(),
          block.requestedBytes,
          block.bytes(),
          list.stream,
          list.small);
    }
  }

  /** Reports free parts of a block's segment, which count unless it is an expandable one. */
  static void reportInactiveSplit(Block block, int parts, long bytes) {
    FreeList list = block.list;
    if (list.others != null && !block.isExpandable()) {
      list.others.inactiveSplitChanged(parts, bytes, list.small);
    }
  }

  /** Reports that a block is given back and in use nowhere. */
  static void reportFreed(int allocation, Block block, FreeList list) {
    if (list.others != null) {
      long address = block.address();
      long requestedBytes = block.requestedBytes;
      long blockBytes = block.bytes();
      list.others.freeRequested(
          allocation, address, requestedBytes, blockBytes, list.stream, list.small);
      list.others.freeCompleted(
          allocation, address, requestedBytes, blockBytes, list.stream, list.small);
    }
  }
}
