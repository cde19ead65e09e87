package org.allocsim.workloads.format.pytorch.pickle;

import java.util.Arrays;

/**
 * The dicts that are being filled: for each a row with one place per known field. A dict leaves as
 * soon as whatever contains it takes it, so that there are only as many as dicts nest.
 */
public final class OpenDicts {
  /** Maximum number of dicts that may be open at once. */
  public static final int MOST = 1 << 12;

  private static final int WIDTH = 64;

  /** Places that refer to a dict: its position on the stack and its memo slot, or −1. */
  public int[] stackPositions = new int[16];

  public int[] memoSlots = new int[16];
  private long[] present = new long[16];
  private byte[] depths = new byte[16];
  private byte[] types = new byte[16 * WIDTH];
  private long[] values = new long[16 * WIDTH];
  private int[] free = new int[16];
  private int freeCount;
  private int used;

  /** A new empty dict, or −1 where too many are open. */
  public int open(int stackPosition) {
    int dict;
    if (freeCount > 0) {
      dict = free[--freeCount];
    } else {
      if (used == MOST) {
        return -1;
      }
      if (used == present.length) {
        grow(used * 2);
      }
      dict = used++;
    }
    present[dict] = 0;
    depths[dict] = 1;
    stackPositions[dict] = stackPosition;
    memoSlots[dict] = -1;
    return dict;
  }

  private void grow(int capacity) {
    stackPositions = Arrays.copyOf(stackPositions, capacity);
    memoSlots = Arrays.copyOf(memoSlots, capacity);
    present = Arrays.copyOf(present, capacity);
    depths = Arrays.copyOf(depths, capacity);
    types = Arrays.copyOf(types, capacity * WIDTH);
    values = Arrays.copyOf(values, capacity * WIDTH);
    free = Arrays.copyOf(free, capacity);
  }

  /** The dict is finished; its row may be used again. */
  public void close(int dict) {
    free[freeCount++] = dict;
  }

  public void set(int dict, int field, byte type, long value) {
    present[dict] |= 1L << field;
    types[dict * WIDTH + field] = type;
    values[dict * WIDTH + field] = value;
  }

  public boolean has(int dict, int field) {
    return (present[dict] >>> field & 1) != 0;
  }

  public boolean hasAny(int dict, long fields) {
    return (present[dict] & fields) != 0;
  }

  /** Type of a field, {@link Value#MARK} where it is absent. */
  public byte type(int dict, int field) {
    return has(dict, field) ? types[dict * WIDTH + field] : Value.MARK;
  }

  /** Value of a field that is present. */
  public long value(int dict, int field) {
    return values[dict * WIDTH + field];
  }

  public int depth(int dict) {
    return depths[dict];
  }

  public void deepen(int dict, int depth) {
    depths[dict] = (byte) Math.max(depths[dict], depth);
  }
}
