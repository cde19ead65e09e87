package org.allocsim.simulator.policy.classic;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.LayoutVisitor;

/** Segments that are cut into equal slots; rows of segments that are gone are used again. */
final class SlabTable {
  private long[] addresses = new long[64];
  private long[] bytes = new long[64];
  private long[] slotBytes = new long[64];

  /** Number of slots; 0 for a slab that is gone. */
  private int[] slots = new int[64];

  private int[] used = new int[64];

  /** No word of a slab's bits below this one has a free slot. */
  private int[] firstOpenWord = new int[64];

  /** Bits of the free slots. */
  private long[][] freeSlots = new long[64][];

  private int[][] allocations = new int[64][];
  private int rows;
  private int[] unused = new int[64];
  private int unusedCount;

  /** Adds an empty slab. */
  int add(long address, long slabBytes, long bytesOfSlot) {
    int slab = unusedCount > 0 ? unused[--unusedCount] : rows++;
    if (slab == addresses.length) {
      grow();
    }
    addresses[slab] = address;
    bytes[slab] = slabBytes;
    slotBytes[slab] = bytesOfSlot;
    int count = (int) (slabBytes / bytesOfSlot);
    slots[slab] = count;
    used[slab] = 0;
    firstOpenWord[slab] = 0;
    int words = (count + 63) >> 6;
    // A row that is used again keeps its arrays where they are long enough.
    if (freeSlots[slab] == null || freeSlots[slab].length < words) {
      freeSlots[slab] = new long[words];
    }
    Arrays.fill(freeSlots[slab], 0, words, -1L);
    if ((count & 63) != 0) {
      freeSlots[slab][words - 1] = (1L << count) - 1;
    }
    if (allocations[slab] == null || allocations[slab].length < count) {
      allocations[slab] = new int[count];
    }
    return slab;
  }

  /** Removes an empty slab. */
  void remove(int slab) {
    slots[slab] = 0;
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    unused[unusedCount++] = slab;
  }

  /** Takes the lowest free slot of a slab that is not full. */
  int takeLowest(int slab) {
    long[] free = freeSlots[slab];
    int word = firstOpenWord[slab];
    while (free[word] == 0) {
      word++;
    }
    firstOpenWord[slab] = word;
    int slot = (word << 6) + Long.numberOfTrailingZeros(free[word]);
    free[word] &= free[word] - 1;
    used[slab]++;
    return slot;
  }

  /** Gives a slot back. */
  void give(int slab, int slot) {
    freeSlots[slab][slot >> 6] |= 1L << slot;
    firstOpenWord[slab] = Math.min(firstOpenWord[slab], slot >> 6);
    used[slab]--;
  }

  void setAllocation(int slab, int slot, int allocation) {
    allocations[slab][slot] = allocation;
  }

  boolean isEmpty(int slab) {
    return used[slab] == 0;
  }

  boolean isFull(int slab) {
    return used[slab] == slots[slab];
  }

  /** Free slots, and what is left after the last slot. */
  int freeParts(int slab) {
    boolean hasRest = slots[slab] * slotBytes[slab] < bytes[slab];
    return slots[slab] - used[slab] + (hasRest ? 1 : 0);
  }

  long address(int slab) {
    return addresses[slab];
  }

  long bytes(int slab) {
    return bytes[slab];
  }

  long slotBytes(int slab) {
    return slotBytes[slab];
  }

  long slotAddress(int slab, int slot) {
    return addresses[slab] + slot * slotBytes[slab];
  }

  /** Shows all slabs by ascending address and their slots. */
  void describe(LayoutVisitor visitor, long[] requests) {
    IntStream.range(0, rows)
        .filter(slab -> slots[slab] > 0)
        .boxed()
        .sorted(Comparator.comparing(slab -> addresses[slab], Long::compareUnsigned))
        .forEach(slab -> describe(slab, visitor, requests));
  }

  private void describe(int slab, LayoutVisitor visitor, long[] requests) {
    visitor.segment(addresses[slab], bytes[slab], 0, false, 0, false);
    for (int slot = 0; slot < slots[slab]; slot++) {
      boolean free = (freeSlots[slab][slot >> 6] & (1L << slot)) != 0;
      int allocation = free ? -1 : allocations[slab][slot];
      visitor.block(
          slotAddress(slab, slot),
          slotBytes[slab],
          free ? 0 : requests[allocation],
          free ? LayoutVisitor.BlockState.INACTIVE : LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
          allocation);
    }
    long reached = slots[slab] * slotBytes[slab];
    if (reached < bytes[slab]) {
      visitor.block(
          addresses[slab] + reached,
          bytes[slab] - reached,
          0,
          LayoutVisitor.BlockState.INACTIVE,
          -1);
    }
  }

  private void grow() {
    int capacity = addresses.length * 2;
    addresses = Arrays.copyOf(addresses, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    slotBytes = Arrays.copyOf(slotBytes, capacity);
    slots = Arrays.copyOf(slots, capacity);
    used = Arrays.copyOf(used, capacity);
    firstOpenWord = Arrays.copyOf(firstOpenWord, capacity);
    freeSlots = Arrays.copyOf(freeSlots, capacity);
    allocations = Arrays.copyOf(allocations, capacity);
  }
}
