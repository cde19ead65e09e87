package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.share;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Keys;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.validation.gpu.OomComparison.Verdict;
import org.allocsim.validation.gpu.summary.QuantitySummary;
import org.allocsim.validation.gpu.summary.Share;
import org.allocsim.validation.gpu.summary.ValidationSummary;
import org.allocsim.validation.gpu.summary.ValidationSummary.Quantity;
import org.jspecify.annotations.Nullable;

/** What many cases of {@code validate} say of each quantity. */
final class ValidateSummary {
  private static final String NO_CASE = "no case has one";
  private static final String LOW = "Lower end of its 95 % interval.";
  private static final String HIGH = "Upper end of its 95 % interval.";

  private static final Shape<Share> SHARE =
      Shape.of(share ->
          share
              .count("count", "Cases for which it holds.", Share::part)
              .count("total", "All cases.", Share::whole)
              .ratio("ratio", "Fraction, 0 to 1.", Share::value)
              .missing("there is none")
              .number("low", LOW, Share::low)
              .missing("there is none")
              .number("high", HIGH, Share::high)
              .missing("there is none"));

  private static final Shape<QuantitySummary> QUANTITY =
      Shape.of(quantity ->
          quantity
              .one("cases", "Cases in which it is always right.", SHARE, QuantitySummary::cases)
              .term(Columns.COMPARED, QuantitySummary::compared)
              .term(Columns.EXACT_COMPARISONS, QuantitySummary::exact)
              .meanBytes("mean_error_bytes", null, "Mean error.", QuantitySummary::meanError)
              .missing(NO_CASE)
              .meanBytes("mean_error_low_bytes", null, LOW, QuantitySummary::lowMeanError)
              .missing(NO_CASE)
              .meanBytes("mean_error_high_bytes", null, HIGH, QuantitySummary::highMeanError)
              .missing(NO_CASE)
              .meanBytes("max_error_bytes", null, "Largest error.", QuantitySummary::maxError));

  /** Its columns. */
  static final Shape<ValidationSummary> SHAPE =
      Shape.of(summary ->
          summary
              .term(Columns.CASES, ValidationSummary::cases)
              .count(
                  "same_calls", "Cases with the same driver calls.", ValidationSummary::sameCalls)
              .count(
                  "same_failures",
                  "Cases in which the same requests fail, or none does.",
                  ValidationSummary::sameFailures)
              .named(
                  Unit.COUNT,
                  "first_failures",
                  "Cases by first failure: neither, same_request, other_request, predicted_only or"
                      + " measured_only.",
                  "Number of cases.",
                  each -> Keys.of(each.confusion()))
              .named(
                  Unit.COUNT,
                  "failure_confusion",
                  "Cases by whether a request failed: neither, predicted_only, measured_only or"
                      + " both.",
                  "Number of cases.",
                  ValidateSummary::confusion)
              .count(
                  "peak_underestimated",
                  "Cases whose peak was predicted too low.",
                  ValidationSummary::underEstimated)
              .count(
                  "free_bytes_exact",
                  "Cases whose free bytes are right after every call.",
                  ValidationSummary::freeBytesExact)
              .count(
                  "pool_exact",
                  "Cases in which the driver's pool is always right.",
                  ValidationSummary::poolExact)
              .count(
                  "pool_cases", "Cases that use the driver's pool.", ValidationSummary::poolCases)
              .term(Columns.ADDRESSES_COMPARED, ValidationSummary::addressesCompared)
              .count(
                  "addresses_equal",
                  "Addresses that are equal relative to their anchors.",
                  ValidationSummary::addressesEqual)
              .count("timed_cases", "Cases with times.", ValidationSummary::timedCases)
              .number(
                  "driver_time_ratio_median",
                  "Median of predicted divided by measured driver time.",
                  ValidationSummary::timeRatio)
              .missing(NO_CASE)
              .number("driver_time_ratio_low", LOW, ValidationSummary::lowTimeRatio)
              .missing(NO_CASE)
              .number("driver_time_ratio_high", HIGH, ValidationSummary::highTimeRatio)
              .missing(NO_CASE)
              .number(
                  "driver_time_error_median",
                  "Median of its relative error.",
                  ValidationSummary::timeError)
              .missing(NO_CASE)
              .number(
                  "driver_time_error_mean",
                  "Mean of its relative error.",
                  ValidationSummary::meanTimeError)
              .missing(NO_CASE)
              .number("driver_time_error_mean_low", LOW, ValidationSummary::lowMeanTimeError)
              .missing(NO_CASE)
              .number("driver_time_error_mean_high", HIGH, ValidationSummary::highMeanTimeError)
              .missing(NO_CASE)
              .number(
                  "driver_time_error_max",
                  "Largest relative error.",
                  ValidationSummary::maxTimeError)
              .missing(NO_CASE)
              .number(
                  "host_slowness_min",
                  "Minimum, over the measurements before and after a case, of the time of driver"
                      + " calls on this host divided by that of the profile. Predictions are"
                      + " scaled to this speed.",
                  ValidationSummary::minSlowness)
              .missing(NO_CASE)
              .number("host_slowness_max", "The maximum.", ValidationSummary::maxSlowness)
              .missing(NO_CASE)
              .number(
                  "kendall_tau_mean",
                  "Mean rank correlation of addresses over the cases.",
                  ValidationSummary::meanRankAgreement)
              .missing(NO_CASE)
              .number(
                  "kendall_tau_min",
                  "Lowest rank correlation.",
                  ValidationSummary::minRankAgreement)
              .missing(NO_CASE)
              .named(
                  SHARE,
                  "case_ratios",
                  "Fractions of cases: same_calls, free_bytes_exact, same_failures,"
                      + " peak_underestimated, pool_exact.",
                  "A fraction, with a 95 % interval.",
                  ValidateSummary::shares)
              .named(
                  QUANTITY,
                  "quantities",
                  "Errors of predicted quantities: free_bytes (after each call), peak_bytes,"
                      + " pool_reserved_bytes, pool_used_bytes.",
                  "The errors of a quantity.",
                  each -> Keys.of(each.quantities())));

