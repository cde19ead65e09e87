package org.allocsim.validation.gpu.summary;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.Exactness;
import org.allocsim.validation.gpu.OomComparison;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.descriptive.rank.Median;

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
 * @param meanTimeError mean over them of that error
 * @param lowMeanTimeError lower end of its 95 % interval, by resampling cases
 * @param highMeanTimeError upper end
 * @param maxTimeError largest of those errors
 * @param minSlowness how much longer than the profile says the driver's calls took on this host,
 *     the minimum over those cases; predictions are for this speed
 * @param maxSlowness the maximum
 * @param quantities each quantity that is compared to the byte; time is not among them
 * @param meanRankAgreement mean over cases of Kendall's tau-b of predicted and real addresses
 * @param minRankAgreement the minimum of them; both are no numbers where no case has two addresses
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
    double timeError,
    double meanTimeError,
    double lowMeanTimeError,
    double highMeanTimeError,
    double maxTimeError,
    double minSlowness,
    double maxSlowness,
    Map<Quantity, QuantitySummary> quantities,
    double meanRankAgreement,
    double minRankAgreement) {
  /** What is compared to the byte. */
  public enum Quantity {
    /** Free bytes of the GPU after every call. */
    FREE_BYTES,
    /** Maximum memory taken, once a case. */
    PEAK_BYTES,
    /** Bytes that the stream-ordered pool holds, after its calls. */
    POOL_RESERVED_BYTES,
    /** Bytes that its allocations asked for. */
    POOL_USED_BYTES
  }

  /** Keeps its own copies. */
  public ValidationSummary {
    confusion = Collections.unmodifiableMap(new EnumMap<>(confusion));
    quantities = Collections.unmodifiableMap(new EnumMap<>(quantities));
  }

  /** Cases with a failure that was, or was not, predicted and that came, or did not. */
  public long failures(boolean predicted, boolean real) {
    if (predicted && real) {
      return first(OomComparison.Verdict.SAME_REQUEST) + first(OomComparison.Verdict.OTHER_REQUEST);
    }
    return first(
        predicted
            ? OomComparison.Verdict.PREDICTED_ONLY
            : real ? OomComparison.Verdict.MEASURED_ONLY : OomComparison.Verdict.NEITHER);
  }

  /** Cases whose first failures compare so. */
  public long first(OomComparison.Verdict verdict) {
    return confusion.getOrDefault(verdict, 0L);
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
    double[] slowness =
        results.stream()
            .filter(CaseResult::isTimed)
            .mapToDouble(each -> each.time().slowness())
            .filter(Double::isFinite)
            .toArray();
    double[] errors = Arrays.stream(ratios).map(ratio -> Math.abs(ratio - 1)).toArray();
    CaseBootstrap.Interval ratio =
        CaseBootstrap.of(ratios.length, drawn -> median(pick(ratios, drawn)));
    CaseBootstrap.Interval error =
        CaseBootstrap.of(errors.length, drawn -> StatUtils.mean(pick(errors, drawn)));
    double[] agreements =
        results.stream()
            .mapToDouble(each -> each.addresses().rankAgreement())
            .filter(Double::isFinite)
            .toArray();
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
        ratio.low(),
        ratio.high(),
        median(errors),
        StatUtils.mean(errors),
        error.low(),
        error.high(),
        StatUtils.max(errors),
        StatUtils.min(slowness),
        StatUtils.max(slowness),
        quantities(results),
        StatUtils.mean(agreements),
        StatUtils.min(agreements));
  }

  private static Map<Quantity, QuantitySummary> quantities(List<CaseResult> results) {
    Map<Quantity, QuantitySummary> quantities = new EnumMap<>(Quantity.class);
    for (Quantity quantity : Quantity.values()) {
      quantities.put(
          quantity,
          QuantitySummary.of(results.stream().map(each -> exactness(quantity, each)).toList()));
    }
    return quantities;
  }

  private static Exactness exactness(Quantity quantity, CaseResult result) {
    return switch (quantity) {
      case FREE_BYTES -> result.freeBytes();
      case PEAK_BYTES -> Exactness.of(result.predictedPeakBytes(), result.measuredPeakBytes());
      case POOL_RESERVED_BYTES -> result.poolReserved();
      case POOL_USED_BYTES -> result.poolUsed();
    };
  }

  private static double median(double[] values) {
    return values.length == 0 ? Double.NaN : new Median().evaluate(values);
  }

  private static double[] pick(double[] values, int[] drawn) {
    return IntStream.of(drawn).mapToDouble(i -> values[i]).toArray();
  }
}
