package org.allocsim.analysis.job;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * When a rank's first request failed, on the clock of its recording.
 *
 * @param failedNanos when it failed
 * @param firstNanos when the recording begins
 * @param lastNanos when it ends
 * @param isWallClock whether that is the time of day, which ranks of one host share
 */
public record RankFailure(long failedNanos, long firstNanos, long lastNanos, boolean isWallClock) {
  /** PyTorch writes the time of day since 2.2; what began with a process is far below. */
  private static final long FIRST_WALL_CLOCK_NANOS = 1_000_000_000_000_000_000L;

  /**
   * The times of a failure.
   *
   * @param row the row that failed
   */
  public static RankFailure of(DeviceTrace input, int row) {
    AllocationTrace trace = input.trace();
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
      if (trace.device(event) == input.device()) {
        first = Math.min(first, trace.timeNanos(event));
        last = Math.max(last, trace.timeNanos(event));
      }
    }
    return new RankFailure(
        trace.timeNanos(row),
        first,
        last,
        input.recording().isPresent() && first >= FIRST_WALL_CLOCK_NANOS);
  }
}
