package org.allocsim.reports.html;

import java.util.Arrays;

/**
 * Which share of reserved memory lies in no block in use, after every request: its lowest and its
 * highest value in each of equally many consecutive requests, so that no peak is lost.
 */
final class UnusedShare {
  /** What a share of 1 is written as. */
  static final int WHOLE = 10_000;

  private static final int MAX_BUCKETS = 1024;

  private final int width;
  private final int[] lowest;
  private final int[] highest;

  /** For a run over so many requests. */
  UnusedShare(int events) {
    width = Math.max(1, Math.ceilDiv(events, MAX_BUCKETS));
    lowest = new int[Math.ceilDiv(events, width)];
    highest = new int[lowest.length];
    Arrays.fill(lowest, Integer.MAX_VALUE);
    Arrays.fill(highest, -1);
  }

  /** What is held after the request at a position. */
  void after(int position, long reservedBytes, long activeBytes) {
    int share =
        reservedBytes <= 0
            ? 0
            : (int) Math.round(WHOLE * (double) (reservedBytes - activeBytes) / reservedBytes);
    int bounded = Math.clamp(share, 0, WHOLE);
    int bucket = position / width;
    lowest[bucket] = Math.min(lowest[bucket], bounded);
    highest[bucket] = Math.max(highest[bucket], bounded);
  }

  /**
   * Requests in a bucket, number of buckets, their highest values, and how far the lowest lie
   * below.
   */
  void put(ColumnWriter out) {
    out.put(width);
    out.put(lowest.length);
    int last = 0;
    for (int bucket = 0; bucket < highest.length; bucket++) {
      // What nobody looked at, after the end of a run that stopped, stays as it was.
      if (highest[bucket] < 0) {
        highest[bucket] = last;
        lowest[bucket] = last;
      }
      out.putSigned(highest[bucket] - last);
      last = highest[bucket];
    }
    for (int bucket = 0; bucket < lowest.length; bucket++) {
      out.put(highest[bucket] - lowest[bucket]);
    }
  }
}
