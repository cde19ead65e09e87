package org.allocsim.analysis.attribution;

import java.util.Arrays;
import org.allocsim.analysis.attribution.Site.Phase;
import org.allocsim.analysis.attribution.StackRules.Finding;

/**
 * What PyTorch's marks around steps of an optimizer say of a recording without stacks. Gradients
 * are what {@code zero_grad} frees. Between two steps the backward pass begins with the first of
 * them, at the latest; with several passes between two steps nothing is said.
 */
final class MarkRules {
  /** Share of the rows of a step that may follow the last gradient, if there is one pass. */
  private static final double REST = 0.25;

  private static final int NONE = Integer.MAX_VALUE;

  private final Lifetimes lives;

  /** By steps that had begun: row of the first gradient, or NONE. */
  private final int[] passes;

  MarkRules(Lifetimes lives) {
    this.lives = lives;
    int[] first = new int[lives.steps() + 1];
    int[] last = new int[lives.steps() + 1];
    int[] begin = new int[lives.steps() + 1];
    int[] end = new int[lives.steps() + 1];
    Arrays.fill(first, NONE);
    Arrays.fill(begin, NONE);
    for (int allocation = 0; allocation < lives.count(); allocation++) {
      if (!isBetweenSteps(allocation)) {
        continue;
      }
      int step = lives.stepsTaken(allocation);
      int row = lives.takenRow(allocation);
      begin[step] = Math.min(begin[step], row);
      end[step] = Math.max(end[step], row);
      if (isGradient(allocation)) {
        first[step] = Math.min(first[step], row);
        last[step] = Math.max(last[step], row);
      }
    }
    passes = first;
    for (int step = 0; step < passes.length; step++) {
      if (first[step] != NONE && end[step] - last[step] > REST * (end[step] - begin[step])) {
        passes[step] = NONE;
      }
    }
  }

  private boolean isBetweenSteps(int allocation) {
    return lives.isKnown(allocation)
        && !lives.isBefore(allocation)
        && lives.takenIn(allocation) == Phase.PROGRAM;
  }

  private boolean isGradient(int allocation) {
    return lives.takenIn(allocation) != Phase.OPTIMIZER
        && lives.givenIn(allocation) == Phase.ZERO_GRAD;
  }

  /** What an allocation is for. */
  Finding of(int allocation) {
    if (isGradient(allocation)) {
      return Finding.inferred(Category.GRADIENT);
    }
    if (lives.isBefore(allocation)) {
      return Finding.UNKNOWN;
    }
    if (lives.takenIn(allocation) == Phase.OPTIMIZER) {
      return Finding.inferred(
          lives.staysInPhase(allocation) ? Category.TEMPORARY : Category.OPTIMIZER_STATE);
    }
    int step = lives.stepsTaken(allocation);
    int pass = passes[step];
    if (pass == NONE) {
      return Finding.UNKNOWN;
    }
    boolean isEarly = lives.takenRow(allocation) < pass;
    if (!lives.isGiven(allocation) || lives.stepsGiven(allocation) != step) {
      return Finding.UNKNOWN;
    }
    return Finding.inferred(
        isEarly && lives.givenRow(allocation) > pass
            ? Category.SAVED_ACTIVATION
            : Category.TEMPORARY);
  }
}
