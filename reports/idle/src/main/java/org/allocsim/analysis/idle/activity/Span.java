package org.allocsim.analysis.idle.activity;

/**
 * A stretch of time in columns of equal length, to the nanosecond.
 *
 * @param name what it is
 * @param beginNanos from the first row of the profile
 * @param endNanos from the first row of the profile; after the begin
 * @param columns from 1 to 8192
 */
public record Span(String name, long beginNanos, long endNanos, int columns) {
  /** More would be finer than any chart. */
  static final int MAX_COLUMNS = 1 << 13;

  /** Refuses what has no length. */
  public Span {
    if (endNanos <= beginNanos || columns < 1 || columns > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          name + ": " + columns + " columns from " + beginNanos + " to " + endNanos);
    }
  }

  /** Its length. */
  public long nanos() {
    return endNanos - beginNanos;
  }

  /** Where a column begins; that after the last, where all end. */
  public long boundary(int column) {
    long length = nanos();
    return beginNanos + length / columns * column + length % columns * column / columns;
  }

  /** The column of a moment within. */
  int column(long moment) {
    int column = (int) Math.min(columns - 1, (double) (moment - beginNanos) / nanos() * columns);
    while (column > 0 && boundary(column) > moment) {
      column--;
    }
    while (column < columns - 1 && boundary(column + 1) <= moment) {
      column++;
    }
    return column;
  }
}
