package org.allocsim.reports.html;

import java.util.Arrays;

/**
 * Which share of reserved memory lies in no block in use, after every request: its least and its
 * greatest value in each of equally many consecutive requests, so that no peak is lost.
 */
final class UnusedShare {
  /** What a share of 1 is written as. */
  static final int WHOLE = 10_000;

  private static final int MOST_BUCKETS = 1024;

  private final int width;
  private final int[] least;
  private final int[] greatest;

  /** For a run over so many requests. */
  UnusedShare(int events) {
    width = Math.max(1, Math.ceilDiv(events, MOST_BUCKETS));
    least = new int[Math.ceilDiv(events, width)];
    greatest = new int[least.length];
    Arrays.fill(least, Integer.MAX_VALUE);
    Arrays.fill(greatest, -1);
  }

  /** What is held after the request at a position. */
  void after(int position, long reservedBytes, long activeBytes) {
    int share =
        reservedBytes <= 0
            ? 0
            : (int) Math.round(WHOLE * (double) (reservedBytes - activeBytes) / reservedBytes);
    int bounded = Math.clamp(share, 0, WHOLE);
    int bucket = position / width;
    least[bucket] = Math.min(least[bucket], bounded);
    greatest[bucket] = Math.max(greatest[bucket], bounded);
  }

  /**
   * Requests in a bucket, number of buckets, their greatest values, and how far the least lie
   * below.
   */
  void put(ColumnWriter out) {
    out.put(width);
    out.put(least.length);
    int last = 0;
    for (int bucket = 0; bucket < greatest.length; bucket++) {
      // What nobody looked at, after the end of a run that stopped, stays as it was.
      if (greatest[bucket] < 0) {
        greatest[bucket] = last;
        least[bucket] = last;
      }
      out.putSigned(greatest[bucket] - last);
      last = greatest[bucket];
    }
    for (int bucket = 0; bucket < least.length; bucket++) {
      out.put(greatest[bucket] - least[bucket]);
    }
  }
}
