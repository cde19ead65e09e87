package org.allocsim.reports.answer.fleet;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.suite.Check;
import org.allocsim.analysis.suite.Moment;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.SuiteResult;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.text.CsvText;

/** What scenarios came to, as trees for JSON and as CSV. */
public final class SuiteJson {
  private SuiteJson() {}

  public static Map<String, Object> of(List<SuiteResult> results) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("passes", results.stream().allMatch(result -> result.findings().passes()));
    map.put("scenarios", results.stream().<Object>map(SuiteJson::scenario).toList());
    return map;
  }

  /** Columns of CSV: those of a scenario, and keys of a variant as JSON. */
  private static final List<String> CSV =
      List.of(
          "scenario",
          "kind",
          "verdict",
          "scenario_passes",
          "label",
          "policy",
          "conf",
          "device_bytes",
          "limit_bytes",
          "passes",
          "failed_requests",
          "peak_requested_bytes",
          "peak_allocated_bytes",
          "peak_reserved_bytes",
          "driver_calls",
          "driver_nanos");

  /** Writes every variant of every scenario as a row. */
  public static void writeCsv(List<SuiteResult> results, OutputStream out) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (SuiteResult result : results) {
      for (Outcome outcome : result.outcomes().list()) {
        Map<String, Object> row = variant(outcome);
        row.put("scenario", result.topic().name());
        row.put("kind", result.topic().kind().word());
        row.put("verdict", result.findings().verdict().words());
        row.put("scenario_passes", result.findings().passes());
        rows.add(row);
      }
    }
    CsvText.write(CSV, rows, out);
  }

  private static Map<String, Object> scenario(SuiteResult result) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", result.topic().name());
    map.put("kind", result.topic().kind().word());
    map.put("what", result.topic().what());
    map.put("source", result.topic().source());
    map.put("set_up", result.topic().setUp());
    map.put("before", result.findings().before());
    map.put("after", result.findings().after());
    map.put("verdict", result.findings().verdict().words());
    map.put("sentence", result.findings().sentence());
    map.put("passes", result.findings().passes());
    map.put("checks", result.findings().checks().stream().<Object>map(SuiteJson::check).toList());
    map.put("variants", result.outcomes().list().stream().<Object>map(SuiteJson::variant).toList());
    return map;
  }

  private static Map<String, Object> check(Check check) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("what", check.what());
    map.put("expected", check.expected());
    map.put("actual", check.actual());
    map.put("holds", check.holds());
    return map;
  }

  private static Map<String, Object> variant(Outcome outcome) {
    Variant variant = outcome.variant();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("label", variant.label());
    map.put("policy", variant.policy());
    map.put("conf", variant.conf());
    map.put("device_bytes", variant.profile().capacityBytes());
    map.put("limit_bytes", variant.limitBytes() < 0 ? null : variant.limitBytes());
    map.put("passes", outcome.passes());
    map.put("failed_requests", outcome.result().failureCount());
    map.put("peak_requested_bytes", outcome.peakRequestedBytes());
    map.put("peak_allocated_bytes", outcome.peakAllocatedBytes());
    map.put("peak_reserved_bytes", outcome.peakReservedBytes());
    map.put("driver_calls", outcome.result().driverCalls());
    map.put("driver_nanos", outcome.result().driverNanos());
    map.put("moments", outcome.moments().stream().<Object>map(SuiteJson::moment).toList());
    return map;
  }

  private static Map<String, Object> moment(Moment moment) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", moment.name());
    map.put("requested_bytes", moment.requestedBytes());
    map.put("allocated_bytes", moment.allocatedBytes());
    map.put("reserved_bytes", moment.reservedBytes());
    map.put("device_free_bytes", moment.deviceFreeBytes());
    return map;
  }
}
