package org.allocsim.analysis.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Combinations that were not run, with what they are expected to need. Each remedy is taken to
 * leave the share of memory that it leaves alone, which runs of several correct: one may save what
 * another one saves, too.
 */
final class Combinations {
  /** More are found by the greedy search only. */
  private static final int MAX_REMEDIES = 4;

  /**
   * At most this many remedies are combined, starting with those that save the most for their cost.
   */
  private static final int MAX_CANDIDATES = 12;

  /** Together they may also save more than each of them alone says. */
  private static final double HOPE_RATIO = 0.95;

  private final Trials trials;
  private final Trials.Done asItIs;
  private final List<Trials.Done> alone;
  private final RemedyCost costs;

  /**
   * @param alone runs with one remedy each that help, in the order in which they are preferred
   */
  Combinations(Trials trials, Trials.Done asItIs, List<Trials.Done> alone, RemedyCost costs) {
    this.trials = trials;
    this.asItIs = asItIs;
    this.alone = alone.subList(0, Math.min(MAX_CANDIDATES, alone.size()));
    this.costs = costs;
  }

  private record Candidate(List<Trials.Done> parts, double cost, double bytes) {
    List<String> names() {
      return parts.stream().map(each -> each.remedies().getFirst()).toList();
    }
  }

  /**
   * The cheapest that were not run and are expected to fit.
   *
   * @param below what they may cost, exclusive
   * @param count of them, at most
   */
  List<List<String>> cheapest(double below, int count) {
    List<Candidate> found = new ArrayList<>();
    collect(new ArrayList<>(), 0, each -> each.cost < below && mayFit(each), found);
    return found.stream()
        .sorted(
            Comparator.comparingDouble(Candidate::cost)
                .thenComparingInt(each -> each.parts.size())
                .thenComparingDouble(Candidate::bytes))
        .limit(count)
        .map(Candidate::names)
        .toList();
  }

  private void collect(
      List<Trials.Done> parts, int from, Predicate<Candidate> taken, List<Candidate> found) {
    if (parts.size() > 1) {
      Candidate candidate =
          new Candidate(List.copyOf(parts), costs.expected(parts), expectedBytes(parts));
      Optional<Trial> run = trials.with(candidate.names());
      if (run.isPresent() && Trials.done(run.get()).isEmpty()) {
        // It fails, and so does every combination that contains it.
        return;
      }
      if (run.isEmpty() && taken.test(candidate)) {
        found.add(candidate);
      }
    }
    for (int i = from; i < alone.size() && parts.size() < MAX_REMEDIES; i++) {
      Trials.Done next = alone.get(i);
      if (trials.goTogether(named(parts), next.remedies().getFirst())) {
        parts.add(next);
        collect(parts, i + 1, taken, found);
        parts.removeLast();
      }
    }
  }

  private boolean mayFit(Candidate candidate) {
    double above = candidate.parts.stream().mapToDouble(Combinations::above).max().orElse(1);
    double hopedBytes = HOPE_RATIO * candidate.bytes;
    return hopedBytes <= trials.goal().goalBytes()
        && hopedBytes * above <= trials.goal().limitBytes();
  }

  /** How far the upper end of an estimate is above it; infinite where memory grows. */
  private static double above(Trials.Done run) {
    Long highBytes = run.outcome().highBytes();
    return highBytes == null
        ? Double.POSITIVE_INFINITY
        : (double) highBytes / Math.max(1, run.outcome().reservedBytes());
  }

  /** What is expected to be reserved under the best settings, by the runs that have most of it. */
  private double expectedBytes(List<Trials.Done> parts) {
    Set<String> names = named(parts);
    return trials
        .done()
        .filter(each -> each.remedies().size() > 1 && names.containsAll(each.remedies()))
        .mapToDouble(each -> expectedBytes(each, parts))
        .max()
        .orElseGet(() -> expectedBytes(asItIs, parts));
  }

  private double expectedBytes(Trials.Done from, List<Trials.Done> parts) {
    double bytes = from.outcome().bestReservedBytes();
    for (Trials.Done each : parts) {
      if (!from.remedies().containsAll(each.remedies())) {
        bytes *=
            (double) each.outcome().bestReservedBytes()
                / Math.max(1, asItIs.outcome().bestReservedBytes());
      }
    }
    return bytes;
  }

  private static Set<String> named(List<Trials.Done> parts) {
    Set<String> names = new HashSet<>();
    parts.forEach(each -> names.addAll(each.remedies()));
    return names;
  }
}
