package org.allocsim.simulator.effect;

import java.util.Arrays;

/**
 * Effects in order, as columns: what a recording holds, or what a simulation did. One row is what
 * one entry of PyTorch's history says: kind, address (free bytes of the device for OOM), bytes,
 * stream.
 *
 * <p>Columns lie in pieces, so that a log of tens of millions of rows grows without being copied.
 */
public final class EffectLog {
  private static final int PIECE_SHIFT = 13;

  /** Rows of a whole piece; only the first may have room for fewer. */
  public static final int PIECE_ROWS = 1 << PIECE_SHIFT;

  private static final int PIECE_MASK = PIECE_ROWS - 1;
  private static final int FIRST_ROWS = 64;

  private int count;
  private int pieces = 1;
  private byte[][] kinds = {new byte[FIRST_ROWS]};
  private long[][] addresses = {new long[FIRST_ROWS]};
  private long[][] bytes = {new long[FIRST_ROWS]};
  private short[][] streams = {new short[FIRST_ROWS]};

  private final int[] countsByKind = new int[EffectKind.values().length];
  private int[] others = new int[16];
  private int otherCount;

  /** Number of rows. */
  public int count() {
    return count;
  }

  /** Number of rows of a kind. */
  public int count(EffectKind kind) {
    return countsByKind[kind.ordinal()];
  }

  /** Kind of a row. */
  public EffectKind kind(int row) {
    return EffectKind.of(kinds[row >>> PIECE_SHIFT][row & PIECE_MASK]);
  }

  /** Address of a row; free bytes of the device for OOM; 0 for a snapshot. */
  public long address(int row) {
    return addresses[row >>> PIECE_SHIFT][row & PIECE_MASK];
  }

  /** Bytes of a row, as PyTorch's history has them. */
  public long bytes(int row) {
    return bytes[row >>> PIECE_SHIFT][row & PIECE_MASK];
  }

  /** Stream number of a row. */
  public int stream(int row) {
    return streams[row >>> PIECE_SHIFT][row & PIECE_MASK];
  }

  /**
   * Number of rows that neither hand out a block nor take one back: those of segments, failures and
   * snapshots. They are few, so what concerns only them need not look at all rows.
   */
  public int otherCount() {
    return otherCount;
  }

  /** The i-th of these rows, in order. */
  public int otherRow(int i) {
    return others[i];
  }

  /** Appends a row. */
  public void add(EffectKind kind, long address, long sizeBytes, int stream) {
    int piece = count >>> PIECE_SHIFT;
    int at = count & PIECE_MASK;
    if (piece == pieces) {
      addPiece();
    } else if (at == kinds[piece].length) {
      growFirst(2 * at);
    }
    kinds[piece][at] = (byte) kind.ordinal();
    addresses[piece][at] = address;
    bytes[piece][at] = sizeBytes;
    streams[piece][at] = (short) stream;
    countsByKind[kind.ordinal()]++;
    if (!kind.isOfBlock()) {
      addOther(count);
    }
    count++;
  }

  private void addOther(int row) {
    if (otherCount == others.length) {
      others = Arrays.copyOf(others, Math.addExact(otherCount, otherCount >> 1));
    }
    others[otherCount++] = row;
  }

  private void addPiece() {
    if (pieces == kinds.length) {
      kinds = Arrays.copyOf(kinds, 2 * pieces);
      addresses = Arrays.copyOf(addresses, 2 * pieces);
      bytes = Arrays.copyOf(bytes, 2 * pieces);
      streams = Arrays.copyOf(streams, 2 * pieces);
    }
    kinds[pieces] = new byte[PIECE_ROWS];
    addresses[pieces] = new long[PIECE_ROWS];
    bytes[pieces] = new long[PIECE_ROWS];
    streams[pieces] = new short[PIECE_ROWS];
    pieces++;
  }

  private void growFirst(int rows) {
    kinds[0] = Arrays.copyOf(kinds[0], rows);
    addresses[0] = Arrays.copyOf(addresses[0], rows);
    bytes[0] = Arrays.copyOf(bytes[0], rows);
    streams[0] = Arrays.copyOf(streams[0], rows);
  }

  /** Marks the stream numbers that rows have. */
  public void markStreams(boolean[] used) {
    for (int piece = 0; piece < pieces; piece++) {
      short[] numbers = streams[piece];
      for (int at = 0; at < rowsOf(piece); at++) {
        used[numbers[at]] = true;
      }
    }
  }

  /** Gives every stream another number. */
  public void renumberStreams(short[] finalNumbers) {
    for (int piece = 0; piece < pieces; piece++) {
      short[] numbers = streams[piece];
      for (int at = 0; at < rowsOf(piece); at++) {
        numbers[at] = finalNumbers[numbers[at]];
      }
    }
  }

  private int rowsOf(int piece) {
    return Math.min(PIECE_ROWS, count - (piece << PIECE_SHIFT));
  }
}
