package org.allocsim.validation.gpu;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * Many cases in a few figures.
 *
 * @param cases number of cases
 * @param sameCalls cases in which the policy made the same calls on both devices
 * @param sameFailures cases in which the same requests failed
 * @param confusion first failures, predicted and real
 * @param underEstimated cases whose peak on the GPU was higher than predicted
 * @param freeBytesExact cases with every free-bytes figure exact
 * @param poolExact cases with stream-ordered calls and all figures of the pool exact
 * @param poolCases cases with stream-ordered calls
 * @param addressesCompared addresses compared relative to their anchors
 * @param addressesEqual those that lie where predicted
 * @param timedCases cases whose time counts: nothing held back, no failed request, same calls
 * @param timeRatio median over them of predicted over measured driver time
 * @param lowTimeRatio lower end of its 95 % interval, by resampling cases
 * @param highTimeRatio upper end
 * @param timeError median over them of the relative error of the predicted driver time
 */
public record ValidationSummary(
    long cases,
    long sameCalls,
    long sameFailures,
    Map<OomComparison.Verdict, Long> confusion,
    long underEstimated,
    long freeBytesExact,
    long poolExact,
    long poolCases,
    long addressesCompared,
    long addressesEqual,
    long timedCases,
    double timeRatio,
    double lowTimeRatio,
    double highTimeRatio,
    double timeError) {
  private static final int RESAMPLES = 2_000;
  private static final long SEED = 20_251_102;

  /** Keeps its own copy. */
  public ValidationSummary {
    confusion = Collections.unmodifiableMap(new EnumMap<>(confusion));
  }

  /** Sums up cases. */
  public static ValidationSummary of(List<CaseResult> results) {
    Map<OomComparison.Verdict, Long> confusion = new EnumMap<>(OomComparison.Verdict.class);
    for (OomComparison.Verdict verdict : OomComparison.Verdict.values()) {
      confusion.put(verdict, 0L);
    }
    results.forEach(each -> confusion.merge(each.failures().verdict(), 1L, Long::sum));
    double[] ratios =
        results.stream()
            .filter(CaseResult::isTimed)
            .mapToDouble(each -> each.time().ratio())
            .filter(Double::isFinite)
            .toArray();
    double[] errors = java.util.Arrays.stream(ratios).map(ratio -> Math.abs(ratio - 1)).toArray();
    double[] medians = medians(ratios);
    return new ValidationSummary(
        results.size(),
        results.stream().filter(CaseResult::hasSameCalls).count(),
        results.stream().filter(each -> each.failures().same()).count(),
        confusion,
        results.stream().filter(CaseResult::isUnderEstimated).count(),
        results.stream().filter(each -> each.freeBytes().isExact()).count(),
        results.stream()
            .filter(each -> each.poolUsed().compared() > 0)
            .filter(each -> each.poolUsed().isExact() && each.poolReserved().isExact())
            .count(),
        results.stream().filter(each -> each.poolUsed().compared() > 0).count(),
        results.stream().mapToLong(each -> each.addresses().compared()).sum(),
        results.stream().mapToLong(each -> each.addresses().equalRelative()).sum(),
        ratios.length,
        median(ratios),
        medians.length == 0 ? Double.NaN : new Percentile().evaluate(medians, 2.5),
        medians.length == 0 ? Double.NaN : new Percentile().evaluate(medians, 97.5),
        median(errors));
  }

  private static double median(double[] values) {
    return values.length == 0 ? Double.NaN : new Median().evaluate(values);
  }

  private static double[] medians(double[] values) {
    if (values.length == 0) {
      return values;
    }
    RandomGenerator random = new Well19937c(SEED);
    double[] medians = new double[RESAMPLES];
    double[] drawn = new double[values.length];
    for (int sample = 0; sample < RESAMPLES; sample++) {
      for (int i = 0; i < drawn.length; i++) {
        drawn[i] = values[random.nextInt(values.length)];
      }
      medians[sample] = median(drawn);
    }
    return medians;
  }
}
