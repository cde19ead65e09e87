package org.allocsim.simulator.column;

import java.util.Arrays;

/** Small numbers by row; a row is added at the end in constant time on average. */
public final class IntColumn {
  private int[] values = new int[64];
  private int count;

  /** Adds a row. */
  public void add(int value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, Math.addExact(count, count >> 1));
    }
    values[count++] = value;
  }

  /** Number of rows. */
  public int count() {
    return count;
  }

  /** The number of a row. */
  public int get(int row) {
    return values[row];
  }

  /** Changes the number of a row that was added. */
  public void set(int row, int value) {
    values[row] = value;
  }

  /** All numbers by row, as a copy. */
  public int[] toArray() {
    return Arrays.copyOf(values, count);
  }
}
