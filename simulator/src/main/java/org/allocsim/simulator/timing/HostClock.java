package org.allocsim.simulator.timing;

/** The host's time, and what it went to. */
final class HostClock {
  private final long[] spentNanos = new long[HostActivity.values().length];
  private long nowNanos;

  long nowNanos() {
    return nowNanos;
  }

  /** Time spent on one activity so far. */
  long spentNanos(HostActivity activity) {
    return spentNanos[activity.ordinal()];
  }

  /** The host does something for so long. */
  void spend(HostActivity activity, long nanos) {
    spentNanos[activity.ordinal()] += nanos;
    nowNanos += nanos;
  }

  /** The host waits until a moment, which may have passed. */
  void waitUntil(HostActivity activity, long untilNanos) {
    if (untilNanos > nowNanos) {
      spend(activity, untilNanos - nowNanos);
    }
  }
}
