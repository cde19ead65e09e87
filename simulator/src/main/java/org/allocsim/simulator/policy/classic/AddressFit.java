package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.block.AddressOrderedBlocks;

/**
 * First fit: the lowest address that is large enough. Next fit: the lowest from the end of the last
 * allocation on, then the lowest at all.
 */
final class AddressFit implements FreeBlocks {
  private final AddressOrderedBlocks blocks = new AddressOrderedBlocks();
  private final boolean roves;
  private long rover;

  /**
   * @param roves whether a search begins where the last allocation ended
   */
  AddressFit(boolean roves) {
    this.roves = roves;
  }

  @Override
  public int find(long bytes) {
    if (roves) {
      int block = blocks.lowestFrom(rover, bytes);
      if (block != NONE) {
        return block;
      }
    }
    return blocks.lowest(bytes);
  }

  @Override
  public void add(int block, long address, long bytes) {
    blocks.add(block, address, bytes);
  }

  @Override
  public void remove(int block, long address, long bytes) {
    blocks.remove(block);
  }

  @Override
  public void cut(int block, long address, long bytes, int rest, long keptBytes) {
    blocks.replace(block, rest, address + keptBytes, bytes - keptBytes);
  }

  @Override
  public void resize(int block, long address, long bytes, long newAddress, long newBytes) {
    blocks.resize(block, newAddress, newBytes);
  }

  @Override
  public void handedOut(long endAddress) {
    rover = endAddress;
  }
}
