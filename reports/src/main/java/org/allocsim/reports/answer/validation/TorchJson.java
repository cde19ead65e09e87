package org.allocsim.reports.answer.validation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.validation.torch.TorchVerdict;

/** Results of {@code validate --pytorch} as JSON. */
public final class TorchJson {
  /** Beyond so many cases only those that are not exact are listed one by one. */
  private static final int MAX_LISTED = 100;

  private TorchJson() {}

  public static Map<String, Object> of(TorchReport report) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("date", report.date());
    map.put("device", report.machine().device());
    map.put("driver", report.driver());
    map.put("torch", report.machine().torch());
    map.put("device_bytes", report.machine().totalBytes());
    map.put("exact", report.exact());
    map.put("seconds", report.seconds());
    List<Object> settings = new ArrayList<>();
    report.confs().forEach(conf -> settings.add(setting(report, conf)));
    map.put("settings", settings);
    boolean all = report.cases().size() <= MAX_LISTED;
    map.put("cases_listed", all ? "all" : "not_exact");
    List<Object> cases = new ArrayList<>();
    report.cases().stream()
        .filter(each -> all || !each.exact())
        .forEach(each -> cases.add(of(each)));
    map.put("cases", cases);
    return map;
  }

  private static Map<String, Object> setting(TorchReport report, String conf) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("conf", conf);
    map.put("cases", report.cases(conf).size());
    map.put("not_run", report.cases(conf).stream().filter(each -> each.verdict() == null).count());
    map.put("repeated", report.count(conf, each -> each.verdict().repeats()));
    map.put("verified", report.count(conf, each -> each.verdict().verified()));
    map.put("foreseen", report.count(conf, each -> each.verdict().foreseen()));
    map.put(
        "foreseen_with_addresses",
        report.count(
            conf, each -> each.verdict().foreseen() && each.verdict().predicted().exact()));
    long events = 0;
    long repeated = 0;
    long verified = 0;
    long foreseen = 0;
    long addresses = 0;
    long equalAddresses = 0;
    long withFailures = 0;
    long failures = 0;
    long statistics = 0;
    Map<String, Object> leftOut = new TreeMap<>();
    for (TorchCase each : report.cases(conf)) {
      each.program()
          .requests()
          .leftOut()
          .forEach(
              (what, count) -> leftOut.merge(what, (long) count, (a, b) -> (Long) a + (Long) b));
      if (each.verdict() == null) {
        continue;
      }
      TorchVerdict verdict = each.verdict();
      events += verdict.predicted().recorded();
      repeated += verdict.repeated().equal();
      verified += verdict.verification().eventsMatched();
      foreseen += verdict.predicted().equal();
      addresses += verdict.predicted().addresses();
      equalAddresses += verdict.predicted().equalAddresses();
      withFailures += verdict.failures() > 0 ? 1 : 0;
      failures += verdict.failures();
      statistics += verdict.statisticsCompared();
    }
    map.put("events", events);
    map.put("events_repeated", repeated);
    map.put("events_verified", verified);
    map.put("events_foreseen", foreseen);
    map.put("addresses_compared", addresses);
    map.put("addresses_equal", equalAddresses);
    map.put("cases_with_failed_requests", withFailures);
    map.put("failed_requests", failures);
    map.put("statistics_compared", statistics);
    map.put("left_out", leftOut);
    return map;
  }

  private static Map<String, Object> of(TorchCase each) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("program", each.program().name());
    map.put("sha256", each.program().sha256());
    map.put("conf", each.conf());
    map.put("limit_bytes", each.job().limitBytes() < 0 ? null : each.job().limitBytes());
    map.put("requests", each.program().requests().trace().eventCount());
    map.put("left_out", new TreeMap<String, Object>(each.program().requests().leftOut()));
    if (each.verdict() == null) {
      map.put("not_run", each.error());
      return map;
    }
    TorchVerdict verdict = each.verdict();
    map.put("exact", verdict.exact());
    map.put("events", verdict.predicted().recorded());
    map.put("events_foreseen", verdict.predicted().equal());
    map.put("first_unforeseen", verdict.predicted().difference());
    map.put("addresses_compared", verdict.predicted().addresses());
    map.put("addresses_equal", verdict.predicted().equalAddresses());
    map.put("first_other_address", verdict.predicted().addressDifference());
    map.put("failed_requests", verdict.failures());
    map.put("failure_differences", verdict.failureDifferences());
    map.put("statistics_compared", verdict.statisticsCompared());
    map.put("statistics_unforeseen", verdict.predictedStatistics());
    map.put("events_repeated", verdict.repeated().equal());
    map.put(
        "first_not_repeated",
        verdict.repeated().hasSameActions()
            ? verdict.repeated().addressDifference()
            : verdict.repeated().difference());
    map.put("statistics_not_repeated", verdict.repeatedStatistics());
    map.put("events_verified", verdict.verification().eventsMatched());
    map.put(
        "first_divergence",
        verdict
            .verification()
            .firstDivergence()
            .map(found ->
                "entry %d: recorded %s, simulated %s"
                    .formatted(found.index(), found.expected(), found.actual()))
            .orElse(null));
    map.put("layout_differences", verdict.verification().layoutDifferences());
    map.put("statistics_differences", verdict.verifiedStatistics());
    map.put("forced_waits", verdict.forcedWaits());
    return map;
  }
}
