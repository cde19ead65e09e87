package org.allocsim.reports.answer.validation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.validation.gpu.AddressComparison;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.DriverTime;
import org.allocsim.validation.gpu.Exactness;
import org.allocsim.validation.gpu.OomComparison;
import org.allocsim.validation.gpu.QuantitySummary;
import org.allocsim.validation.gpu.Share;
import org.allocsim.validation.gpu.ValidationSummary;

/** Results of {@code validate} as JSON. */
public final class ValidateJson {
  private ValidateJson() {}

  public static Map<String, Object> of(ValidateReport report) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("date", report.date());
    map.put("device", report.gpu().name());
    map.put("cuda_version", report.gpu().driverVersion());
    map.put("driver", report.driver());
    map.put("device_bytes", report.gpu().totalBytes());
    map.put("free_before_bytes", report.gpu().freeBytesAtStart());
    map.put("free_after_bytes", report.freeBytesAfter());
    map.put("max_bytes", report.maxBytes() == Long.MAX_VALUE ? null : report.maxBytes());
    map.put("touched", report.touched());
    map.put("summary", summary(ValidationSummary.of(report.results(_ -> true))));
    Map<String, Object> near = new LinkedHashMap<>();
    for (String policy : report.policies()) {
      near.put(
          policy,
          summary(
              ValidationSummary.of(report.results(each -> each.choice().label().equals(policy)))));
    }
    map.put("summary_by_policy", near);
    List<Object> cases = new ArrayList<>();
    report.cases().forEach(each -> cases.add(validated(each)));
    map.put("cases", cases);
    return map;
  }

  private static Map<String, Object> summary(ValidationSummary summary) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("cases", summary.cases());
    map.put("same_calls", summary.sameCalls());
    map.put("same_failures", summary.sameFailures());
    Map<String, Object> confusion = new LinkedHashMap<>();
    for (Map.Entry<OomComparison.Verdict, Long> entry : summary.confusion().entrySet()) {
      confusion.put(lower(entry.getKey()), entry.getValue());
    }
    map.put("first_failures", confusion);
    map.put("failure_confusion", confusion(summary));
    map.put("peak_under_estimated", summary.underEstimated());
    map.put("free_bytes_exact", summary.freeBytesExact());
    map.put("pool_exact", summary.poolExact());
    map.put("pool_cases", summary.poolCases());
    map.put("addresses_compared", summary.addressesCompared());
    map.put("addresses_equal", summary.addressesEqual());
    map.put("timed_cases", summary.timedCases());
    map.put("driver_time_ratio_median", summary.timeRatio());
    map.put("driver_time_ratio_low", summary.lowTimeRatio());
    map.put("driver_time_ratio_high", summary.highTimeRatio());
    map.put("driver_time_error_median", summary.timeError());
    map.put("driver_time_error_mean", summary.meanTimeError());
    map.put("driver_time_error_mean_low", summary.lowMeanTimeError());
    map.put("driver_time_error_mean_high", summary.highMeanTimeError());
    map.put("driver_time_error_max", summary.maxTimeError());
    map.put("kendall_tau_mean", summary.meanRankAgreement());
    map.put("kendall_tau_min", summary.leastRankAgreement());
    Map<String, Object> shares = new LinkedHashMap<>();
    shares.put("same_calls", share(new Share(summary.sameCalls(), summary.cases())));
    shares.put("free_bytes_exact", share(new Share(summary.freeBytesExact(), summary.cases())));
    shares.put("same_failures", share(new Share(summary.sameFailures(), summary.cases())));
    shares.put("peak_under_estimated", share(new Share(summary.underEstimated(), summary.cases())));
    shares.put("pool_exact", share(new Share(summary.poolExact(), summary.poolCases())));
    map.put("shares_of_cases", shares);
    Map<String, Object> quantities = new LinkedHashMap<>();
    summary.quantities().forEach((quantity, of) -> quantities.put(lower(quantity), quantity(of)));
    map.put("quantities", quantities);
    return map;
  }

  private static Map<String, Object> confusion(ValidationSummary summary) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("neither", summary.failures(false, false));
    map.put("predicted_only", summary.failures(true, false));
    map.put("real_only", summary.failures(false, true));
    map.put("both", summary.failures(true, true));
    return map;
  }

  private static Map<String, Object> share(Share share) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("part", share.part());
    map.put("whole", share.whole());
    map.put("share", share.value());
    map.put("low", share.low());
    map.put("high", share.high());
    return map;
  }

  private static Map<String, Object> quantity(QuantitySummary summary) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("cases", share(summary.cases()));
    map.put("compared", summary.compared());
    map.put("exact", summary.exact());
    map.put("mean_error_bytes", summary.meanError());
    map.put("mean_error_low_bytes", summary.lowMeanError());
    map.put("mean_error_high_bytes", summary.highMeanError());
    map.put("max_error_bytes", summary.maxError());
    return map;
  }

  private static Map<String, Object> validated(ValidatedCase each) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", each.trace());
    map.put("sha256", each.sha256());
    map.put("policy", each.choice().label());
    map.put("limit_bytes", each.limitBytes() < 0 ? null : each.limitBytes());
    map.put("chosen_capacity_bytes", each.capacityBytes() < 0 ? null : each.capacityBytes());
    map.put("near_limit", each.nearLimit());
    map.put("not_run", each.notRunBecause());
    if (each.result() == null) {
      return map;
    }
    CaseResult result = each.result();
    map.put("profile", result.profile());
    map.put("free_at_start_bytes", result.freeBytesAtStart());
    map.put("capacity_bytes", result.capacityBytes());
    map.put("requests", result.requests());
    map.put("predicted_calls", result.predictedCalls());
    map.put("measured_calls", result.measuredCalls());
    map.put("equal_calls", result.equalCalls());
    map.put("first_difference", result.firstDifference());
    map.put("refused_calls", result.refusedCalls());
    map.put("addresses_learned", result.learned());
    map.put("free_bytes", exactness(result.freeBytes()));
    map.put("pool_reserved", exactness(result.poolReserved()));
    map.put("pool_used", exactness(result.poolUsed()));
    map.put("addresses", addresses(result.addresses()));
    map.put("predicted_peak_bytes", result.predictedPeakBytes());
    map.put("measured_peak_bytes", result.measuredPeakBytes());
    map.put("failed_requests", failures(result.failures()));
    map.put("driver_time", time(result.time()));
    return map;
  }

  private static Map<String, Object> exactness(Exactness exactness) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("compared", exactness.compared());
    map.put("exact", exactness.exact());
    map.put("max_error_bytes", exactness.maxError());
    map.put("mean_error_bytes", exactness.meanError());
    return map;
  }

  private static Map<String, Object> addresses(AddressComparison addresses) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("compared", addresses.compared());
    map.put("equal_relative", addresses.equalRelative());
    map.put("equal_absolute", addresses.equalAbsolute());
    map.put("anchors", addresses.anchors());
    map.put("displaced_anchors", addresses.displacedAnchors());
    map.put("kendall_tau", addresses.rankAgreement());
    return map;
  }

  private static Map<String, Object> failures(OomComparison failures) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("verdict", lower(failures.verdict()));
    map.put("predicted_first", failures.predictedFirst() < 0 ? null : failures.predictedFirst());
    map.put("measured_first", failures.measuredFirst() < 0 ? null : failures.measuredFirst());
    map.put("predicted_count", failures.predictedCount());
    map.put("measured_count", failures.measuredCount());
    map.put("same", failures.same());
    return map;
  }

  private static Map<String, Object> time(DriverTime time) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("predicted_nanos", time.predictedNanos());
    map.put("measured_nanos", time.measuredNanos());
    map.put("ratio", time.ratio());
    map.put("ratio_low", time.lowRatio());
    map.put("ratio_high", time.highRatio());
    Map<String, Object> kinds = new LinkedHashMap<>();
    for (DriverTime.Kind kind : time.calls()) {
      Map<String, Object> of = new LinkedHashMap<>();
      of.put("predicted_calls", kind.predictedCalls());
      of.put("measured_calls", kind.measuredCalls());
      of.put("predicted_nanos", kind.predictedNanos());
      of.put("measured_nanos", kind.measuredNanos());
      kinds.put(lower(kind.call()), of);
    }
    map.put("calls", kinds);
    return map;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
