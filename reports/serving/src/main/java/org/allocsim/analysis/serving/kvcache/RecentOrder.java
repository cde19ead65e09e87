package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;

/** Some of the numbers below a limit, in the order in which they were added. */
final class RecentOrder {
  static final int NONE = -1;

  /** Neighbours; the last element is the order itself. NONE for numbers that are not in it. */
  private final int[] before;

  private final int[] after;
  private int size;

  RecentOrder(int limit) {
    before = new int[limit + 1];
    after = new int[limit + 1];
    Arrays.fill(after, NONE);
    before[limit] = limit;
    after[limit] = limit;
  }

  int size() {
    return size;
  }

  boolean contains(int number) {
    return after[number] != NONE;
  }

  /** The number that was added longest ago; NONE where there is none. */
  int first() {
    int first = after[after.length - 1];
    return first == after.length - 1 ? NONE : first;
  }

  /** Adds a number that is not in it, as the latest. */
  void add(int number) {
    int end = after.length - 1;
    before[number] = before[end];
    after[number] = end;
    after[before[end]] = number;
    before[end] = number;
    size++;
  }

  /** Takes a number out that is in it. */
  void remove(int number) {
    after[before[number]] = after[number];
    before[after[number]] = before[number];
    after[number] = NONE;
    size--;
  }
}
