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

  /** So many emptied caches are believed, whatever else might explain them. */
  private static final int FEW_CALLS = 3;

  /** By device, what may have been its limit, the most likely first, and none among them. */
  private final List<List<Limit>> candidates = new ArrayList<>();

  /** Whether the allocator collects garbage, where it has a limit. */
  private final boolean collects;

  private LimitSearch(boolean collects) {
    this.collects = collects;
  }

  /** Limits that are known, or that the history of a device allows. */
  static LimitSearch of(Snapshot snapshot, List<HistoryRows> rows, DerivationOptions options) {
    LimitSearch search = new LimitSearch(options.config().garbageCollectionThreshold() > 0);
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
    boolean isSaid =
        options.limitBytes() >= 0 && reserved.peakBytes() - beyondBytes <= options.limitBytes();
    double threshold = options.config().garbageCollectionThreshold();
    Limit said = new Limit(options.limitBytes(), false);
    if (isSaid && threshold <= 0) {
      return List.of(said);
    }
    HistoryBounds bounds = HistoryBounds.of(rows, reserved.startBytes(), options.config());
    List<Limit> candidates = new ArrayList<>();
    for (long bytes : bounds.possibleLimits(threshold)) {
      candidates.add(new Limit(bytes, true));
    }
    if (isSaid) {
      candidates.addFirst(said);
      return candidates;
    }
    Limit none = new Limit(MemoryLimit.NONE, false);
    // Programs set a threshold without a limit more often than with one, and empty their cache
    // themselves. A limit that nothing but whole caches given back, or a full device, would show is
    // not assumed.
    candidates.add(threshold > 0 && !bounds.showsLimit() ? 0 : candidates.size(), none);
    return candidates;
  }

  /**
   * How much is inferred that collected garbage looks like where no limit is taken to be there:
   * segments of private pools that nothing but their release tells of, and more emptied caches than
   * a program may well have asked for.
   */
  private long doubtful(DerivedRequests requests, int device) {
    if (!collects) {
      return 0;
    }
    long calls = requests.inferred(device, Inference.EMPTY_CACHE_CALLS);
    return requests.inferred(device, Inference.SEGMENTS_OF_GONE_POOLS)
        + (calls > FEW_CALLS ? calls : 0);
  }

  /**
   * Whether another limit may explain more. One that was said explains less of a history whose
   * start is lost, too; but garbage that it leaves alone was collected under another.
   */
  private boolean isAnotherTried(int device, long unexplained, long doubtful) {
    Limit first = candidates.get(device).getFirst();
    boolean isSaid = !first.isInferred() && first.bytes() >= 0;
    return doubtful > 0 || (unexplained > 0 && !isSaid);
  }

  /**
   * Derives the requests under one choice of limits after the other, until every device is
   * explained without doubtful pools, or has none left.
   *
   * @param derivation derives the requests under the limits of the devices
   */
  DerivedRequests run(Function<List<Limit>, DerivedRequests> derivation) {
    List<Limit> chosen = new ArrayList<>();
    candidates.forEach(each -> chosen.add(each.getFirst()));
    DerivedRequests requests = derivation.apply(chosen);
    List<Limit> derivedUnder = List.copyOf(chosen);
    int devices = candidates.size();
    long[] unexplained = requests.unexplained().stream().mapToLong(Long::longValue).toArray();
    long[] doubtful = new long[devices];
    for (int device = 0; device < devices; device++) {
      doubtful[device] = doubtful(requests, device);
    }
    for (int next = 1; ; next++) {
      List<Limit> tried = new ArrayList<>(chosen);
      for (int device = 0; device < devices; device++) {
        if (next < candidates.get(device).size()
            && isAnotherTried(device, unexplained[device], doubtful[device])) {
          tried.set(device, candidates.get(device).get(next));
        }
      }
      if (tried.equals(chosen)) {
        return derivedUnder.equals(chosen) ? requests : derivation.apply(chosen);
      }
      DerivedRequests other = derivation.apply(tried);
      for (int device = 0; device < devices; device++) {
        long left = other.unexplained().get(device);
        long leftDoubtful = doubtful(other, device);
        boolean isAlike = left == unexplained[device] && leftDoubtful == doubtful[device];
        if (left < unexplained[device]
            || (left == unexplained[device] && leftDoubtful < doubtful[device])
            || (isAlike && !tried.get(device).isInferred())) {
          chosen.set(device, tried.get(device));
          unexplained[device] = left;
          doubtful[device] = leftDoubtful;
        }
      }
      if (tried.equals(chosen)) {
        requests = other;
        derivedUnder = tried;
      }
    }
  }
}
