package org.allocsim.workloads.format;

import java.util.Arrays;

/** Orders rows by time without objects. */
public final class TimeOrder {
  private TimeOrder() {}

  /** The rows 0 to {@code count} − 1 by their times, those of one time by their numbers. */
  public static int[] of(long[] times, int count) {
    long[] sorted = Arrays.copyOf(times, count);
    Arrays.sort(sorted);
    // Rows of one time fill the places from its first one on.
    int[] filled = new int[count];
    int[] order = new int[count];
    for (int row = 0; row < count; row++) {
      int first = firstPlace(sorted, times[row]);
      order[first + filled[first]++] = row;
    }
    return order;
  }

  private static int firstPlace(long[] sorted, long time) {
    int low = 0;
    int high = sorted.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
