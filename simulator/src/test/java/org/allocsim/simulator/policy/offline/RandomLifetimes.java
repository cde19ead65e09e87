package org.allocsim.simulator.policy.offline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Lifetimes for tests. */
final class RandomLifetimes {
  private RandomLifetimes() {}

  /** Rows of (lower, upper, bytes) by ascending lower. */
  static Lifetimes ofRows(long[]... rows) {
    int n = rows.length;
    Lifetimes lifetimes = new Lifetimes(new long[n], new long[n], new long[n], new long[n]);
    for (int i = 0; i < n; i++) {
      lifetimes.lower()[i] = rows[i][0];
      lifetimes.upper()[i] = rows[i][1];
      lifetimes.nanos()[i] = rows[i][1] - rows[i][0];
      lifetimes.bytes()[i] = rows[i][2];
    }
    return lifetimes;
  }

  /** Buffers of 1 to {@code sizes} bytes that begin at one of some times and live as long. */
  static Lifetimes of(SplittableRandom random, int buffers, int times, int sizes) {
    long[][] rows = new long[buffers][];
    for (int i = 0; i < buffers; i++) {
      long lower = random.nextInt(times);
      rows[i] = new long[] {lower, lower + 1 + random.nextInt(times), 1 + random.nextInt(sizes)};
    }
    Arrays.sort(rows, Comparator.comparingLong(row -> row[0]));
    return ofRows(rows);
  }

  /**
   * A wall of bricks without holes, in any order: a plan as high as the wall exists, and is hard to
   * find.
   *
   * @param unitBytes sizes are multiples of this
   */
  static Lifetimes bricks(
      SplittableRandom random, int times, int height, int widest, int highest, long unitBytes) {
    List<long[]> rows = new ArrayList<>();
    int[] tops = new int[times];
    for (int low = lowest(tops); tops[low] < height; low = lowest(tops)) {
      int end = low;
      while (end < times && tops[end] == tops[low]) {
        end++;
      }
      int width = 1 + random.nextInt(Math.min(widest, end - low));
      int from = low + random.nextInt(end - low - width + 1);
      int high = Math.min(height - tops[low], 1 + random.nextInt(highest));
      Arrays.fill(tops, from, from + width, tops[low] + high);
      rows.add(new long[] {from, from + width, high * unitBytes});
    }
    for (int i = rows.size(); i > 1; i--) {
      Collections.swap(rows, i - 1, random.nextInt(i));
    }
    rows.sort(Comparator.comparingLong(row -> row[0]));
    return ofRows(rows.toArray(long[][]::new));
  }

  /** The first place where a wall is lowest. */
  private static int lowest(int[] tops) {
    int low = 0;
    for (int i = 1; i < tops.length; i++) {
      low = tops[i] < tops[low] ? i : low;
    }
    return low;
  }
}
