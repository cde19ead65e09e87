package org.allocsim.analysis.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.allocsim.simulator.stats.ByteFormat;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the cheapest combination of remedies with which a program fits. Each remedy that may
 * help is tried alone first. Then the cheapest combinations are run that are expected to fit and
 * cost less than what fits so far. Where none is found so, remedies are added one after the other,
 * the ones that save most for their cost first, until the program fits. At last those that turned
 * out needless are left out again. The search keeps nothing: what is to be run next follows from
 * what was run.
 */
public final class RemedySearch {
  /** What saves a smaller share of the peak is not worth a run, or a line. */
  public static final double WORTH_RATIO = 0.01;

  /** A remedy that is added has to lower the peak by this share of it. */
  private static final double ADDED_RATIO = 0.005;

  /** Combinations that are run by what is expected of them, at most, and at once. */
  private static final int MAX_EXPECTED = 8;

  private static final int AT_ONCE = 2;

  /** A combination is run without one of its remedies where so much of the sum may fit. */
  private static final double HOPE_RATIO = 0.9;

  private final Trials trials;
  private final RemedyCost costs;

  /** The program as it is; null before it ran, or where it failed. */
  private final Trials.@Nullable Done baseline;

  /** A search among what was found so far. */
  public RemedySearch(Trials trials) {
    this.trials = trials;
    costs = new RemedyCost(trials);
    baseline = trials.baseline().flatMap(Trials::done).orElse(null);
  }

  /**
   * What is to be run next, as many at once as there are; nothing where the search is over.
   *
   * @return names of remedies for each run; none for the program as it is
   */
  public List<List<String>> next() {
    if (trials.baseline().isEmpty()) {
      return List.of(List.of());
    }
    if (baseline == null || (isSettled() && !trials.triesAll())) {
      return List.of();
    }
    List<List<String>> alone =
        candidates().stream()
            .map(each -> List.of(each.name()))
            .filter(each -> trials.with(each).isEmpty())
            .toList();
    if (!alone.isEmpty()) {
      return alone;
    }
    return combination(baseline);
  }

  /** Whether the program fits as it is, under its own settings or others. */
  public boolean isSettled() {
    return baseline != null && trials.fit(baseline.trial()) != Goal.Fit.NO;
  }

  /** The cheapest run that fits; empty where none does. */
  public Optional<Trials.Done> best() {
    return trials
        .done()
        .filter(each -> trials.fit(each.trial()) != Goal.Fit.NO)
        .min(
            Comparator.comparingDouble((Trials.Done each) -> costs.of(each.trial()))
                .thenComparing(each -> trials.fit(each.trial()))
                .thenComparingInt(each -> each.remedies().size())
                .thenComparingLong(each -> each.outcome().reservedBytes()));
  }

  /** The run that reserves least; empty before there is one. */
  public Optional<Trials.Done> least() {
    return trials
        .done()
        .min(
            Comparator.comparingLong((Trials.Done each) -> each.outcome().reservedBytes())
                .thenComparingInt(each -> each.remedies().size()));
  }

  /** Why a remedy is not tried, as a part of a sentence; null where it is, or will be. */
  public @Nullable String reasonAgainst(Remedy remedy) {
    if (remedy.reasonAgainst() != null) {
      return remedy.reasonAgainst();
    }
    if (trials.with(List.of(remedy.name())).isPresent()) {
      return null;
    }
    List<String> chosen = trials.chosen();
    if (chosen != null && !chosen.contains(remedy.name())) {
      return "--remedies excludes it";
    }
    if (remedy.isOnRequest() && chosen == null) {
      return "it is tried only if --remedies names it";
    }
    if (isSettled() && !trials.triesAll()) {
      return "the program fits without it";
    }
    Long maxBytes = remedy.maxSavedBytes();
    if (maxBytes != null && !isWorth(remedy)) {
      return "it can save %s at most".formatted(ByteFormat.human(maxBytes));
    }
    String first = remedy.after();
    return first == null || isNamed(remedy) || helpsMore(first)
        ? "no time was left"
        : reasonAgainstMore(first);
  }

  /** Why nothing comes after a remedy. */
  private String reasonAgainstMore(String name) {
    Optional<Trial> trial = trials.with(List.of(name));
    if (trial.isEmpty()) {
      String reason = reasonAgainst(trials.remedy(name));
      return reason == null ? name + " was not tried" : reason;
    }
    return name + (trials.fit(trial.get()) == Goal.Fit.NO ? " does not help" : " is enough");
  }

  private List<Remedy> candidates() {
    return trials.remedies().stream()
        .filter(each -> each.reasonAgainst() == null)
        .filter(each -> trials.chosen() == null ? !each.isOnRequest() : isChosen(each.name()))
        .filter(this::isWorth)
        .filter(each -> each.after() == null || isNamed(each) || helpsMore(each.after()))
        .sorted(Comparator.comparingLong(RemedySearch::hope).reversed())
        .toList();
  }