  private static final Shape<Map.Entry<String, Share>> SHARES =
      Shape.of(row ->
          row.shown(
                  Unit.TEXT, "cases with", "Property of a case.", each -> shareName(each.getKey()))
              .shown(
                  Unit.COUNT,
                  "cases",
                  "Number of such cases.",
                  each ->
                      Sentence.of(
                          "{} of {}",
                          count(each.getValue().part()),
                          count(each.getValue().whole())))
              .shown(
                  Unit.RATIO, "share", "The same as a fraction.", each -> each.getValue().value())
              .shown(
                  Unit.RATIO,
                  "interval",
                  "95 % interval by Wilson.",
                  each ->
                      each.getValue().whole() == 0
                          ? "-"
                          : Numbers.percent(each.getValue().low())
                              + " to "
                              + Numbers.percent(each.getValue().high())));

  private static final Shape<Map.Entry<Quantity, QuantitySummary>> ERRORS =
      Shape.of(row ->
          row.shown(Unit.TEXT, "quantity", "What was predicted.", each -> errorName(each.getKey()))
              .shown(Unit.COUNT, "figures", "Comparisons.", each -> each.getValue().compared())
              .shown(
                  Unit.RATIO,
                  "exact",
                  "Fraction without an error.",
                  each -> (double) each.getValue().exact() / each.getValue().compared())
              .shown(
                  Unit.MEAN_BYTES,
                  "mean error",
                  "Mean of the errors.",
                  each -> each.getValue().meanError())
              .shown(
                  Unit.MEAN_BYTES,
                  "interval",
                  "95 % interval of the mean, by resampling cases.",
                  each ->
                      Double.isFinite(each.getValue().lowMeanError())
                          ? Sentence.of(
                              "{} to {}",
                              bytes(Math.round(each.getValue().lowMeanError())),
                              bytes(Math.round(each.getValue().highMeanError())))
                          : null)
              .shown(
                  Unit.MEAN_BYTES,
                  "max error",
                  "Largest error.",
                  each -> each.getValue().maxError()));

  private static final Shape<Failures> FAILURES =
      Shape.of(row ->
          row.shown(Unit.TEXT, "cases with", "What was predicted.", Failures::predicted)
              .shown(
                  Unit.COUNT,
                  "none failed on the GPU",
                  "Cases without a failed request.",
                  each -> each.noneFailed() == null ? "" : each.noneFailed())
              .shown(
                  Unit.COUNT,
                  "one failed on the GPU",
                  "Cases with a failed request.",
                  Failures::oneFailed));

  private record Failures(String predicted, @Nullable Long noneFailed, long oneFailed) {}

  private ValidateSummary() {}

