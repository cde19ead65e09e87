package org.allocsim.simulator.device.cost;

/** Counts driver calls and adds up the time they take. */
public final class DriverMeter {
  private final long[] calls = new long[DriverCall.values().length];
  private final long[] nanosByCall = new long[DriverCall.values().length];
  private long nanos;
  private long changes;

  /** Adds calls of one kind that take equally long. */
  public void count(DriverCall call, long times, long nanosEach) {
    calls[call.ordinal()] += times;
    nanosByCall[call.ordinal()] += times * nanosEach;
    nanos += times * nanosEach;
    changes++;
  }

  /** A number that rises with every count. */
  public long changes() {
    return changes;
  }

  /** Calls of one kind. */
  public long calls(DriverCall call) {
    return calls[call.ordinal()];
  }

  /** Calls of all kinds. */
  public long calls() {
    long sum = 0;
    for (long count : calls) {
      sum += count;
    }
    return sum;
  }

  /** Time of the calls of one kind in nanoseconds. */
  public long nanos(DriverCall call) {
    return nanosByCall[call.ordinal()];
  }

  /** Time of all calls in nanoseconds. */
  public long nanos() {
    return nanos;
  }
}
