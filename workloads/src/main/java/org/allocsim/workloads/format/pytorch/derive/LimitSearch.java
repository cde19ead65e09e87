package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;

/**
 * Finds the limit under which the history of each device makes the most sense. Each has its own:
 * {@code torch.cuda.set_per_process_memory_fraction()} limits one device, the current one unless
 * another is named.
 */
final class LimitSearch {
  /**
   * The limit of a device while it is looked for.
   *
   * @param bytes the limit, {@link MemoryLimit#NONE} for none
   * @param isInferred whether the history shows it, so that nobody said it
   */
  record Limit(long bytes, boolean isInferred) {}

  /** By device, what may have been its limit, the most likely first, and none among them. */
  private final List<List<Limit>> candidates = new ArrayList<>();

  private LimitSearch() {}

  /** Limits that are known, or that the history of a device allows. */
  static LimitSearch of(Snapshot snapshot, List<HistoryRows> rows, DerivationOptions options) {
    LimitSearch search = new LimitSearch();
    for (int device = 0; device < rows.size(); device++) {
      search.candidates.add(candidates(snapshot, device, rows.get(device), options));
    }
    return search;
  }

  private static List<Limit> candidates(
      Snapshot snapshot, int device, HistoryRows rows, DerivationOptions options) {
    if (options.facts().isPresent()) {
      return List.of(
          new Limit(
              options
                  .facts()
                  .flatMap(facts -> facts.device(device))
                  .map(RecordedFacts.Device::limitBytes)
                  .orElse(MemoryLimit.NONE),
              false));
    }
    ReservedMemory reserved = ReservedMemory.of(snapshot, device);
    // Expandable segments map whole pages, with which a program may pass its limit. One beyond
    // which the device went was not that of the recorded program.
    long beyondBytes =
        options.config().expandableSegments() ? options.config().largeSegmentBytes() - 1 : 0;
    if (options.limitBytes() >= 0 && reserved.peakBytes() - beyondBytes <= options.limitBytes()) {
      return List.of(new Limit(options.limitBytes(), false));
    }
    HistoryBounds bounds = HistoryBounds.of(rows, reserved.startBytes(), options.config());
    double threshold = options.config().garbageCollectionThreshold();
    Limit none = new Limit(MemoryLimit.NONE, false);
    List<Limit> candidates = new ArrayList<>();
    for (long bytes : bounds.possibleLimits(threshold)) {
      candidates.add(new Limit(bytes, true));
    }
    // Programs set a threshold without a limit more often than with one, and empty their cache
    // themselves. A limit that nothing but whole caches given back, or a full device, would show is
    // not assumed.
    candidates.add(threshold > 0 && !bounds.showsLimit() ? 0 : candidates.size(), none);
    return candidates;
  }

  /**
   * Derives the requests under one choice of limits after the other, until every device is
   * explained or has none left.
   *
   * @param derivation derives the requests under the limits of the devices
   */
  DerivedRequests run(Function<List<Limit>, DerivedRequests> derivation) {
    List<Limit> chosen = new ArrayList<>();
    candidates.forEach(each -> chosen.add(each.getFirst()));
    DerivedRequests requests = derivation.apply(chosen);
    List<Limit> derivedUnder = List.copyOf(chosen);
    long[] unexplained = requests.unexplained().stream().mapToLong(Long::longValue).toArray();
    for (int next = 1; ; next++) {
      List<Limit> tried = new ArrayList<>(chosen);
      for (int device = 0; device < tried.size(); device++) {
        if (unexplained[device] > 0 && next < candidates.get(device).size()) {
          tried.set(device, candidates.get(device).get(next));
        }
      }
      if (tried.equals(chosen)) {
        return derivedUnder.equals(chosen) ? requests : derivation.apply(chosen);
      }
      DerivedRequests other = derivation.apply(tried);
      for (int device = 0; device < tried.size(); device++) {
        long left = other.unexplained().get(device);
        if (left < unexplained[device]
            || (left == unexplained[device] && !tried.get(device).isInferred())) {
          chosen.set(device, tried.get(device));
          unexplained[device] = left;
        }
      }
      if (tried.equals(chosen)) {
        requests = other;
        derivedUnder = tried;
      }
    }
  }
}
