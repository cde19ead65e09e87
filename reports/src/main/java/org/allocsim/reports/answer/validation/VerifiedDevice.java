package org.allocsim.reports.answer.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.allocsim.validation.fidelity.DeviceVerification;
import org.allocsim.workloads.format.pytorch.Snapshot;

/**
 * What the verification of one device of one file found.
 *
 * @param file name as the user gave it
 * @param snapshot the file's content
 * @param verification events and final state
 * @param statisticsCompared number of saved statistics that could be compared
 * @param statisticsDifferences where they differ, one line each
 * @param statisticsUndecided where they differ in what leaves no event, one line each
 * @param seconds wall time for the whole file
 */
public record VerifiedDevice(
    String file,
    Snapshot snapshot,
    DeviceVerification verification,
    int statisticsCompared,
    List<String> statisticsDifferences,
    List<String> statisticsUndecided,
    double seconds) {

  /**
   * Counts calls such as an {@code empty_cache()} that released nothing, which leave no event
   * (PyTorch 2.11): a recording may have had more of them than its history shows.
   */
  private static final String UNRECORDED = "num_sync_all_streams";

  /** Compares with saved statistics where there are some. */
  public static VerifiedDevice of(
      String file,
      Snapshot snapshot,
      DeviceVerification verification,
      SortedMap<String, Long> saved,
      double seconds) {
    List<String> differences = new ArrayList<>();
    List<String> undecided = new ArrayList<>();
    int compared = 0;
    for (Map.Entry<String, Long> entry : saved.entrySet()) {
      Long simulated = verification.statistics().get(entry.getKey());
      // What was counted before the history began is in no snapshot.
      boolean isKnown = verification.completeHistory() || entry.getKey().endsWith(".current");
      if (simulated != null && isKnown) {
        compared++;
        if (!simulated.equals(entry.getValue())) {
          boolean unrecorded = entry.getKey().equals(UNRECORDED) && entry.getValue() > simulated;
          (unrecorded ? undecided : differences)
              .add(entry.getKey() + ": recorded " + entry.getValue() + ", simulated " + simulated);
        }
      }
    }
    return new VerifiedDevice(
        file, snapshot, verification, compared, differences, undecided, seconds);
  }

  /** Whether all that could be compared agrees. */
  public boolean exact() {
    return verification.exact() && statisticsDifferences.isEmpty();
  }
}
