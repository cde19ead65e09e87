package org.allocsim.validation.fidelity;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.allocsim.workloads.format.pytorch.derive.Inference;

/**
 * How the simulation of one device agrees with its recording.
 *
 * @param device index of the device
 * @param eventsRecorded entries of the recorded history
 * @param eventsMatched leading entries that the simulation produced: same action, address, size,
 *     stream
 * @param firstDivergence the first entry that it did not produce
 * @param layoutDifferences where the final segments and blocks differ, one line each
 * @param statistics the simulated {@code memory_stats()} at the end
 * @param completeHistory whether the history began before the first allocation; if not, peaks and
 *     totals count from its start
 * @param inferences what the history does not say and was inferred
 */
public record DeviceVerification(
    int device,
    int eventsRecorded,
    int eventsMatched,
    Optional<Divergence> firstDivergence,
    List<String> layoutDifferences,
    SortedMap<String, Long> statistics,
    boolean completeHistory,
    List<Inference> inferences) {
  /** Keeps its own copies of the lists. */
  public DeviceVerification {
    layoutDifferences = List.copyOf(layoutDifferences);
    inferences = List.copyOf(inferences);
  }

  /** Whether every entry and the whole final state agree. */
  public boolean exact() {
    return firstDivergence.isEmpty() && layoutDifferences.isEmpty();
  }
}
