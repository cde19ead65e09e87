package org.allocsim.reports.cli;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.advice.ConfLint;
import org.allocsim.reports.advice.Platform;
import org.allocsim.reports.advice.Tuning;
import org.allocsim.reports.advice.leak.Iterations;
import org.allocsim.reports.chart.Histogram;
import org.allocsim.reports.text.CsvText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.RunResult;

/**
 * Everything that a search for settings found, for people and as JSON.
 *
 * @param file name of the trace as the user gave it
 * @param sha256 digest of the file's bytes, in hexadecimal
 * @param events rows of the recorded history
 * @param deviceIndex index of the recorded device
 * @param version whose rules applied
 * @param platform where the program is to run
 * @param profile the simulated device
 * @param limitBytes the allocator's own limit, −1 without one
 * @param tuning the ranked settings
 * @param sizes of the program's allocations
 * @param lifetimes of the same
 * @param seconds wall time of the search
 */
record TuneReport(
    String file,
    String sha256,
    long events,
    int deviceIndex,
    PyTorchVersion version,
    Platform platform,
    DeviceProfile profile,
    long limitBytes,
    Tuning tuning,
    Histogram sizes,
    Histogram lifetimes,
    double seconds) {

  /** The JSON object; only {@code seconds} differs between two runs. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    Map<String, Object> trace = new LinkedHashMap<>();
    trace.put("file", file);
    trace.put("sha256", sha256);
    trace.put("events", events);
    map.put("trace", trace);
    map.put("policy", "pytorch");
    map.put("torch_version", version.id());
    map.put("os", platform.label());
    map.put("device", profile.name());
    map.put("device_index", deviceIndex);
    map.put("capacity_bytes", profile.capacityBytes());
    map.put("limit_bytes", limitBytes < 0 ? null : limitBytes);
    map.put("peak_requested_bytes", tuning.demand().peakRequestedBytes());
    map.put("fits_at_all", !tuning.isHopeless());
    map.put("steps", tuning.steps().map(TuneReport::steps).orElse(null));
    map.put("recorded_conf", tuning.recorded().conf());
    map.put("recommended", tuning.recommended().map(this::recommended).orElse(null));
    map.put("settings", settings());
    map.put("sizes", CompareJson.bins(sizes));
    map.put("lifetimes", CompareJson.bins(lifetimes));
    map.put("left_out", leftOut());
    map.put("seconds", seconds);
    return map;
  }

  private Map<String, Object> recommended(Tuning.Entry entry) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("conf", entry.conf());
    map.put("variable", ConfLint.variable(version));
    map.put("line", ConfText.paste(entry.conf(), version));
    return map;
  }

  private static Map<String, Object> steps(Iterations steps) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("found_by", steps.source().name().toLowerCase(Locale.ROOT));
    map.put("name", steps.name());
    map.put("count", steps.count());
    return map;
  }

  private static Map<String, Object> perStep(Tuning.Entry entry) {
    long[] sorted = entry.stepNanos().stream().mapToLong(Long::longValue).sorted().toArray();
    if (sorted.length == 0) {
      return null;
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("steps", sorted.length);
    map.put("mean_ns", entry.nanosPerStep());
    map.put("median_ns", sorted[sorted.length / 2]);
    map.put("max_ns", sorted[sorted.length - 1]);
    return map;
  }

  /** Keys of a setting that are columns of CSV. */
  private static final List<String> CSV =
      List.of(
          "rank",
          "conf",
          "passes",
          "first_oom_request_index",
          "first_oom_requested_bytes",
          "peak_reserved_bytes",
          "peak_allocated_bytes",
          "slack_at_peak_bytes",
          "driver_calls",
          "forced_synchronizations",
          "driver_seconds",
          "steps",
          "step_mean_ns",
          "same_as_default",
          "findings");

  /** Writes every setting as a row of CSV, the best first. */
  void writeCsv(OutputStream out) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Map<String, Object> setting : settings()) {
      Map<String, Object> row = new LinkedHashMap<>(setting);
      Tuning.Entry entry = tuning.ranked().get(rows.size());
      RunResult result = entry.result();
      result
          .firstFailure()
          .ifPresent(oom -> {
            row.put("first_oom_request_index", oom.requestIndex());
            row.put("first_oom_requested_bytes", oom.requestedBytes());
          });
      row.put("driver_calls", result.driverCalls());
      row.put("driver_seconds", row.get("min_time"));
      if (!entry.stepNanos().isEmpty()) {
        row.put("steps", entry.stepNanos().size());
        row.put("step_mean_ns", entry.nanosPerStep());
      }
      row.put(
          "findings", entry.findings().stream().map(finding -> finding.kind().label()).toList());
      rows.add(row);
    }
    CsvText.write(CSV, rows, out);
  }

  private List<Map<String, Object>> settings() {
    List<Map<String, Object>> list = new ArrayList<>();
    int rank = 0;
    for (Tuning.Entry entry : tuning.ranked()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("rank", ++rank);
      map.put("conf", entry.conf());
      ConfText.put(map, entry.result());
      map.put("min_time_per_step", perStep(entry));
      map.put("same_as_default", entry.sameAsPlain());
      map.put("findings", ConfText.toList(entry.findings()));
      list.add(map);
    }
    return list;
  }

  private List<Object> leftOut() {
    List<Object> list = new ArrayList<>();
    tuning
        .leftOut()
        .forEach((reason, confs) -> {
          Map<String, Object> map = new LinkedHashMap<>();
          map.put("reason", reason);
          map.put("confs", confs);
          list.add(map);
        });
    return list;
  }
}
