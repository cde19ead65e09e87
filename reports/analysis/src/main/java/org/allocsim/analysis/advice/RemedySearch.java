package org.allocsim.analysis.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.stats.ByteFormat;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the cheapest combination of remedies with which a program fits. Each remedy that may
 * help is tried alone first; those that do are added one after the other, the ones that save most
 * for their cost first, until the program fits; then those that turned out needless are left out
 * again. The search keeps nothing: what is to be run next follows from what was run.
 */
public final class RemedySearch {
  /** What saves a smaller share of the peak is not worth a run, or a line. */
  public static final double WORTH_RATIO = 0.01;

  /** A remedy that is added has to lower the peak by this share of it. */
  private static final double ADDED_RATIO = 0.005;

  /** What changes results counts like so much more time: others are taken up to there. */
  private static final double CHANGED_RESULTS_COST = 0.3;

  /** Added to each cost, so that what is free does not win whatever it saves. */
  private static final double LEAST_COST = 0.02;

  /** What is left out may turn out to cost less memory than it saved alone. */
  private static final double HOPE_RATIO = 0.9;

  private final Trials trials;
  private final @Nullable Trial baseline;

  /** A search among what was found so far. */
  public RemedySearch(Trials trials) {
    this.trials = trials;
    baseline = trials.baseline().orElse(null);
  }

