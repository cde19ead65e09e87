package org.allocsim.simulator.order;

import java.util.Arrays;

/**
 * Blocks ordered by (bytes, unsigned address), as best fit searches them: {@link SizeOrderedRows}
 * with rows of its own, for policies that keep their blocks elsewhere. Every operation takes time
 * logarithmic in the number of blocks of about the same size.
 *
 * <p>A position is a number that stays with its block while that is in the set; {@link #NONE} is no
 * position.
 */
public final class OrderedBlocks {
  /** No position. */
  public static final int NONE = SizeOrderedRows.NONE;

  /** A row for each block of the set, which has the block's number in its first link. */
  private static final class Rows extends BlockRows {
    private static final int BLOCK = 0;

    int add(long bytes, long address, int block) {
      int row = newRow();
      set(row, bytes, address, block);
      return row;
    }

    void set(int row, long bytes, long address, int block) {
      place(row, address, bytes);
      links[row * LINKS + BLOCK] = block;
    }

    int block(int row) {
      return links[row * LINKS + BLOCK];
    }

    void remove(int row) {
      recycle(row);
    }
  }

  private final Rows rows = new Rows();
  private final SizeOrderedRows order = new SizeOrderedRows(rows);

  /** An empty set. */
  public OrderedBlocks() {}

  /** Number of blocks. */
  public int size() {
    return order.size();
  }

  /** First position with a block of at least the key, or {@link #NONE}. */
  public int ceiling(long keyBytes, long keyAddress) {
    return order.ceiling(keyBytes, keyAddress);
  }

  /** Position of the first block, or {@link #NONE}. */
  public int first() {
    return order.first();
  }

  /** Position of the last block, or {@link #NONE}. */
  public int last() {
    return order.last();
  }

  /** The position after, or {@link #NONE}. */
  public int next(int position) {
    return order.next(position);
  }

  /** The position before, or {@link #NONE}. */
  public int previous(int position) {
    return order.previous(position);
  }

  /** Block at a position. */
  public int block(int position) {
    return rows.block(position);
  }

  /** Bytes of the block at a position. */
  public long bytes(int position) {
    return rows.bytes(position);
  }

  /** Address of the block at a position. */
  public long address(int position) {
    return rows.address(position);
  }

  /** Whether a block is in the set. */
  public boolean contains(long bytes, long address) {
    int position = order.ceiling(bytes, address);
    return position != NONE && isAt(position, bytes, address);
  }

  /** Adds a block; none of the same bytes and address is in the set. */
  public void add(long bytes, long address, int block) {
    order.add(rows.add(bytes, address, block));
  }

  /** Removes a block that is in the set. */
  public void remove(long bytes, long address) {
    removeAt(positionOf(bytes, address));
  }

  /** Removes the block at a position. */
  public void removeAt(int position) {
    order.remove(position);
    rows.remove(position);
  }

  /** Replaces a block that is in the set. */
  public void replace(long bytes, long address, long newBytes, long newAddress, int newBlock) {
    replaceAt(positionOf(bytes, address), newBytes, newAddress, newBlock);
  }

  /** Replaces the block at a position, which becomes that of the new one. */
  public void replaceAt(int position, long newBytes, long newAddress, int newBlock) {
    order.remove(position);
    rows.set(position, newBytes, newAddress, newBlock);
    order.add(position);
  }

  /** Copies all blocks in order after {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int size = order.size();
    int[] grown = list.length < count + size ? Arrays.copyOf(list, count + size) : list;
    int at = count;
    for (int position = order.first(); position != NONE; position = order.next(position)) {
      grown[at++] = rows.block(position);
    }
    return grown;
  }

  private int positionOf(long bytes, long address) {
    int position = order.ceiling(bytes, address);
    if (position == NONE || !isAt(position, bytes, address)) {
      throw new IllegalStateException("block is not in the set");
    }
    return position;
  }

  private boolean isAt(int position, long bytes, long address) {
    return rows.bytes(position) == bytes && rows.address(position) == address;
  }
}