  private boolean isChosen(String name) {
    return trials.chosen() != null && trials.chosen().contains(name);
  }

  /** Whether it is asked for by name, and what it comes after is not. */
  private boolean isNamed(Remedy remedy) {
    return isChosen(remedy.name()) && remedy.after() != null && !isChosen(remedy.after());
  }

  /** The first to run are those that may save most; where that is not known, it may be much. */
  private static long hope(Remedy remedy) {
    Long maxBytes = remedy.maxSavedBytes();
    return maxBytes == null ? Long.MAX_VALUE : maxBytes;
  }

  private boolean isWorth(Remedy remedy) {
    Long maxBytes = remedy.maxSavedBytes();
    return maxBytes == null
        || baseline == null
        || isChosen(remedy.name())
        || maxBytes >= WORTH_RATIO * baseline.outcome().requestedBytes();
  }

  /** Whether a remedy helped, and more of it may be needed. */
  private boolean helpsMore(String name) {
    Optional<Trial> trial = trials.with(List.of(name));
    return trial.isPresent()
        && trials.savedRatio(trial.get()) >= WORTH_RATIO
        && (trials.triesAll() || trials.fit(trial.get()) == Goal.Fit.NO);
  }

  /**
   * What has to be run to go on with the combination; nothing where it is found, or there is none.
   */
  private List<List<String>> combination(Trials.Done asItIs) {
    Optional<Trials.Done> best = best();
    long combined = trials.trials().stream().filter(each -> each.remedies().size() > 1).count();
    if (combined < MAX_EXPECTED) {
      double below = best.map(each -> costs.of(each.trial())).orElse(Double.POSITIVE_INFINITY);
      List<List<String>> cheaper =
          new Combinations(trials, asItIs, helpful(), costs).cheapest(below, AT_ONCE);
      if (!cheaper.isEmpty()) {
        return cheaper;
      }
    }
    return best.isPresent() ? withoutNeedless(best.get(), asItIs) : oneAfterTheOther(asItIs);
  }

  private List<List<String>> oneAfterTheOther(Trials.Done asItIs) {
    Trials.Done current = asItIs;
    for (Trials.Done alone : helpful()) {
      String added = alone.remedies().getFirst();
      if (!trials.goTogether(current.remedies(), added)) {
        continue;
      }
      List<String> names = new ArrayList<>(current.remedies());
      names.add(added);
      Optional<Trial> both = trials.with(names);
      if (both.isEmpty()) {
        return List.of(names);
      }
      Optional<Trials.Done> lower = both.flatMap(Trials::done).filter(lowerThan(current));
      current = lower.orElse(current);
    }
    return List.of();
  }

  private List<List<String>> withoutNeedless(Trials.Done fitting, Trials.Done asItIs) {
    Trials.Done current = fitting;
    List<Trials.Done> costliest =
        fitting.remedies().stream()
            .flatMap(each -> trials.with(List.of(each)).flatMap(Trials::done).stream())
            .sorted(
                Comparator.comparingDouble((Trials.Done each) -> costs.of(each.trial())).reversed())
            .toList();
    for (Trials.Done alone : costliest) {
      List<String> names = new ArrayList<>(current.remedies());
      names.removeAll(alone.remedies());
      long savedBytes = asItIs.outcome().reservedBytes() - alone.outcome().reservedBytes();
      // Together they may save less than each of them alone.
      boolean mayFit =
          (current.outcome().bestReservedBytes() + savedBytes) * HOPE_RATIO
              <= trials.goal().goalBytes();
      if (names.isEmpty() || !mayFit) {
        continue;
      }
      Optional<Trial> without = trials.with(names);
      if (without.isEmpty()) {
        return List.of(names);
      }
      if (trials.fit(without.get()) != Goal.Fit.NO) {
        current = without.flatMap(Trials::done).orElse(current);
      }
    }
    return List.of();
  }

  private static Predicate<Trials.Done> lowerThan(Trials.Done before) {
    return each ->
        each.outcome().reservedBytes() <= before.outcome().reservedBytes() * (1 - ADDED_RATIO);
  }

  /** Remedies that help alone, those first that save most for what they cost. */
  private List<Trials.Done> helpful() {
    return trials
        .done()
        .filter(each -> each.remedies().size() == 1)
        .filter(each -> trials.savedRatio(each.trial()) >= WORTH_RATIO)
        .sorted(Comparator.comparingDouble(this::worth).reversed())
        .toList();
  }

  private double worth(Trials.Done alone) {
    return trials.savedRatio(alone.trial()) / costs.of(alone.trial());
  }
}
