package org.allocsim.simulator.order;

import java.util.Arrays;

/**
 * Rows of a table of blocks. A block is a row number; rows that are given back are used again.
 *
 * <p>The cells of a row lie together, its numbers in one array and its links in another: with many
 * blocks each that is looked at costs two cache lines, where a column for every field would cost
 * ten. The first two numbers and links are those by which {@link SizeOrderedRows} keeps blocks in
 * order; the others belong to whoever keeps the table. Row 0 is no block but may be written to, so
 * that linking need not ask whether there is a neighbour.
 */
public class BlockRows {
  /** No row. */
  public static final int NONE = 0;

  /** Numbers of a row, all but the first two for the owner of the table. */
  protected static final int NUMBERS = 4;

  /** Links of a row, all but the first two for the owner of the table. */
  protected static final int LINKS = 8;

  /** Number: bytes of the block. */
  static final int BYTES = 0;

  /** Number: address of the block. */
  static final int ADDRESS = 1;

  /** Link: what comes before the row in its tree; of unused rows the next unused one. */
  static final int LOWER = 0;

  /** Link: what comes behind the row in its tree. */
  static final int UPPER = 1;

  private static final int FIRST_CAPACITY = 16;

  /** The numbers of all rows. */
  protected long[] numbers = new long[FIRST_CAPACITY * NUMBERS];

  /** The links of all rows. */
  protected int[] links = new int[FIRST_CAPACITY * LINKS];

  private int rows = 1;
  private int unused = NONE;

  /** A table without rows. */
  protected BlockRows() {}

  /** A row whose cells hold what they held before. */
  protected final int newRow() {
    int row = unused;
    if (row != NONE) {
      unused = links[row * LINKS + LOWER];
      return row;
    }
    row = rows++;
    if (row * LINKS == links.length) {
      links = Arrays.copyOf(links, Math.multiplyExact(links.length, 2));
      numbers = Arrays.copyOf(numbers, Math.multiplyExact(numbers.length, 2));
    }
    return row;
  }

  /** Gives a row back, which is in no order. */
  protected final void giveBack(int row) {
    links[row * LINKS + LOWER] = unused;
    unused = row;
  }

  /** More than every row number in use. */
  public final int rows() {
    return rows;
  }

  /** Bytes of a block. */
  public final long bytes(int row) {
    return numbers[row * NUMBERS + BYTES];
  }

  /** Address of a block. */
  public final long address(int row) {
    return numbers[row * NUMBERS + ADDRESS];
  }

  /** Gives a block, which is in no order, its place. */
  public final void place(int row, long address, long bytes) {
    numbers[row * NUMBERS + BYTES] = bytes;
    numbers[row * NUMBERS + ADDRESS] = address;
  }
}