  /** For people. */
  static List<Section> sections(ValidationSummary all) {
    Table<?> failures =
        Table.of(
            "Failed requests",
            FAILURES,
            List.of(
                new Failures(
                    "none predicted", all.failures(false, false), all.failures(false, true)),
                new Failures("one predicted", all.failures(true, false), all.failures(true, true)),
                new Failures("- at the same request", null, all.first(Verdict.SAME_REQUEST)),
                new Failures("- at a different request", null, all.first(Verdict.OTHER_REQUEST))));
    return List.of(
        new Section(
            Numbers.count(all.cases(), "case")
                + " with 95 % intervals (shares by Wilson, means and medians by resampling cases)",
            List.of(
                Table.of("Fractions of cases", SHARES, List.copyOf(shares(all).entrySet())),
                Table.of(
                    "Errors",
                    ERRORS,
                    all.quantities().entrySet().stream()
                        .filter(each -> each.getValue().compared() > 0)
                        .toList()),
                new Notes(null, sentences(all)))),
        new Section("Failed requests, in cases", List.of(failures)));
  }

  private static List<Sentence> sentences(ValidationSummary all) {
    List<Sentence> sentences = new ArrayList<>();
    sentences.add(
        all.timedCases() == 0
            ? Sentence.of(
                "Driver time: unknown, as every case has failures, held memory or different"
                    + " calls.")
            : Sentence.of(
                "Driver time, predicted / measured, in {} without failures: median {}{};"
                    + " relative error: median {}, mean {}{}, maximum {}.",
                count(all.timedCases(), "case"),
                "%.2f".formatted(all.timeRatio()),
                Double.isFinite(all.lowTimeRatio())
                    ? " (%.2f to %.2f)".formatted(all.lowTimeRatio(), all.highTimeRatio())
                    : "",
                Numbers.percent(all.timeError()),
                Numbers.percent(all.meanTimeError()),
                Double.isFinite(all.lowMeanTimeError())
                    ? " ("
                        + Numbers.percent(all.lowMeanTimeError())
                        + " to "
                        + Numbers.percent(all.highMeanTimeError())
                        + ")"
                    : "",
                Numbers.percent(all.maxTimeError())));
    if (Double.isFinite(all.maxSlowness())) {
      sentences.add(
          Sentence.of(
              "On this host driver calls took {} to {} times as long as in the profile, timed"
                  + " before and after each case; predictions are scaled to this speed.",
              "%.2f".formatted(all.minSlowness()),
              "%.2f".formatted(all.maxSlowness())));
    }
    if (Double.isFinite(all.meanRankAgreement())) {
      sentences.add(
          Sentence.of(
              "Addresses: {} of {} ({}) are where predicted relative to their anchor; rank"
                  + " correlation with the prediction (Kendall's tau): mean {}, minimum {}.",
              count(all.addressesEqual()),
              count(all.addressesCompared()),
              share(all.addressesEqual(), all.addressesCompared()),
              "%.3f".formatted(all.meanRankAgreement()),
              "%.3f".formatted(all.minRankAgreement())));
    }
    return sentences;
  }

  private static Map<String, Share> shares(ValidationSummary all) {
    Map<String, Share> shares = new LinkedHashMap<>();
    shares.put("same_calls", new Share(all.sameCalls(), all.cases()));
    shares.put("free_bytes_exact", new Share(all.freeBytesExact(), all.cases()));
    shares.put("same_failures", new Share(all.sameFailures(), all.cases()));
    shares.put("peak_underestimated", new Share(all.underEstimated(), all.cases()));
    shares.put("pool_exact", new Share(all.poolExact(), all.poolCases()));
    return shares;
  }

  private static String shareName(String key) {
    return switch (key) {
      case "same_calls" -> "the same driver calls, sizes and failures";
      case "free_bytes_exact" -> "free bytes right after every call";
      case "same_failures" -> "the same failed requests";
      case "peak_underestimated" -> "peak underestimated";
      default -> "pool reserved and used always right";
    };
  }

  private static String errorName(Quantity quantity) {
    return switch (quantity) {
      case FREE_BYTES -> "free bytes after a call";
      case PEAK_BYTES -> "peak of a case";
      case POOL_RESERVED_BYTES -> "pool reserved after a call";
      case POOL_USED_BYTES -> "pool used after a call";
    };
  }

  private static Map<String, Long> confusion(ValidationSummary all) {
    Map<String, Long> map = new LinkedHashMap<>();
    map.put("neither", all.failures(false, false));
    map.put("predicted_only", all.failures(true, false));
    map.put("measured_only", all.failures(false, true));
    map.put("both", all.failures(true, true));
    return map;
  }
}
