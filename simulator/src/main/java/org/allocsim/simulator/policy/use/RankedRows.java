package org.allocsim.simulator.policy.use;

import java.util.Arrays;

/**
 * A set of rows that knows the one of lowest rank, of equal ones that of lowest order: a binary
 * heap.
 */
final class RankedRows {
  static final int NONE = -1;

  private static final int FIRST_CAPACITY = 16;

  private long[] ranks = new long[FIRST_CAPACITY];
  private long[] orders = new long[FIRST_CAPACITY];
  private int[] rows = new int[FIRST_CAPACITY];
  private int size;

  /** By row: its place in the heap, or {@link #NONE}. */
  private int[] places = new int[0];

  boolean isEmpty() {
    return size == 0;
  }

  boolean contains(int row) {
    return row < places.length && places[row] != NONE;
  }

  /** The row of lowest rank of a set that is not empty. */
  int lowest() {
    return rows[0];
  }

  /** Adds a row that is not in the set. */
  void add(int row, long rank, long order) {
    if (row >= places.length) {
      int known = places.length;
      places = Arrays.copyOf(places, Math.max(row + 1, Math.max(FIRST_CAPACITY, 2 * known)));
      Arrays.fill(places, known, places.length, NONE);
    }
    if (size == rows.length) {
      ranks = Arrays.copyOf(ranks, 2 * size);
      orders = Arrays.copyOf(orders, 2 * size);
      rows = Arrays.copyOf(rows, 2 * size);
    }
    rise(size++, row, rank, order);
  }

  /** Takes a row out of the set. */
  void remove(int row) {
    int place = places[row];
    places[row] = NONE;
    size--;
    if (place == size) {
      return;
    }
    int moved = rows[size];
    long rank = ranks[size];
    long order = orders[size];
    if (place > 0 && isBefore(rank, order, (place - 1) / 2)) {
      rise(place, moved, rank, order);
    } else {
      sink(place, moved, rank, order);
    }
  }

  private void rise(int from, int row, long rank, long order) {
    int place = from;
    while (place > 0 && isBefore(rank, order, (place - 1) / 2)) {
      copy((place - 1) / 2, place);
      place = (place - 1) / 2;
    }
    put(place, row, rank, order);
  }

  private void sink(int from, int row, long rank, long order) {
    int place = from;
    while (2 * place + 1 < size) {
      int child = 2 * place + 1;
      if (child + 1 < size && isBefore(ranks[child + 1], orders[child + 1], child)) {
        child++;
      }
      if (isBefore(rank, order, child)) {
        break;
      }
      copy(child, place);
      place = child;
    }
    put(place, row, rank, order);
  }

  private boolean isBefore(long rank, long order, int place) {
    return rank < ranks[place] || (rank == ranks[place] && order < orders[place]);
  }

  private void copy(int from, int to) {
    put(to, rows[from], ranks[from], orders[from]);
  }

  private void put(int place, int row, long rank, long order) {
    ranks[place] = rank;
    orders[place] = order;
    rows[place] = row;
    places[row] = place;
  }
}
