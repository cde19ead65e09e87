package org.allocsim.workloads.format;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Numbers of allocations by the ids that a file gives them: a hash table of primitives. A file
 * cannot choose ids that collide.
 */
public final class NumberedIds {
  /** Bytes that an id may take. */
  public static final int BYTES = 36;

  /** The number of an id that is not there. */
  public static final int NONE = AllocationTrace.NO_ALLOCATION;

  private static final int EMPTY = 0;
  private static final int GROUP_SHIFT = 4;

  private final SeededHash hash = new SeededHash();
  private long[] ids = new long[1 << 10];

  /** Numbers, one more than they are; {@link #EMPTY} in free slots. */
  private int[] numbers = new int[1 << 10];

  private int used;

  /** No ids. */
  public NumberedIds() {}

  /** The number of an id, or {@link #NONE}. */
  public int get(long id) {
    return numbers[slot(id)] - 1;
  }

  /** Gives an id a number, from 0, and answers the one that it had, or {@link #NONE}. */
  public int put(long id, int number) {
    int slot = slot(id);
    int before = numbers[slot] - 1;
    ids[slot] = id;
    numbers[slot] = number + 1;
    if (before == NONE && ++used * 2 > ids.length) {
      grow();
    }
    return before;
  }

  /** Where an id is, or the free slot where it would be. */
  private int slot(long id) {
    int mask = ids.length - 1;
    int slot = home(id) & mask;
    while (numbers[slot] != EMPTY && ids[slot] != id) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Ids that follow each other are neighbours, as they are used; groups of them are scattered. */
  private int home(long id) {
    return hash.of(id >>> GROUP_SHIFT) << GROUP_SHIFT | (int) id & (1 << GROUP_SHIFT) - 1;
  }

  private void grow() {
    long[] before = ids;
    int[] numbersBefore = numbers;
    ids = Arrays.copyOf(before, Math.multiplyExact(before.length, 2));
    numbers = new int[ids.length];
    for (int i = 0; i < before.length; i++) {
      if (numbersBefore[i] != EMPTY) {
        int slot = slot(before[i]);
        ids[slot] = before[i];
        numbers[slot] = numbersBefore[i];
      }
    }
  }
}