  /**
   * What is to be run next, as many at once as there are; nothing where the search is over.
   *
   * @return names of remedies for each run; none for the program as it is
   */
  public List<List<String>> next() {
    if (baseline == null) {
      return List.of(List.of());
    }
    if (baseline.outcome() == null || (isSettled() && !trials.triesAll())) {
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
    boolean oneIsEnough =
        trials.trials().stream()
            .filter(each -> each.remedies().size() <= 1)
            .anyMatch(each -> trials.fit(each) != Goal.Fit.NO);
    return oneIsEnough ? List.of() : combination();
  }

  /** Whether the program fits as it is, under its own settings or others. */
  public boolean isSettled() {
    return baseline != null && trials.fit(baseline) != Goal.Fit.NO;
  }

  /** The cheapest run that fits; empty where none does. */
  public Optional<Trial> best() {
    return trials.trials().stream()
        .filter(each -> trials.fit(each) != Goal.Fit.NO)
        .min(
            Comparator.comparingDouble(this::cost)
                .thenComparing(each -> trials.fit(each))
                .thenComparing(each -> each.remedies().size())
                .thenComparing(each -> each.outcome().reservedBytes()));
  }

  /** The run that reserves least; empty before there is one. */
  public Optional<Trial> least() {
    return trials.trials().stream()
        .filter(each -> each.outcome() != null)
        .min(
            Comparator.<Trial>comparingLong(each -> each.outcome().reservedBytes())
                .thenComparing(each -> each.remedies().size()));
  }

  /** Why a remedy is not tried, as a part of a sentence; null where it is, or will be. */
  public @Nullable String reasonAgainst(Remedy remedy) {
    if (remedy.reasonAgainst() != null) {
      return remedy.reasonAgainst();
    }
    if (trials.chosen() != null && !trials.chosen().contains(remedy.name())) {
      return "--remedies leaves it out";
    }
    if (remedy.isOnRequest() && trials.chosen() == null) {
      return "it is tried where --remedies names it";
    }
    if (!isWorth(remedy)) {
      return "it can save %s at most".formatted(ByteFormat.human(remedy.mostSavedBytes()));
    }
    if (remedy.after() != null && !helpsMore(remedy.after())) {
      return reasonAgainst(trials.remedy(remedy.after()), remedy.after());
    }
    if (trials.with(List.of(remedy.name())).isEmpty()) {
      return isSettled() && !trials.triesAll()
          ? "the program fits without it"
          : "there was no time left";
    }
    return null;
  }

  /** Why nothing comes after a remedy. */
  private String reasonAgainst(Remedy first, String name) {
    Optional<Trial> trial = trials.with(List.of(name));
    if (trial.isEmpty()) {
      String reason = reasonAgainst(first);
      return reason == null ? name + " was not tried" : reason;
    }
    return trials.fit(trial.get()) == Goal.Fit.NO ? name + " does not help" : name + " is enough";
  }

  private List<Remedy> candidates() {
    return trials.remedies().stream()
        .filter(each -> each.reasonAgainst() == null)
        .filter(each -> trials.chosen() == null ? !each.isOnRequest() : isChosen(each))
        .filter(this::isWorth)
        .filter(each -> each.after() == null || isNamed(each) || helpsMore(each.after()))
        .sorted(Comparator.comparingLong(RemedySearch::hope).reversed())
        .toList();
  }

  private boolean isChosen(Remedy remedy) {
    return trials.chosen() != null && trials.chosen().contains(remedy.name());
  }

  /** Whether it is asked for by name, and what it comes after is not. */
  private boolean isNamed(Remedy remedy) {
    return isChosen(remedy) && !trials.chosen().contains(remedy.after());
  }

  /** The first to run are those that may save most; where that is not known, it may be much. */
  private static long hope(Remedy remedy) {
    return remedy.mostSavedBytes() == null ? Long.MAX_VALUE : remedy.mostSavedBytes();
  }

  private boolean isWorth(Remedy remedy) {
    return remedy.mostSavedBytes() == null
        || isChosen(remedy)
        || baseline == null
        || baseline.outcome() == null
        || remedy.mostSavedBytes() >= WORTH_RATIO * baseline.outcome().requestedBytes();
  }

  /** Whether a remedy helped, and more of it may be needed. */
  private boolean helpsMore(String name) {
    Optional<Trial> trial = trials.with(List.of(name));
    return trial.isPresent()
        && trials.savedRatio(trial.get()) >= WORTH_RATIO
        && (trials.triesAll() || trials.fit(trial.get()) == Goal.Fit.NO);
  }

  /** What a run costs, as a share of a step: more time, and that results may change. */
  private double cost(Trial trial) {
    Double added = trials.addedTimeRatio(trial);
    double time = added == null ? 0 : Math.max(0, added);
    boolean changes =
        trial.remedies().stream().anyMatch(each -> trials.remedy(each).changesResults());
    return time + (changes ? CHANGED_RESULTS_COST : 0);
  }

  /**
   * What has to be run to go on with the combination; nothing where it is found, or there is none.
   */
  private List<List<String>> combination() {
    Trial current = baseline;
    for (Trial alone : helpful()) {
      Remedy added = trials.remedy(alone.remedies().getFirst());
      if (current.remedies().stream().anyMatch(each -> isOfGroup(each, added))) {
        continue;
      }
      List<String> names = new ArrayList<>(current.remedies());
      names.add(added.name());
      Optional<Trial> both = trials.with(names);
      if (both.isEmpty()) {
        return List.of(names);
      }
      if (lowers(both.get(), current)) {
        current = both.get();
      }
      if (trials.fit(current) != Goal.Fit.NO) {
        return withoutNeedless(current);
      }
    }
    return List.of();
  }

  private List<List<String>> withoutNeedless(Trial fitting) {
    Trial current = fitting;
    List<Trial> costliest =
        fitting.remedies().stream()
            .map(each -> trials.with(List.of(each)).orElseThrow())
            .sorted(Comparator.comparingDouble(this::cost).reversed())
            .toList();
    for (Trial alone : costliest) {
      List<String> names = new ArrayList<>(current.remedies());
      names.removeAll(alone.remedies());
      if (names.isEmpty() || !mayFit(current, alone)) {
        continue;
      }
      Optional<Trial> without = trials.with(names);
      if (without.isEmpty()) {
        return List.of(names);
      }
      if (trials.fit(without.get()) != Goal.Fit.NO) {
        current = without.get();
      }
    }
    return List.of();
  }

  /** Whether a combination may still fit when it saves less by what a remedy saved alone. */
  private boolean mayFit(Trial current, Trial alone) {
    long savedBytes = baseline.outcome().reservedBytes() - alone.outcome().reservedBytes();
    return (current.outcome().bestReservedBytes() + savedBytes) * HOPE_RATIO
        <= trials.goal().goalBytes();
  }

  private boolean isOfGroup(String name, Remedy other) {
    return trials.remedy(name).group().equals(other.group());
  }

  private static boolean lowers(Trial trial, Trial before) {
    return trial.outcome() != null
        && trial.outcome().reservedBytes() <= before.outcome().reservedBytes() * (1 - ADDED_RATIO);
  }

  /** Remedies that help alone, those first that save most for what they cost. */
  private List<Trial> helpful() {
    return trials.trials().stream()
        .filter(each -> each.remedies().size() == 1)
        .filter(each -> trials.savedRatio(each) >= WORTH_RATIO)
        .sorted(
            Comparator.comparingDouble(
                    (Trial each) -> trials.savedRatio(each) / (cost(each) + LEAST_COST))
                .reversed())
        .toList();
  }
}
