package org.allocsim.validation.gpu.summary;

import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/** 95 % intervals by drawing cases anew, as calls of one case are not independent. */
final class CaseBootstrap {
  private static final int RESAMPLES = 2_000;
  private static final long SEED = 20_251_102;

  private CaseBootstrap() {}

  /** An interval; its ends are no numbers where there are fewer than two cases. */
  record Interval(double low, double high) {}

  /**
   * The interval of a statistic.
   *
   * @param cases how many cases there are
   * @param statistic value for cases with these indices, some of them repeated
   */
  static Interval of(int cases, ToDoubleFunction<int[]> statistic) {
    if (cases < 2) {
      return new Interval(Double.NaN, Double.NaN);
    }
    RandomGenerator random = new Well19937c(SEED);
    double[] values = new double[RESAMPLES];
    int[] drawn = new int[cases];
    for (int sample = 0; sample < RESAMPLES; sample++) {
      for (int i = 0; i < cases; i++) {
        drawn[i] = random.nextInt(cases);
      }
      values[sample] = statistic.applyAsDouble(drawn);
    }
    return new Interval(
        new Percentile().evaluate(values, 2.5), new Percentile().evaluate(values, 97.5));
  }
}
