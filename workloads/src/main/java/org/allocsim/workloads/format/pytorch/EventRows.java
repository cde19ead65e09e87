package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;

/** Some consecutive rows of a history, as columns; kinds by ordinal, pool −1 for none. */
final class EventRows {
  /** Rows of a piece of a long history. */
  static final int MOST = 1 << 11;

  /** Rows for which there is room first. */
  static final int FIRST = 64;

  /** Bytes of a row, and again in the finished columns while they are filled, about. */
  private static final int ROW_BYTES = 40;

  private static final EffectKind[] KINDS = EffectKind.values();

  int count;
  byte[] kinds;
  long[] addresses;
  long[] bytes;
  short[] streams;
  long[] timesNanos;
  int[] stacks;
  short[] pools;

  /** Rows for the beginning of a history, which may be a short one. */
  EventRows() {
    this(FIRST);
  }

  /** Rows that have room for so many. */
  EventRows(int capacity) {
    kinds = new byte[capacity];
    addresses = new long[capacity];
    bytes = new long[capacity];
    streams = new short[capacity];
    timesNanos = new long[capacity];
    stacks = new int[capacity];
    pools = new short[capacity];
  }

  /** Bytes that so many rows take, about. */
  static long heldBytes(int rows) {
    return (long) ROW_BYTES * rows;
  }

  /** Whether there is no room for a row, and must not be. */
  boolean isFull() {
    return count == MOST;
  }

  /** Appends a row. */
  void add(
      EffectKind kind, long address, long size, int stream, long timeNanos, int stack, int pool) {
    int row = count;
    if (row == kinds.length) {
      grow(row * 2);
    }
    kinds[row] = (byte) kind.ordinal();
    addresses[row] = address;
    bytes[row] = size;
    streams[row] = (short) stream;
    timesNanos[row] = timeNanos;
    stacks[row] = stack;
    pools[row] = (short) pool;
    count = row + 1;
  }

  private void grow(int capacity) {
    kinds = Arrays.copyOf(kinds, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    streams = Arrays.copyOf(streams, capacity);
    timesNanos = Arrays.copyOf(timesNanos, capacity);
    stacks = Arrays.copyOf(stacks, capacity);
    pools = Arrays.copyOf(pools, capacity);
  }

  /** Marks the streams that the rows use. */
  void markStreams(boolean[] used) {
    for (int row = 0; row < count; row++) {
      used[streams[row]] = true;
    }
  }

  /** Appends the rows to a log, each stream under its final number. */
  void copyTo(EffectLog effects, short[] finalStreams) {
    for (int row = 0; row < count; row++) {
      effects.add(KINDS[kinds[row]], addresses[row], bytes[row], finalStreams[streams[row]]);
    }
  }
}
