package org.allocsim.validation.torch;

import java.util.List;
import org.allocsim.validation.fidelity.DeviceVerification;

/**
 * How PyTorch and the simulation agree on one job.
 *
 * @param predicted what was predicted from the requests alone, against the recording
 * @param repeated a simulation of the requests whose device gives the recorded addresses, against
 *     the recording
 * @param verification the simulation that follows the recorded snapshot
 * @param failures requests that failed
 * @param failureDifferences where failed requests or their messages are not those predicted, one
 *     line each; only compared where the rows are as predicted
 * @param statisticsCompared statistics at the end that were compared
 * @param predictedStatistics where they are not those predicted, one line each; only compared where
 *     the rows are as predicted, and those that depend on orders and addresses only where these are
 * @param repeatedStatistics where they are not those of the repeated requests
 * @param verifiedStatistics where they are not those of the simulation that follows the snapshot
 * @param forcedWaits waits for the GPU inside the allocator for which streams had to be let run
 */
public record TorchVerdict(
    PredictedRows predicted,
    PredictedRows repeated,
    DeviceVerification verification,
    int failures,
    List<String> failureDifferences,
    int statisticsCompared,
    List<String> predictedStatistics,
    List<String> repeatedStatistics,
    List<String> verifiedStatistics,
    int forcedWaits) {
  /** Keeps its own copies. */
  public TorchVerdict {
    failureDifferences = List.copyOf(failureDifferences);
    predictedStatistics = List.copyOf(predictedStatistics);
    repeatedStatistics = List.copyOf(repeatedStatistics);
    verifiedStatistics = List.copyOf(verifiedStatistics);
  }

  /** Whether the simulation that follows the snapshot repeats every event and the end state. */
  public boolean verified() {
    return verification.exact() && verifiedStatistics.isEmpty();
  }

  /**
   * Whether the simulated allocator does the same, event by event with all addresses, where the
   * driver answers the same.
   */
  public boolean repeats() {
    return repeated.exact() && repeatedStatistics.isEmpty();
  }

  /** Whether everything but addresses was as predicted from the requests alone. */
  public boolean foreseen() {
    return predicted.hasSameActions()
        && failureDifferences.isEmpty()
        && predictedStatistics.isEmpty();
  }

  /** Whether all of it is exact, addresses included. */
  public boolean exact() {
    return repeats() && verified() && foreseen() && predicted.exact();
  }
}
