package org.allocsim.simulator.timing;

import java.util.Arrays;

/**
 * How much of each stretch of time something was busy: a bounded number of equal stretches, whose
 * width doubles as time goes on. Busy times are exact; only where in its stretch one lies is lost.
 */
public final class BusyTimeline {
  private static final int MAX_STRETCHES = 2048;
  private static final long FIRST_WIDTH_NANOS = 1_000;

  private final long[] busyNanos = new long[MAX_STRETCHES];
  private long widthNanos = FIRST_WIDTH_NANOS;
  private long totalNanos;
  private long endNanos;

  BusyTimeline() {}

  /** Was busy from one moment to another; intervals do not overlap. */
  void add(long beginNanos, long endNanos) {
    while ((endNanos - 1) / MAX_STRETCHES >= widthNanos) {
      widen();
    }
    totalNanos += endNanos - beginNanos;
    this.endNanos = Math.max(this.endNanos, endNanos);
    long from = beginNanos;
    while (from < endNanos) {
      int stretch = (int) (from / widthNanos);
      // In this order no moment wraps: the end of the last stretch may lie beyond all of them.
      long restNanos = Math.min(endNanos - from, widthNanos - from % widthNanos);
      busyNanos[stretch] += restNanos;
      from += restNanos;
    }
  }

  private void widen() {
    for (int i = 0; i < MAX_STRETCHES / 2; i++) {
      busyNanos[i] = busyNanos[2 * i] + busyNanos[2 * i + 1];
    }
    Arrays.fill(busyNanos, MAX_STRETCHES / 2, MAX_STRETCHES, 0);
    widthNanos *= 2;
  }

  /** Width of a stretch. */
  public long widthNanos() {
    return widthNanos;
  }

  /** Number of stretches up to the last busy moment. */
  public int stretchCount() {
    return endNanos == 0 ? 0 : (int) ((endNanos - 1) / widthNanos) + 1;
  }

  /** Busy time in a stretch, at most {@link #widthNanos()}. */
  public long busyNanos(int stretch) {
    return busyNanos[stretch];
  }

  /** All busy time. */
  public long totalNanos() {
    return totalNanos;
  }
}
