package org.allocsim.simulator.device;

/** Counts driver calls and adds up the time they take. */
final class DriverMeter {
  private final long[] calls = new long[DriverCall.values().length];
  private long nanos;

  /** Adds calls of one kind that take equally long. */
  void count(DriverCall call, long times, long nanosEach) {
    calls[call.ordinal()] += times;
    nanos += times * nanosEach;
  }

  /** Calls of one kind. */
  long calls(DriverCall call) {
    return calls[call.ordinal()];
  }

  /** Calls of all kinds. */
  long calls() {
    long sum = 0;
    for (long count : calls) {
      sum += count;
    }
    return sum;
  }

  /** Time of all calls in nanoseconds. */
  long nanos() {
    return nanos;
  }
}
