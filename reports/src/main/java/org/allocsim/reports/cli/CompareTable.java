package org.allocsim.reports.cli;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.advice.ObservedRun;
import org.allocsim.reports.advice.ReservedParts;
import org.allocsim.reports.text.CsvText;
import org.allocsim.reports.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.workloads.source.DeviceTrace;

/** What policies made of one trace: as text, as CSV and as JSON. */
final class CompareTable {
  private static final double NANOS_PER_MILLISECOND = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLION = 1e6;

  /** What serves every request comes first, the least reserved memory before the others. */
  static final Comparator<RunResult> RANK =
      Comparator.comparing((RunResult result) -> !result.isRun())
          .thenComparing(result -> !result.passes())
          .thenComparingLong(RunResult::failureCount)
          .thenComparingLong(RunResult::peakReservedBytes)
          .thenComparing(result -> result.choice().label());

  /** Columns that are left out where lines are short, the first one first. */
  private static final List<String> EXPENDABLE =
      List.of(
          "M events/s",
          "driver calls",
          "rounding",
          "cached",
          "GPU busy",
          "in driver",
          "simulated time",
          "utilisation",
          "peak allocated");

  private final DeviceTrace input;
  private final DeviceProfile profile;
  private final long limitBytes;
  private final List<RunResult> results;
  private final IdentityHashMap<RunResult, ReservedParts> parts = new IdentityHashMap<>();

  /** Ranks the results: what serves every request first, the least reserved before the others. */
  CompareTable(
      DeviceTrace input, DeviceProfile profile, long limitBytes, List<ObservedRun> observed) {
    this.input = input;
    this.profile = profile;
    this.limitBytes = limitBytes;
    results = observed.stream().map(ObservedRun::result).sorted(RANK).toList();
    observed.forEach(each -> parts.put(each.result(), each.parts()));
  }

  /** The trace. */
  DeviceTrace input() {
    return input;
  }

  /** The results in their order. */
  List<RunResult> results() {
    return results;
  }

  /** What allocators can have at most: their limit, or the card. */
  long mostBytes() {
    long cardBytes = profile.capacityBytes();
    return limitBytes < 0 ? cardBytes : Math.min(limitBytes, cardBytes);
  }

  void print(PrintWriter out) {
    WrappedText.printField(
        out,
        "trace   ",
        input.name()
            + " ("
            + input.format()
            + "): "
            + Numbers.count(input.trace().eventCount(), "request")
            + ", device "
            + input.device());
    WrappedText.printField(
        out,
        "device  ",
        profile.name()
            + ", "
            + ByteFormat.human(profile.totalBytes())
            + (limitBytes < 0 ? ", no limit" : ", limit " + Numbers.bytes(limitBytes)));
    out.println();
    table().expendable("--csv FILE has all", EXPENDABLE).print(out, "");
    for (RunResult result : results) {
      if (!result.isRun()) {
        WrappedText.printItem(
            out, "", result.choice().label() + " not run: " + result.notRunBecause());
      }
    }
  }

  /** Prints the table for a pull request. */
  void printMarkdown(PrintWriter out) {
    out.println(
        "`"
            + input.name()
            + "`, "
            + Numbers.count(input.trace().eventCount(), "request")
            + ", "
            + profile.name()
            + (limitBytes < 0 ? "" : ", limit " + Numbers.bytes(limitBytes)));
    out.println();
    table().printMarkdown(out);
    for (RunResult result : results) {
      if (!result.isRun()) {
        out.println();
        out.println(result.choice().label() + " not run: " + result.notRunBecause());
      }
    }
  }

  private TextTable table() {
    boolean inTime = results.stream().anyMatch(result -> result.time() != null);
    List<String> headings =
        new ArrayList<>(
            List.of(
                "policy",
                ">peak reserved",
                ">peak allocated",
                ">utilisation",
                ">rounding",
                ">cached",
                ">driver calls",
                ">in driver",
                ">M events/s"));
    if (inTime) {
      headings.add(">simulated time");
      headings.add(">GPU busy");
    }
    headings.add("out of memory");
    TextTable table = TextTable.of(headings.toArray(String[]::new));
    for (RunResult result : results) {
      if (result.isRun()) {
        List<String> cells =
            new ArrayList<>(
                List.of(
                    result.choice().label(),
                    ByteFormat.human(result.peakReservedBytes()),
                    ByteFormat.human(result.peakAllocatedBytes()),
                    Numbers.percent(result.utilisation()),
                    ByteFormat.human(result.atPeak().internalBytes()),
                    ByteFormat.human(result.atPeak().externalBytes()),
                    Numbers.count(result.driverCalls()),
                    String.format(
                        Locale.ROOT, "%.1f ms", result.driverNanos() / NANOS_PER_MILLISECOND),
                    String.format(Locale.ROOT, "%.2f", result.eventsPerSecond() / MILLION)));
        if (inTime) {
          cells.add(Numbers.duration(result.time().endNanos()));
          cells.add(Numbers.percent(result.time().utilisation()));
        }
        cells.add(outOfMemory(result));
        table.row(cells.toArray());
      }
    }
    return table;
  }

