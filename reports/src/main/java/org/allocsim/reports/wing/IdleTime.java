package org.allocsim.reports.wing;

import java.nio.file.Path;
import java.util.Optional;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;

/**
 * Says how long the GPU of a profile is idle, and why. It is a service: a wing has the analysis,
 * and the core tells of it where a file that it is asked about has the time of a GPU.
 */
@FunctionalInterface
public interface IdleTime {
  /**
   * Looks at a profile.
   *
   * @return empty where it shows no work of a GPU
   * @throws TraceFormatException where it cannot be read
   */
  Optional<Summary> of(Path profile, Progress progress) throws TraceFormatException;

  /**
   * Where the time of a GPU went.
   *
   * @param nanos all steps together
   * @param idleNanos the GPU did nothing
   * @param cause the cause of most idle time, as files name it
   * @param words the same in words
   * @param where the line, operator or call; empty where it is not known
   * @param causeNanos idle time for that cause
   */
  record Summary(
      long nanos, long idleNanos, String cause, String words, String where, long causeNanos) {
    /** Idle time in parts of the steps. */
    public double idleRatio() {
      return nanos <= 0 ? 0 : (double) idleNanos / nanos;
    }
  }
}
