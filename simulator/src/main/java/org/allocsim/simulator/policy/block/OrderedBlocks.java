package org.allocsim.simulator.policy.block;

import java.util.Arrays;

/**
 * Blocks ordered by (bytes, unsigned address), as best fit searches them: a {@link SizeOrder} with
 * entries of its own, for policies that keep their blocks elsewhere. Every operation takes time
 * logarithmic in the number of blocks of about the same size.
 *
 * <p>A position is a number that stays with its block while that is in the set; {@link #NONE} is no
 * position.
 */
public final class OrderedBlocks {
  /** No position. */
  public static final int NONE = 0;

  /** What is at a position, and the position behind it in the list of unused ones. */
  private static final class Entry extends SizedBlock {
    private final int position;
    private int block;
    private int nextUnused;

    Entry(int position) {
      super(position);
      this.position = position;
    }
  }

  private final SizeOrder<Entry> order = new SizeOrder<>();

  /** By position; the first is {@link #NONE}. */
  private Entry[] entries = new Entry[16];

  private int entryCount = 1;
  private int unused = NONE;

  /** An empty set. */
  public OrderedBlocks() {}

  /** Number of blocks. */
  public int size() {
    return order.size();
  }

  /** First position with a block of at least the key, or {@link #NONE}. */
  public int ceiling(long keyBytes, long keyAddress) {
    return positionOf(order.ceiling(keyBytes, keyAddress));
  }

  /** Position of the first block, or {@link #NONE}. */
  public int first() {
    return positionOf(order.first());
  }

  /** Position of the last block, or {@link #NONE}. */
  public int last() {
    return positionOf(order.last());
  }

  /** The position behind, or {@link #NONE}. */
  public int next(int position) {
    return positionOf(order.next(entries[position]));
  }

  /** The position before, or {@link #NONE}. */
  public int previous(int position) {
    return positionOf(order.previous(entries[position]));
  }

  /** Block at a position. */
  public int block(int position) {
    return entries[position].block;
  }

  /** Bytes of the block at a position. */
  public long bytes(int position) {
    return entries[position].bytes();
  }

  /** Address of the block at a position. */
  public long address(int position) {
    return entries[position].address();
  }

  /** Whether a block is in the set. */
  public boolean contains(long bytes, long address) {
    return isAt(order.ceiling(bytes, address), bytes, address);
  }

  /** Adds a block; none of the same bytes and address is in the set. */
  public void add(long bytes, long address, int block) {
    Entry entry = unusedEntry();
    entry.place(address, bytes);
    entry.block = block;
    order.add(entry);
  }

  /** Removes a block that is in the set. */
  public void remove(long bytes, long address) {
    remove(entryOf(bytes, address));
  }

  /** Removes the block at a position. */
  public void removeAt(int position) {
    remove(entries[position]);
  }

  private void remove(Entry entry) {
    order.remove(entry);
    entry.nextUnused = unused;
    unused = entry.position;
  }

  /** Replaces a block that is in the set. */
  public void replace(long bytes, long address, long newBytes, long newAddress, int newBlock) {
    replace(entryOf(bytes, address), newBytes, newAddress, newBlock);
  }

  /** Replaces the block at a position, which becomes that of the new one. */
  public void replaceAt(int position, long newBytes, long newAddress, int newBlock) {
    replace(entries[position], newBytes, newAddress, newBlock);
  }

  private void replace(Entry entry, long newBytes, long newAddress, int newBlock) {
    order.remove(entry);
    entry.place(newAddress, newBytes);
    entry.block = newBlock;
    order.add(entry);
  }

  /** Copies all blocks in order behind {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int size = order.size();
    int[] grown = list.length < count + size ? Arrays.copyOf(list, count + size) : list;
    int at = count;
    for (Entry entry = order.first(); entry != null; entry = order.next(entry)) {
      grown[at++] = entry.block;
    }
    return grown;
  }

  private static int positionOf(Entry entry) {
    return entry == null ? NONE : entry.position;
  }

  private Entry entryOf(long bytes, long address) {
    Entry entry = order.ceiling(bytes, address);
    if (!isAt(entry, bytes, address)) {
      throw new IllegalStateException("block is not in the set");
    }
    return entry;
  }

  private static boolean isAt(Entry entry, long bytes, long address) {
    return entry != null && entry.bytes() == bytes && entry.address() == address;
  }

  private Entry unusedEntry() {
    if (unused != NONE) {
      Entry entry = entries[unused];
      unused = entry.nextUnused;
      return entry;
    }
    if (entryCount == entries.length) {
      entries = Arrays.copyOf(entries, Math.multiplyExact(entryCount, 2));
    }
    entries[entryCount] = new Entry(entryCount);
    return entries[entryCount++];
  }
}
