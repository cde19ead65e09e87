package org.allocsim.simulator.timing;

import java.util.Arrays;

/**
 * The future-event list: what will happen when. Entries of the same moment leave in the order in
 * which they were added. A binary heap in columns.
 */
final class EventQueue {
  private long[] times = new long[16];
  private long[] orders = new long[16];
  private int[] subjects = new int[16];
  private int count;
  private long added;

  boolean isEmpty() {
    return count == 0;
  }

  /** Moment of the next entry; the queue is not empty. */
  long nextNanos() {
    return times[0];
  }

  /** Adds an entry after all others of the same moment. */
  void add(long nanos, int subject) {
    add(nanos, added++, subject);
  }

  /** Adds an entry whose place among those of the same moment is given. */
  void add(long nanos, long order, int subject) {
    if (count == times.length) {
      int capacity = count * 2;
      times = Arrays.copyOf(times, capacity);
      orders = Arrays.copyOf(orders, capacity);
      subjects = Arrays.copyOf(subjects, capacity);
    }
    int hole = count++;
    while (hole > 0) {
      int parent = (hole - 1) >>> 1;
      if (!isBefore(nanos, order, parent)) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    put(hole, nanos, order, subject);
  }

  /** Removes the next entry and returns what it is about. */
  int take() {
    int subject = subjects[0];
    count--;
    if (count > 0) {
      sink(times[count], orders[count], subjects[count]);
    }
    return subject;
  }

  private void sink(long nanos, long order, int subject) {
    int hole = 0;
    while (true) {
      int child = 2 * hole + 1;
      if (child >= count) {
        break;
      }
      if (child + 1 < count && isBefore(times[child + 1], orders[child + 1], child)) {
        child++;
      }
      if (isBefore(nanos, order, child)) {
        break;
      }
      move(child, hole);
      hole = child;
    }
    put(hole, nanos, order, subject);
  }

  private boolean isBefore(long nanos, long order, int other) {
    return nanos < times[other] || (nanos == times[other] && order < orders[other]);
  }

  private void move(int from, int to) {
    put(to, times[from], orders[from], subjects[from]);
  }

  private void put(int index, long nanos, long order, int subject) {
    times[index] = nanos;
    orders[index] = order;
    subjects[index] = subject;
  }
}
