package org.allocsim.simulator.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A table of blocks that are known by their row numbers, with cells for what its owner must know of
 * each. Rows that are given back are used again. The cells of a row lie together, its numbers in
 * one array and its links in another: with many blocks each that is looked at costs few cache
 * lines, where a column for every field would cost one each. Row 0 is no block but may be written
 * to, so that linking need not ask whether there is a neighbour.
 */
public class BlockRows {
  /** No row. */
  public static final int NONE = 0;

  /** Numbers of a row. */
  protected static final int NUMBERS = 2;

  /** Links of a row. */
  protected static final int LINKS = 6;

  private static final int FIRST_CAPACITY = 16;

  /** What orders keep of a row, and the next one of those that wait to be used again. */
  static final class Row extends SizedBlock {
    final int number;

    /** Whether the row is in one of the orders of this table. */
    boolean isOrdered;

    private @Nullable Row nextUnused;

    Row(int number) {
      super(number);
      this.number = number;
    }
  }

  /** The numbers of all rows. */
  protected long[] numbers = new long[FIRST_CAPACITY * NUMBERS];

  /** The links of all rows. */
  protected int[] links = new int[FIRST_CAPACITY * LINKS];

  private Row[] rows = new Row[FIRST_CAPACITY];
  private int count;
  private @Nullable Row unused;

  /** A table without rows. */
  protected BlockRows() {
    addRow();
  }

  /** A row whose cells hold what they held before. */
  protected final int newRow() {
    Row row = unused;
    if (row == null) {
      return addRow();
    }
    unused = row.nextUnused;
    return row.number;
  }

  private int addRow() {
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, Math.multiplyExact(count, 2));
      links = Arrays.copyOf(links, Math.multiplyExact(links.length, 2));
      numbers = Arrays.copyOf(numbers, Math.multiplyExact(numbers.length, 2));
    }
    rows[count] = new Row(count);
    return count++;
  }

  /** Gives a row back, which is in no order. */
  protected final void recycle(int row) {
    rows[row].nextUnused = unused;
    unused = rows[row];
  }

  /** More than every row number in use. */
  public final int rows() {
    return count;
  }

  /** Bytes of a block. */
  public final long bytes(int row) {
    return rows[row].bytes;
  }

  /** Address of a block. */
  public final long address(int row) {
    return rows[row].position;
  }

  /** Gives a block, which is in no order, its place. */
  public final void place(int row, long address, long bytes) {
    rows[row].place(address, bytes);
  }

  Row row(int number) {
    return rows[number];
  }
}