  private static String outOfMemory(RunResult result) {
    if (result.failureCount() == 0) {
      return "no";
    }
    FailedRequest first = result.failures().getFirst();
    return "at request "
        + Numbers.count(first.requestIndex())
        + " ("
        + ByteFormat.human(first.requestedBytes())
        + ")"
        + (result.failureCount() == 1
            ? ""
            : ", " + Numbers.count(result.failureCount()) + " times");
  }

  /** Columns of CSV: the trace, and keys of a result as JSON. */
  private static final List<String> CSV =
      List.of(
          "trace",
          "sha256",
          "device_index",
          "policy",
          "options",
          "kind",
          "not_run_because",
          "peak_reserved_bytes",
          "peak_allocated_bytes",
          "peak_requested_bytes",
          "peak_device_bytes",
          "utilisation_ratio",
          "internal_at_peak_bytes",
          "external_at_peak_bytes",
          "ooms",
          "first_oom_request_index",
          "first_oom_requested_bytes",
          "driver_calls",
          "driver_seconds",
          "events",
          "seconds",
          "events_per_second",
          "simulated_seconds",
          "gpu_utilisation_ratio");

  /** Writes the rows of several traces under one line of headings. */
  static void writeCsv(List<CompareTable> tables, OutputStream out) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (CompareTable table : tables) {
      for (RunResult result : table.results) {
        Map<String, Object> row = table.toMap(result);
        row.put("trace", table.input.name());
        row.put("sha256", table.input.sha256());
        row.put("device_index", table.input.device());
        rows.add(row);
      }
    }
    CsvText.write(CSV, rows, out);
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", input.name());
    map.put("sha256", input.sha256());
    map.put("format", input.format());
    map.put("requests", input.trace().eventCount());
    map.put("device_index", input.device());
    map.put("notes", InferenceText.notes(input));
    map.putAll(CompareJson.distributions(input));
    map.put("results", results.stream().<Object>map(this::toMap).toList());
    return map;
  }

  private static double share(BusyTimeline busy, TimeResult time) {
    return time.endNanos() == 0 ? 0 : (double) busy.totalNanos() / time.endNanos();
  }

  private Map<String, Object> toMap(RunResult result) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("policy", result.choice().provider().spec().id());
    map.put("options", new LinkedHashMap<>(result.choice().options()));
    map.put("kind", result.choice().provider().spec().kind().toString().toLowerCase(Locale.ROOT));
    map.put("not_run_because", result.notRunBecause());
    if (!result.isRun()) {
      return map;
    }
    map.put("peak_reserved_bytes", result.peakReservedBytes());
    map.put("peak_allocated_bytes", result.peakAllocatedBytes());
    map.put("peak_requested_bytes", result.peakRequestedBytes());
    map.put("peak_device_bytes", result.peakDeviceBytes());
    map.put("utilisation_ratio", result.utilisation());
    map.put("internal_at_peak_bytes", result.atPeak().internalBytes());
    map.put("external_at_peak_bytes", result.atPeak().externalBytes());
    map.put("reserved_at_peak", CompareJson.parts(parts.get(result)));
    map.put("ooms", result.failureCount());
    FailedRequest first = result.failures().isEmpty() ? null : result.failures().getFirst();
    map.put("first_oom_request_index", first == null ? null : first.requestIndex());
    map.put("first_oom_requested_bytes", first == null ? null : first.requestedBytes());
    map.put("driver_calls", result.driverCalls());
    map.put("driver_seconds", result.driverNanos() / NANOS_PER_SECOND);
    map.put("driver_seconds_by_call", CompareJson.secondsByCall(result));
    map.put("events", result.events());
    map.put("seconds", result.seconds());
    map.put("events_per_second", result.eventsPerSecond());
    TimeResult time = result.time();
    map.put("simulated_seconds", time == null ? null : time.endNanos() / NANOS_PER_SECOND);
    map.put("gpu_utilisation_ratio", time == null ? null : time.utilisation());
    map.put("gpu_to_device_ratio", time == null ? null : share(time.toDevice(), time));
    map.put("gpu_to_host_ratio", time == null ? null : share(time.toHost(), time));
    return map;
  }
}
