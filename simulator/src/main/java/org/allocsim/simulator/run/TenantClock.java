package org.allocsim.simulator.run;

import org.allocsim.simulator.trace.AllocationTrace;

/**
 * When the rows of a tenant come, on the clock that all tenants have in common.
 *
 * <p>A row comes at its own time, counted from the first one after the prologue, and never before
 * the row that precedes it. The prologue's rows, which recreate what existed before, come at the
 * start. The rows of a trace without times are spread evenly over a span that is given.
 */
final class TenantClock {
  private final AllocationTrace trace;
  private final boolean isTimed;
  private final long startNanos;
  private final long spanNanos;
  private final long firstNanos;
  private final long spreadRows;

  /** Time of the row that was looked at last. */
  private long nanos;

  /**
   * A clock at the start.
   *
   * @param spanNanos for how long the rows of a trace without times come
   */
  TenantClock(AllocationTrace trace, long startNanos, long spanNanos) {
    this.trace = trace;
    this.startNanos = startNanos;
    this.spanNanos = spanNanos;
    isTimed = spanNanos(trace) > 0;
    firstNanos = isTimed ? firstNanos(trace) : 0;
    spreadRows = Math.max(1, trace.eventCount() - trace.prologueCount());
    nanos = startNanos;
  }

  private static long firstNanos(AllocationTrace trace) {
    return trace.timeNanos(trace.prologueCount());
  }

  /** Time from the first to the last row after the prologue, 0 where the trace has no times. */
  static long spanNanos(AllocationTrace trace) {
    int rows = trace.eventCount();
    return rows <= trace.prologueCount()
        ? 0
        : Math.max(0, trace.timeNanos(rows - 1) - firstNanos(trace));
  }

  /** When a row comes; rows must be asked for in order. */
  long at(int row) {
    nanos = Math.max(nanos, startNanos + offsetNanos(row));
    return nanos;
  }

  private long offsetNanos(int row) {
    int place = row - trace.prologueCount();
    if (place < 0) {
      return 0;
    }
    return isTimed
        ? trace.timeNanos(row) - firstNanos
        : (long) ((double) spanNanos * place / spreadRows);
  }
}
