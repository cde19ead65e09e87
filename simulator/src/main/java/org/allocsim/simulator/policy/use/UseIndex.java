package org.allocsim.simulator.policy.use;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Finds the row of a use by what is used and the stream that uses it: a hash table of primitives
 * with linear probing.
 */
public final class UseIndex {
  /** No row. */
  public static final int NONE = -1;

  private static final int FIRST_CAPACITY = 16;

  /**
   * Chosen anew in every process, so that no file can choose pairs that meet in one place. Answers
   * do not depend on it.
   */
  private static final long SEED = new SplittableRandom().nextLong();

  private long[] pairs = new long[FIRST_CAPACITY];
  private int[] rows = new int[FIRST_CAPACITY];
  private int size;

  /** An index of nothing. */
  public UseIndex() {
    Arrays.fill(rows, NONE);
  }

  /** The row of a use, or {@link #NONE}. */
  public int find(int owner, int stream) {
    return rows[placeOf(pair(owner, stream))];
  }

  /** Adds a use that is not known yet. */
  public void add(int owner, int stream, int row) {
    if (2 * (size + 1) > rows.length) {
      grow();
    }
    long pair = pair(owner, stream);
    int place = placeOf(pair);
    pairs[place] = pair;
    rows[place] = row;
    size++;
  }

  /** Removes a use, if it is known. */
  public void remove(int owner, int stream) {
    int hole = placeOf(pair(owner, stream));
    if (rows[hole] == NONE) {
      return;
    }
    int mask = rows.length - 1;
    for (int next = (hole + 1) & mask; rows[next] != NONE; next = (next + 1) & mask) {
      // What belongs at or before the hole moves there, so that every search still ends right.
      if (((next - homeOf(pairs[next])) & mask) >= ((next - hole) & mask)) {
        pairs[hole] = pairs[next];
        rows[hole] = rows[next];
        hole = next;
      }
    }
    rows[hole] = NONE;
    size--;
  }

  private void grow() {
    long[] oldPairs = pairs;
    int[] oldRows = rows;
    pairs = new long[2 * oldPairs.length];
    rows = new int[2 * oldRows.length];
    Arrays.fill(rows, NONE);
    for (int i = 0; i < oldRows.length; i++) {
      if (oldRows[i] != NONE) {
        int place = placeOf(oldPairs[i]);
        pairs[place] = oldPairs[i];
        rows[place] = oldRows[i];
      }
    }
  }

  private static long pair(int owner, int stream) {
    return (long) owner << 32 | Integer.toUnsignedLong(stream);
  }

  /** Where a pair is, or where it would go. */
  private int placeOf(long pair) {
    int mask = rows.length - 1;
    int place = homeOf(pair);
    while (rows[place] != NONE && pairs[place] != pair) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private int homeOf(long pair) {
    long mixed = (pair ^ SEED) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
    return (int) (mixed ^ mixed >>> 32) & rows.length - 1;
  }
}
