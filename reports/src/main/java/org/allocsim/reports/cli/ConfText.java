package org.allocsim.reports.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.advice.ConfLint;
import org.allocsim.reports.advice.LintFinding;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;

/** Configuration strings on the command line and in results. */
final class ConfText {
  private static final double NANOS_PER_SECOND = 1e9;

  private ConfText() {}

  /** A string as rows of tables name it. */
  static String name(String conf) {
    return conf.isEmpty() ? "(default)" : conf;
  }

  /** A line for a shell that puts a string into force. */
  static String paste(String conf, PyTorchVersion version) {
    return conf.isEmpty()
        ? "unset " + ConfLint.variable(version)
        : "export " + ConfLint.variable(version) + "=\"" + conf + "\"";
  }

  /** Findings as JSON. */
  static List<Object> toList(List<LintFinding> findings) {
    return findings.stream()
        .<Object>map(finding -> {
          Map<String, Object> map = new LinkedHashMap<>();
          map.put("kind", finding.kind().label());
          map.put("severity", finding.severity().label());
          map.put("message", finding.message());
          return map;
        })
        .toList();
  }

  /** What a replay came to, as JSON. */
  static void put(Map<String, Object> map, RunResult result) {
    map.put("passes", result.passes());
    map.put("first_oom", result.firstFailure().map(ConfText::toMap).orElse(null));
    map.put("peak_reserved_bytes", result.peakReservedBytes());
    map.put("peak_allocated_bytes", result.peakAllocatedBytes());
    map.put("slack_at_peak_bytes", result.slackAtPeakBytes());
    map.put("driver_calls", result.driverCallsByFunction());
    map.put("forced_synchronizations", result.forcedSynchronizations());
    map.put("min_time", result.driverNanos() / NANOS_PER_SECOND);
  }

  private static Map<String, Object> toMap(FailedRequest failed) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("request_index", failed.requestIndex());
    map.put("requested_bytes", failed.requestedBytes());
    map.put("message", failed.message());
    return map;
  }
}
