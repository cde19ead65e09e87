package org.allocsim.simulator.timing;

import org.allocsim.simulator.trace.AllocationTrace;

/**
 * The program's own time between the rows of a recording, which it keeps under any allocator: the
 * recorded time less what the recorded allocator's driver calls took of it.
 */
public final class Pace {
  private final AllocationTrace trace;
  private final long[] driverNanos;
  private long lastNanos = Long.MIN_VALUE;

  private Pace(AllocationTrace trace, long[] driverNanos) {
    this.trace = trace;
    this.driverNanos = driverNanos;
  }

  /**
   * The recorded times less those of driver calls.
   *
   * @param driverNanos time that the recorded allocator's driver calls took in each row
   */
  public static Pace without(AllocationTrace trace, long[] driverNanos) {
    return new Pace(trace, driverNanos.clone());
  }

  /** The program's own time before a row; rows are asked in order, those of one device only. */
  long nanosBefore(int event) {
    long time = trace.timeNanos(event);
    if (event < trace.prologueCount()) {
      return 0;
    }
    long gap = lastNanos == Long.MIN_VALUE ? 0 : Math.max(0, time - lastNanos);
    lastNanos = Math.max(lastNanos, time);
    // PyTorch writes an entry of its history when a request is through, so a row's own calls lie
    // before its time.
    return Math.max(0, gap - driverNanos[event]);
  }
}
