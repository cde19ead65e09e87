package org.allocsim.simulator.policy.use;

import java.util.Arrays;

/** Lists of row numbers, linked both ways; a row is in one of them at most. */
final class RowLists {
  static final int NONE = -1;

  private static final int FIRST_CAPACITY = 16;

  private int[] first = new int[0];
  private int[] last = new int[0];
  private int[] before = new int[FIRST_CAPACITY];
  private int[] after = new int[FIRST_CAPACITY];

  /** The first row of a list, or {@link #NONE}. */
  int first(int list) {
    return list < first.length ? first[list] : NONE;
  }

  /** The row behind one in its list, or {@link #NONE}. */
  int after(int row) {
    return after[row];
  }

  /** Puts a row that is in no list at the end of one. */
  void append(int list, int row) {
    if (list >= first.length) {
      int known = first.length;
      int capacity = Math.max(list + 1, Math.max(FIRST_CAPACITY, 2 * known));
      first = Arrays.copyOf(first, capacity);
      last = Arrays.copyOf(last, capacity);
      Arrays.fill(first, known, capacity, NONE);
      Arrays.fill(last, known, capacity, NONE);
    }
    if (row >= after.length) {
      int capacity = Math.max(row + 1, 2 * after.length);
      before = Arrays.copyOf(before, capacity);
      after = Arrays.copyOf(after, capacity);
    }
    int end = last[list];
    before[row] = end;
    after[row] = NONE;
    if (end == NONE) {
      first[list] = row;
    } else {
      after[end] = row;
    }
    last[list] = row;
  }

  /** Takes a row out of the list that it is in. */
  void remove(int list, int row) {
    if (before[row] == NONE) {
      first[list] = after[row];
    } else {
      after[before[row]] = after[row];
    }
    if (after[row] == NONE) {
      last[list] = before[row];
    } else {
      before[after[row]] = before[row];
    }
  }
}
