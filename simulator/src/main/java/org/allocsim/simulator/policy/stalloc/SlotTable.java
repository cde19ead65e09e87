package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.LayoutVisitor;

/**
 * Slots of 512 bytes in slabs, for requests of at most that size. The slot that was given back last
 * is used first; of a new slab the highest. When all are taken the table doubles.
 */
final class SlotTable {
  /** Bytes of a slot ({@code VAR_BLOCK_SIZE}). */
  static final long SLOT_BYTES = 512;

  /** First slab where the profile has no such request; STAlloc cannot serve one then. */
  private static final long DEFAULT_SLAB_BYTES = 2L << 20;

  private static final int FREE = -1;

  private final EffectListener listener;
  private long[] slabAddress = new long[4];
  private int[] slabFirstSlot = new int[4];

  /** Slots in use of each slab. */
  private int[] slabUsed = new int[4];

  private int slabs;
  private int slotCount;
  private int[] allocation = new int[0];
  private long[] requested = new long[0];
  private int[] free = new int[16];
  private int freeCount;
  private int splitBlocks;
  private long splitBytes;

  SlotTable(EffectListener listener) {
    this.listener = listener;
  }

  /** Bytes of all slabs. */
  long reservedBytes() {
    return slotCount * SLOT_BYTES;
  }

  /** Whether a slot is free. */
  boolean hasFree() {
    return freeCount > 0;
  }

  /** Bytes of the slab that comes next. */
  long nextSlabBytes() {
    return slotCount == 0 ? DEFAULT_SLAB_BYTES : reservedBytes();
  }

  /** Obtains a slab; answers whether the device gave it. */
  boolean addSlab(long bytes, DeviceMemory device) {
    int added = (int) (bytes / SLOT_BYTES);
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      return false;
    }
    if (slabs == slabAddress.length) {
      slabAddress = Arrays.copyOf(slabAddress, slabs * 2);
      slabFirstSlot = Arrays.copyOf(slabFirstSlot, slabs * 2);
      slabUsed = Arrays.copyOf(slabUsed, slabs * 2);
    }
    slabAddress[slabs] = address;
    slabFirstSlot[slabs++] = slotCount;
    allocation = Arrays.copyOf(allocation, slotCount + added);
    requested = Arrays.copyOf(requested, slotCount + added);
    free = Arrays.copyOf(free, slotCount + added);
    for (int slot = slotCount; slot < slotCount + added; slot++) {
      allocation[slot] = FREE;
      free[freeCount++] = slot;
    }
    slotCount += added;
    listener.segmentAllocated(address, bytes, 0, true);
    return true;
  }

  /** Hands a free slot out; answers its number. */
  int take(int byAllocation, long requestedBytes, int stream) {
    int slot = free[--freeCount];
    int slab = slabOf(slot);
    if (slabUsed[slab]++ == 0) {
      countEmptySlab(slab, 1);
    }
    countRuns(slot, slab, -1);
    allocation[slot] = byAllocation;
    requested[slot] = requestedBytes;
    countRuns(slot, slab, 1);
    listener.blockAllocated(byAllocation, address(slot), requestedBytes, SLOT_BYTES, stream, true);
    settle();
    return slot;
  }

  /** Takes a slot back. */
  void release(int slot, int stream) {
    int owner = allocation[slot];
    long address = address(slot);
    listener.freeRequested(owner, address, requested[slot], SLOT_BYTES, stream, true);
    listener.freeCompleted(owner, address, requested[slot], SLOT_BYTES, stream, true);
    int slab = slabOf(slot);
    countRuns(slot, slab, -1);
    allocation[slot] = FREE;
    free[freeCount++] = slot;
    countRuns(slot, slab, 1);
    if (--slabUsed[slab] == 0) {
      countEmptySlab(slab, -1);
    }
    settle();
  }

  /** Address of a slot. */
  long address(int slot) {
    int slab = slabOf(slot);
    return slabAddress[slab] + (slot - slabFirstSlot[slab]) * SLOT_BYTES;
  }

  private int slabOf(int slot) {
    int slab = slabs - 1;
    while (slabFirstSlot[slab] > slot) {
      slab--;
    }
    return slab;
  }

  private long slabBytes(int slab) {
    return (slabEnd(slab) - slabFirstSlot[slab]) * SLOT_BYTES;
  }

  private int slabEnd(int slab) {
    return slab + 1 == slabs ? slotCount : slabFirstSlot[slab + 1];
  }

  /** Adds the free runs that touch a slot to the splits, or takes them out. */
  private void countRuns(int slot, int slab, int sign) {
    boolean left = slot > slabFirstSlot[slab] && allocation[slot - 1] == FREE;
    boolean right = slot + 1 < slabEnd(slab) && allocation[slot + 1] == FREE;
    if (allocation[slot] == FREE) {
      splitBlocks += sign;
      splitBytes += sign * SLOT_BYTES;
    } else {
      splitBlocks += sign * ((left ? 1 : 0) + (right ? 1 : 0));
    }
  }

  /** Adds the one run of an empty slab, which is no split, before or after it is used. */
  private void countEmptySlab(int slab, int sign) {
    splitBlocks += sign;
    splitBytes += sign * slabBytes(slab);
  }

  private void settle() {
    if (splitBlocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(splitBlocks, splitBytes, true);
      splitBlocks = 0;
      splitBytes = 0;
    }
  }

  /** Number of slabs. */
  int slabs() {
    return slabs;
  }

  /** Address of a slab. */
  long slabAddress(int slab) {
    return slabAddress[slab];
  }

  /** Shows a slab; neighbouring free slots are one block. */
  void describe(int slab, LayoutVisitor visitor) {
    int end = slabEnd(slab);
    visitor.segment(slabAddress[slab], slabBytes(slab), 0, true, 0, false);
    for (int slot = slabFirstSlot[slab]; slot < end; ) {
      int after = slot + 1;
      boolean isFree = allocation[slot] == FREE;
      while (isFree && after < end && allocation[after] == FREE) {
        after++;
      }
      visitor.block(
          address(slot),
          (after - slot) * SLOT_BYTES,
          isFree ? 0 : requested[slot],
          isFree ? LayoutVisitor.BlockState.INACTIVE : LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
          allocation[slot]);
      slot = after;
    }
  }
}
