package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.block.OrderedBlocks;

/**
 * Best fit: the smallest block that is large enough. Worst fit: the largest one. Among equals the
 * lowest address.
 */
final class SizeFit implements FreeBlocks {
  private final OrderedBlocks blocks = new OrderedBlocks();
  private final boolean takesLargest;

  /**
   * @param takesLargest whether the largest block is taken, not the smallest
   */
  SizeFit(boolean takesLargest) {
    this.takesLargest = takesLargest;
  }

  @Override
  public int find(long bytes) {
    long least = bytes;
    if (takesLargest) {
      int last = blocks.last();
      if (last == OrderedBlocks.NONE || blocks.bytes(last) < bytes) {
        return NONE;
      }
      least = blocks.bytes(last);
    }
    int position = blocks.ceiling(least, 0);
    return position == OrderedBlocks.NONE ? NONE : blocks.block(position);
  }

  @Override
  public void add(int block, long address, long bytes) {
    blocks.add(bytes, address, block);
  }

  @Override
  public void remove(int block, long address, long bytes) {
    blocks.remove(bytes, address);
  }

  @Override
  public void cut(int block, long address, long bytes, int rest, long keptBytes) {
    blocks.replace(bytes, address, bytes - keptBytes, address + keptBytes, rest);
  }

  @Override
  public void resize(int block, long address, long bytes, long newAddress, long newBytes) {
    blocks.replace(bytes, address, newBytes, newAddress, block);
  }
}
