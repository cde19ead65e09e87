package org.allocsim.analysis.oom;

import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Walks a list of rules with numbers that are only known within intervals: keeps the verdict of the
 * printed numbers, and collects every verdict that some numbers of the intervals reach.
 */
final class Decision {
  private final Set<OomVerdict> possible;
  private @Nullable OomVerdict verdict;

  /** A rule held for all numbers of the intervals; later ones cannot be reached. */
  private boolean settled;

  Decision(Set<OomVerdict> possible) {
    this.possible = possible;
  }

  /** A rule that holds if the difference is above zero, or, {@code inclusive}, not below it. */
  void rule(OomVerdict outcome, ByteRange difference, boolean inclusive) {
    if (holds(difference.high(), inclusive)) {
      consider(outcome, holds(difference.value(), inclusive), holds(difference.low(), inclusive));
    }
  }

  /** A rule that holds for the printed numbers, and {@code always} or not for all others. */
  void ruleHolds(OomVerdict outcome, boolean always) {
    consider(outcome, true, always);
  }

  /** The verdict where no rule held. */
  OomVerdict otherwise(OomVerdict outcome) {
    consider(outcome, true, true);
    return Objects.requireNonNull(verdict);
  }

  private void consider(OomVerdict outcome, boolean asPrinted, boolean always) {
    if (settled) {
      return;
    }
    possible.add(outcome);
    if (asPrinted && verdict == null) {
      verdict = outcome;
    }
    settled = always;
  }

  private static boolean holds(double difference, boolean inclusive) {
    return inclusive ? difference >= 0 : difference > 0;
  }
}
