package org.allocsim.simulator.column;

import java.util.Arrays;

/** Numbers by row; a row is added at the end in constant time on average. */
public final class LongColumn {
  private long[] values = new long[64];
  private int count;

  /** Adds a row. */
  public void add(long value) {
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
  public long get(int row) {
    return values[row];
  }

  /** Changes the number of a row that was added. */
  public void set(int row, long value) {
    values[row] = value;
  }

  /** All numbers by row, as a copy. */
  public long[] toArray() {
    return Arrays.copyOf(values, count);
  }

  /** The first row whose number is above a bound, where numbers ascend; the count if none is. */
  public int firstAbove(long bound) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (values[middle] <= bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
