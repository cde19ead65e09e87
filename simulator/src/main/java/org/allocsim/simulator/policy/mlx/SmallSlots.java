package org.allocsim.simulator.policy.mlx;

import java.util.Arrays;
import org.allocsim.simulator.policy.block.BlockHeap;

/** Slots of one size in a segment for the smallest buffers; the slot freed last is taken first. */
final class SmallSlots {
  private static final int NONE = BlockHeap.NONE;

  private final BlockHeap heap;
  private final long slotBytes;
  private final long startAddress;
  private final long endAddress;

  /** The part of the segment that was never used. */
  private int unused;

  private int[] freed = new int[16];
  private int freedCount;

  /**
   * Slots that are all free.
   *
   * @param segment the only block of the segment, a whole number of slots
   */
  SmallSlots(BlockHeap heap, int segment, long slotBytes) {
    this.heap = heap;
    this.slotBytes = slotBytes;
    unused = segment;
    startAddress = heap.address(segment);
    endAddress = startAddress + heap.bytes(segment);
  }

  /** A slot, or {@link BlockHeap#NONE} where all are taken. */
  int take() {
    if (freedCount > 0) {
      return freed[--freedCount];
    }
    int slot = unused;
    if (slot != NONE) {
      unused = heap.bytes(slot) > slotBytes ? heap.split(slot, slotBytes) : NONE;
    }
    return slot;
  }

  /** Whether a block is a slot. */
  boolean has(int block) {
    return heap.address(block) >= startAddress && heap.address(block) < endAddress;
  }

  /** Takes a slot back. */
  void give(int slot) {
    if (freedCount == freed.length) {
      freed = Arrays.copyOf(freed, 2 * freedCount);
    }
    freed[freedCount++] = slot;
  }
}
