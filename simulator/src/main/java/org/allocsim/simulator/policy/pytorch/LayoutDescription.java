package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;

/** Shows the blocks of a table as segments by ascending address. */
final class LayoutDescription {
  private final BlockTable blocks;

  LayoutDescription(BlockTable blocks) {
    this.blocks = blocks;
  }

  void describe(LayoutVisitor visitor) {
    for (int head : headsByAddress()) {
      int block = head;
      while (block != BlockTable.NONE) {
        int behind = endOfRun(block);
        if (blocks.isMapped(block)) {
          describeRun(block, behind, visitor);
        }
        block = behind;
      }
    }
  }

  private Integer[] headsByAddress() {
    Integer[] heads = new Integer[blocks.rows()];
    int count = 0;
    for (int block = 0; block < blocks.rows(); block++) {
      if (blocks.isBlock(block) && blocks.previous(block) == BlockTable.NONE) {
        heads[count++] = block;
      }
    }
    Integer[] sorted = Arrays.copyOf(heads, count);
    Arrays.sort(sorted, (a, b) -> Long.compareUnsigned(blocks.address(a), blocks.address(b)));
    return sorted;
  }

  /** The first block behind the run of equally mapped neighbours. */
  private int endOfRun(int start) {
    int block = start;
    while (block != BlockTable.NONE && blocks.isMapped(block) == blocks.isMapped(start)) {
      block = blocks.next(block);
    }
    return block;
  }

  private void describeRun(int start, int behind, LayoutVisitor visitor) {
    long bytes = 0;
    for (int block = start; block != behind; block = blocks.next(block)) {
      bytes += blocks.bytes(block);
    }
    FreeList list = blocks.list(start);
    visitor.segment(
        blocks.address(start),
        bytes,
        list.stream,
        list.pool.small,
        list.pool.owner,
        blocks.isExpandable(start));
    for (int block = start; block != behind; block = blocks.next(block)) {
      visitor.block(
          blocks.address(block),
          blocks.bytes(block),
          blocks.requestedBytes(block),
          state(block),
          blocks.allocation(block));
    }
  }

  private BlockState state(int block) {
    if (blocks.isAllocated(block)) {
      return BlockState.ACTIVE_ALLOCATED;
    }
    return blocks.isPending(block) ? BlockState.ACTIVE_PENDING_FREE : BlockState.INACTIVE;
  }
}
