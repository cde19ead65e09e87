package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.order.AddressOrder;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * First fit: the lowest address that is large enough. Next fit: the lowest from the end of the last
 * allocation on, then the lowest at all.
 */
final class AddressFit extends FreeBlocks {
  private final AddressOrder blocks = new AddressOrder();
  private final boolean roves;
  private long rover;

  /**
   * No blocks yet.
   *
   * @param heap keeps the blocks
   * @param roves whether a search begins where the last allocation ended
   */
  AddressFit(BlockHeap heap, boolean roves) {
    super(heap);
    this.roves = roves;
  }

  @Override
  int find(long bytes) {
    if (roves) {
      int block = blocks.lowestFrom(rover, bytes);
      if (block != NONE) {
        return block;
      }
    }
    return blocks.lowest(bytes);
  }

  @Override
  void add(int block) {
    blocks.add(block, heap.address(block), heap.bytes(block));
  }

  @Override
  void remove(int block) {
    blocks.remove(block);
  }

  @Override
  void cut(int block, long bytes) {
    int rest = heap.split(block, bytes);
    blocks.replace(block, rest, heap.address(rest), heap.bytes(rest));
  }

  @Override
  void absorbNext(int block) {
    heap.mergeNext(block);
    blocks.resize(block, heap.address(block), heap.bytes(block));
  }

  @Override
  void handedOut(long endAddress) {
    rover = endAddress;
  }
}
