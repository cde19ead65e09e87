package org.allocsim.analysis.leak;

import java.util.Arrays;

/** A number that some rows of a run change; 0 before the first of them. */
public final class RowSeries {
  private int[] rows = new int[64];
  private long[] values = new long[64];
  private int count;

  /**
   * Adds a value.
   *
   * @param row that led to it; none below an earlier one. Of several values by one row the last
   *     counts
   */
  public void add(int row, long value) {
    if (count > 0 && rows[count - 1] == row) {
      values[count - 1] = value;
      return;
    }
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    rows[count] = row;
    values[count++] = value;
  }

  /** The value right before a row. */
  public long before(int row) {
    int found = Arrays.binarySearch(rows, 0, count, row);
    int at = found < 0 ? -found - 1 : found;
    return at == 0 ? 0 : values[at - 1];
  }
}
