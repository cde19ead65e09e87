package org.allocsim.validation.gpu.summary;

import java.util.List;
import org.allocsim.validation.gpu.Exactness;

/**
 * How well one quantity was predicted in many cases. Means weigh every comparison alike; their
 * intervals come from drawing whole cases anew.
 *
 * @param cases cases in which it was right throughout, of those in which it was compared
 * @param compared number of comparisons
 * @param exact those without any difference
 * @param maxError largest difference, without its sign
 * @param meanError mean of all differences, without their signs; not a number without comparisons
 * @param lowMeanError lower end of its 95 % interval; not a number for fewer than two cases
 * @param highMeanError its upper end
 */
public record QuantitySummary(
    Share cases,
    long compared,
    long exact,
    double maxError,
    double meanError,
    double lowMeanError,
    double highMeanError) {

  /** Sums up the comparisons of cases; cases without any do not count. */
  static QuantitySummary of(List<Exactness> all) {
    Exactness[] cases = all.stream().filter(each -> each.compared() > 0).toArray(Exactness[]::new);
    long compared = 0;
    long exact = 0;
    long right = 0;
    long maxError = 0;
    int[] each = new int[cases.length];
    for (int i = 0; i < cases.length; i++) {
      each[i] = i;
      compared += cases[i].compared();
      exact += cases[i].exact();
      right += cases[i].isExact() ? 1 : 0;
      maxError = Math.max(maxError, cases[i].maxError());
    }
    CaseBootstrap.Interval interval =
        CaseBootstrap.of(cases.length, drawn -> meanError(cases, drawn));
    return new QuantitySummary(
        new Share(right, cases.length),
        compared,
        exact,
        maxError,
        meanError(cases, each),
        interval.low(),
        interval.high());
  }

  private static double meanError(Exactness[] cases, int[] drawn) {
    double errors = 0;
    double compared = 0;
    for (int i : drawn) {
      errors += cases[i].meanError() * cases[i].compared();
      compared += cases[i].compared();
    }
    return errors / compared;
  }
}
