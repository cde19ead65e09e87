package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectLog;

/**
 * What a history says of its rows beside their effects, as columns: time, stack and pool, −1 for
 * none. They lie in pieces of as many rows as those of an {@link EffectLog}.
 */
final class EventRows {
  private static final int PIECE_ROWS = EffectLog.PIECE_ROWS;
  private static final int PIECE_SHIFT = Integer.numberOfTrailingZeros(PIECE_ROWS);
  private static final int PIECE_MASK = PIECE_ROWS - 1;

  /** Rows for which there is room first. */
  static final int FIRST_ROWS = 64;

  private int count;
  private int pieces = 1;
  private long[][] timesNanos = {new long[FIRST_ROWS]};
  private int[][] stacks = {new int[FIRST_ROWS]};
  private short[][] pools = {new short[FIRST_ROWS]};

  /** Pool numbers where a byte holds them. */
  private byte[][] fewPools = {};

  /** Time of a row. */
  long timeNanos(int row) {
    return timesNanos[row >>> PIECE_SHIFT][row & PIECE_MASK];
  }

  /** Stack of a row. */
  int stack(int row) {
    return stacks[row >>> PIECE_SHIFT][row & PIECE_MASK];
  }

  /** Pool of a row. */
  int pool(int row) {
    return fewPools.length > 0
        ? fewPools[row >>> PIECE_SHIFT][row & PIECE_MASK]
        : pools[row >>> PIECE_SHIFT][row & PIECE_MASK];
  }

  /** Appends a row. */
  void add(long timeNanos, int stack, int pool) {
    int piece = count >>> PIECE_SHIFT;
    int at = count & PIECE_MASK;
    if (piece == pieces) {
      addPiece();
    } else if (at == stacks[piece].length) {
      growFirst(2 * at);
    }
    timesNanos[piece][at] = timeNanos;
    stacks[piece][at] = stack;
    pools[piece][at] = (short) pool;
    count++;
  }

  private void addPiece() {
    if (pieces == stacks.length) {
      timesNanos = Arrays.copyOf(timesNanos, 2 * pieces);
      stacks = Arrays.copyOf(stacks, 2 * pieces);
      pools = Arrays.copyOf(pools, 2 * pieces);
    }
    timesNanos[pieces] = new long[PIECE_ROWS];
    stacks[pieces] = new int[PIECE_ROWS];
    pools[pieces] = new short[PIECE_ROWS];
    pieces++;
  }

  private void growFirst(int rows) {
    timesNanos[0] = Arrays.copyOf(timesNanos[0], rows);
    stacks[0] = Arrays.copyOf(stacks[0], rows);
    pools[0] = Arrays.copyOf(pools[0], rows);
  }

  /** Times are not wanted any more. */
  void dropTimes() {
    timesNanos = new long[0][];
  }

  /** Stacks are not wanted any more. */
  void dropStacks() {
    stacks = new int[0][];
  }

  /** Pools are not wanted any more. */
  void dropPools() {
    pools = new short[0][];
  }

  /** Keeps pool numbers in a byte each; no row comes after that. */
  void narrowPools() {
    fewPools = new byte[pieces][];
    for (int piece = 0; piece < pieces; piece++) {
      short[] wide = pools[piece];
      byte[] narrow = new byte[wide.length];
      for (int at = 0; at < narrow.length; at++) {
        narrow[at] = (byte) wide[at];
      }
      fewPools[piece] = narrow;
    }
    dropPools();
  }
}
