package org.allocsim.analysis.job;

import java.util.List;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What a search for settings found for a rank, without the rank's recording.
 *
 * @param settings all that were tried, the best first
 * @param recorded those that it was recorded with
 * @param now what others are compared with: the recorded settings from the start that all have
 * @param bestConf the setting that is recommended for the rank alone
 * @param maxBytes what its allocator can have at most
 * @param heldBytes what the program asks for at most at once
 * @param negligibleNanos driver time that does not matter
 */
public record RankTuning(
    List<Outcome> settings,
    Outcome recorded,
    Outcome now,
    String bestConf,
    long maxBytes,
    long heldBytes,
    long negligibleNanos) {
  /** Keeps its own copy. */
  public RankTuning {
    settings = List.copyOf(settings);
  }

  /**
   * The result of a setting on a rank.
   *
   * @param conf configuration string
   * @param failure the first request that fails; null where none does
   * @param progress the row of that request, 0 without one
   * @param peakReservedBytes what is reserved at most
   * @param leftBytes what that leaves of what the allocator can have
   * @param driverCalls calls of the driver
   * @param forcedSynchronizations how often the host has to wait for the device
   * @param driverNanos time of the calls
   * @param isSafe whether it may be recommended
   */
  public record Outcome(
      String conf,
      @Nullable FailedRequest failure,
      long progress,
      long peakReservedBytes,
      long leftBytes,
      long driverCalls,
      long forcedSynchronizations,
      long driverNanos,
      boolean isSafe) {
    /** Whether every request is served. */
    public boolean passes() {
      return failure == null;
    }
  }

  /** Keeps the figures of a search. */
  public static RankTuning of(Tuning tuning, RecordedConditions recordedConditions) {
    long maxBytes = recordedConditions.maxBytes();
    RunResult recorded = tuning.recorded().result();
    return new RankTuning(
        tuning.ranked().stream().map(each -> outcome(each, each.result(), maxBytes)).toList(),
        outcome(tuning.recorded(), recorded, maxBytes),
        outcome(tuning.recorded(), recorded.passes() ? tuning.modelled() : recorded, maxBytes),
        tuning.best().conf(),
        maxBytes,
        tuning.demand().peakRequestedBytes(),
        tuning.negligibleNanos());
  }

  private static Outcome outcome(Tuning.Entry entry, RunResult result, long maxBytes) {
    return new Outcome(
        entry.conf(),
        result.firstFailure().orElse(null),
        Tuning.progressOf(result),
        result.peakReservedBytes(),
        maxBytes - result.peakReservedBytes(),
        result.driverCalls(),
        result.forcedSynchronizations(),
        result.driverNanos(),
        entry.isSafe());
  }
}
