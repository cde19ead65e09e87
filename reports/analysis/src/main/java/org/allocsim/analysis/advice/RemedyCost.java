package org.allocsim.analysis.advice;

import java.util.Collection;
import java.util.List;

/**
 * What runs with remedies cost, as a share of a step: more time, that results may change, and more
 * GPUs.
 */
final class RemedyCost {
  /** What changes results counts like so much more time: others are taken up to there. */
  private static final double CHANGED_RESULTS = 0.3;

  /** Each further GPU is paid for as long as a step takes. */
  private static final double GPU = 1;

  /** Each change of a program is work for who makes it, and nothing is free. */
  private static final double EACH = 0.02;

  private final Trials trials;

  RemedyCost(Trials trials) {
    this.trials = trials;
  }

  /** Of a run. */
  double of(Trial trial) {
    return cost(addedTime(trial), trial.remedies());
  }

  /** Expected of runs with one remedy each, together. */
  double expected(Collection<Trials.Done> parts) {
    double time = parts.stream().mapToDouble(each -> addedTime(each.trial())).sum();
    return cost(time, parts.stream().flatMap(each -> each.remedies().stream()).toList());
  }

  private double addedTime(Trial trial) {
    Double added = trials.addedTimeRatio(trial);
    return added == null ? 0 : added;
  }

  private double cost(double addedTime, List<String> remedies) {
    boolean changes = remedies.stream().anyMatch(each -> trials.remedy(each).changesResults());
    int gpus = remedies.stream().mapToInt(each -> trials.remedy(each).gpus()).max().orElse(1);
    return Math.max(0, addedTime)
        + (changes ? CHANGED_RESULTS : 0)
        + GPU * (gpus - 1)
        + EACH * remedies.size();
  }
}
