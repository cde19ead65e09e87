package org.allocsim.workloads.format;

import java.util.Arrays;

/**
 * The live allocations of a log by the addresses that it gives: a hash table of primitives. Where a
 * log misses a free, an address may be handed out again while it is live; the allocation that got
 * it last is then the one that is found first.
 */
public final class LivePointers {
  /** No allocation. */
  public static final int NONE = -1;

  private final SeededHash hash = new SeededHash();
  private long[] pointers = new long[1 << 10];
  private int[] latest = new int[1 << 10];
  private int[] before = new int[1 << 10];
  private int used;

  /** No live allocations. */
  public LivePointers() {
    Arrays.fill(latest, NONE);
  }

  /**
   * An allocation got an address.
   *
   * @return whether the address was live already
   */
  public boolean add(long pointer, int allocation) {
    if (2 * used >= pointers.length) {
      grow();
    }
    if (allocation >= before.length) {
      before = Arrays.copyOf(before, Math.max(allocation + 1, before.length * 2));
    }
    int slot = slot(pointer);
    boolean isLive = latest[slot] != NONE;
    before[allocation] = latest[slot];
    if (!isLive) {
      pointers[slot] = pointer;
      used++;
    }
    latest[slot] = allocation;
    return isLive;
  }

  /** Forgets the allocation that got an address last and answers it, or {@link #NONE}. */
  public int remove(long pointer) {
    int slot = slot(pointer);
    int allocation = latest[slot];
    if (allocation != NONE) {
      latest[slot] = before[allocation];
      if (latest[slot] == NONE) {
        used--;
        closeGap(slot);
      }
    }
    return allocation;
  }

  /** Number of addresses that are live. */
  public int size() {
    return used;
  }

  /** Where an address is, or the empty slot where it would be. */
  private int slot(long pointer) {
    int slot = home(pointer);
    while (latest[slot] != NONE && pointers[slot] != pointer) {
      slot = (slot + 1) & (pointers.length - 1);
    }
    return slot;
  }

  private int home(long pointer) {
    return hash.of(pointer) & (pointers.length - 1);
  }

  /** Moves entries that would not be found beyond an empty slot. */
  private void closeGap(int emptied) {
    int mask = pointers.length - 1;
    int gap = emptied;
    for (int slot = (gap + 1) & mask; latest[slot] != NONE; slot = (slot + 1) & mask) {
      int distance = (slot - home(pointers[slot])) & mask;
      if (distance >= ((slot - gap) & mask)) {
        pointers[gap] = pointers[slot];
        latest[gap] = latest[slot];
        latest[slot] = NONE;
        gap = slot;
      }
    }
  }

  private void grow() {
    long[] oldPointers = pointers;
    int[] oldLatest = latest;
    int capacity = Math.multiplyExact(oldPointers.length, 2);
    pointers = new long[capacity];
    latest = new int[capacity];
    Arrays.fill(latest, NONE);
    for (int i = 0; i < oldPointers.length; i++) {
      if (oldLatest[i] != NONE) {
        int slot = slot(oldPointers[i]);
        pointers[slot] = oldPointers[i];
        latest[slot] = oldLatest[i];
      }
    }
  }
}
