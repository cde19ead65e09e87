package org.allocsim.simulator.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some blocks of a {@link BlockRows table} ordered by (bytes, unsigned address): a {@link
 * SizeOrder} that takes and answers row numbers. Any number of these may share a table; a block is
 * in one of them at most, and keeps its place while it is.
 */
public final class SizeOrderedRows {
  /** No block. */
  public static final int NONE = BlockRows.NONE;

  private final BlockRows table;
  private final SizeOrder<BlockRows.Row> order = new SizeOrder<>();
  private int size;

  /** An order of no blocks of a table. */
  public SizeOrderedRows(BlockRows table) {
    this.table = table;
  }

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** The first block of at least the key, or {@link #NONE}. */
  public int ceiling(long bytes, long address) {
    return number(order.ceiling(bytes, address));
  }

  /** The first block, or {@link #NONE}. */
  public int first() {
    return number(order.first());
  }

  /** The last block, or {@link #NONE}. */
  public int last() {
    return number(order.last());
  }

  /** The block after one of the order, or {@link #NONE}. */
  public int next(int block) {
    return number(order.next(table.row(block)));
  }

  /** The block before one of the order, or {@link #NONE}. */
  public int previous(int block) {
    return number(order.previous(table.row(block)));
  }

  /**
   * Puts a block into the order.
   *
   * @throws IllegalStateException where it is in one
   */
  public void add(int block) {
    BlockRows.Row row = table.row(block);
    if (row.isOrdered) {
      throw new IllegalStateException("block is already in an order");
    }
    row.isOrdered = true;
    order.add(row);
    size++;
  }

  /**
   * Takes a block out of the order.
   *
   * @throws IllegalStateException where it is in none
   */
  public void remove(int block) {
    BlockRows.Row row = table.row(block);
    if (!row.isOrdered) {
      throw new IllegalStateException("block is not in the order");
    }
    row.isOrdered = false;
    order.remove(row);
    size--;
  }

  /** Copies all blocks in order after {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int[] grown = list.length < count + size() ? Arrays.copyOf(list, count + size()) : list;
    int at = count;
    for (BlockRows.Row row = order.first(); row != null; row = order.next(row)) {
      grown[at++] = row.number;
    }
    return grown;
  }

  private static int number(BlockRows.@Nullable Row row) {
    return row == null ? NONE : row.number;
  }
}
