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
    for (Block head : headsByAddress()) {
      Block block = head;
      while (!block.isEdge()) {
        Block after = endOfRun(block);
        if (block.isMapped()) {
          describeRun(block, after, visitor);
        }
        block = after;
      }
    }
  }

  private Block[] headsByAddress() {
    Block[] heads = new Block[blocks.size()];
    int count = 0;
    for (int number = 0; number < blocks.size(); number++) {
      Block block = blocks.block(number);
      if (block.exists() && block.previous.isEdge()) {
        heads[count++] = block;
      }
    }
    Arrays.sort(heads, 0, count, (a, b) -> Long.compareUnsigned(a.address(), b.address()));
    return Arrays.copyOf(heads, count);
  }

  /** The first block after the run of equally mapped neighbours. */
  private Block endOfRun(Block start) {
    Block block = start;
    while (!block.isEdge() && block.isMapped() == start.isMapped()) {
      block = block.next;
    }
    return block;
  }

  private void describeRun(Block start, Block after, LayoutVisitor visitor) {
    long bytes = 0;
    for (Block block = start; block != after; block = block.next) {
      bytes += block.bytes();
    }
    FreeList list = start.list;
    visitor.segment(
        start.address(),
        bytes,
        list.stream,
        list.pool.small,
        list.pool.owner,
        start.isExpandable());
    for (Block block = start; block != after; block = block.next) {
      visitor.block(
          block.address(), block.bytes(), block.requestedBytes, state(block), block.allocation());
    }
  }

  private BlockState state(Block block) {
    if (block.isAllocated()) {
      return BlockState.ACTIVE_ALLOCATED;
    }
    return block.isPending() ? BlockState.ACTIVE_PENDING_FREE : BlockState.INACTIVE;
  }
}
