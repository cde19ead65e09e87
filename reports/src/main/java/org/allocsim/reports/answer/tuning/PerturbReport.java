package org.allocsim.reports.answer.tuning;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.transform.Perturbation;
import org.allocsim.workloads.transform.Perturbation.Resize;

/**
 * Shows how the changed copies of a program fared.
 *
 * @param file name of the trace as the user gave it
 * @param sha256 digest of the file's bytes, in hexadecimal
 * @param device index of the recorded device
 * @param perturbation how copies were changed
 * @param seed seed of the first copy
 * @param fragility what they came to
 * @param seconds wall time of all replays
 */
public record PerturbReport(
    String file,
    String sha256,
    int device,
    Perturbation perturbation,
    long seed,
    Fragility fragility,
    double seconds) {
  private static final Map<String, Double> QUANTILES = quantiles();

  private static Map<String, Double> quantiles() {
    Map<String, Double> quantiles = new LinkedHashMap<>();
    quantiles.put("lowest", 0.0);
    quantiles.put("5 % of copies at most", 0.05);
    quantiles.put("half of copies at most", 0.5);
    quantiles.put("95 % of copies at most", 0.95);
    quantiles.put("highest", 1.0);
    return quantiles;
  }

  public void print(PrintWriter out) {
    Scenario scenario = fragility.scenario();
    WrappedText.print(out, "", "", verdict());
    out.println();
    WrappedText.printField(out, "trace   ", file + ": device " + device);
    WrappedText.printField(
        out,
        "policy  ",
        scenario.choice().label()
            + (takesConf()
                ? " "
                    + scenario.version().id()
                    + ", PYTORCH_CUDA_ALLOC_CONF=\""
                    + scenario.config().text()
                    + "\""
                : ""));
    WrappedText.printField(
        out,
        "device  ",
        scenario.device().name()
            + ", "
            + ByteFormat.human(scenario.device().capacityBytes())
            + " for the program"
            + (scenario.limitBytes() < 0
                ? ", no limit"
                : ", limit " + Numbers.bytes(scenario.limitBytes())));
    WrappedText.printField(out, "change  ", change());
    out.println();
    printPeaks(out);
    out.println();
    printWorst(out);
  }

  private boolean takesConf() {
    return fragility.scenario().takesConf();
  }

  private String verdict() {
    Fragility.Share share = fragility.failureShare();
    return Numbers.count(fragility.failures())
        + " of "
        + Numbers.count(fragility.runs().size())
        + " randomly changed "
        + (fragility.runs().size() == 1 ? "copy" : "copies")
        + " ("
        + Numbers.percent((double) fragility.failures() / fragility.runs().size())
        + "; of all such copies "
        + Numbers.percent(share.lower())
        + " to "
        + Numbers.percent(share.upper())
        + " with "
        + Math.round(100 * Fragility.CONFIDENCE)
        + " % confidence) run out of memory; the program as it is "
        + (fragility.plain().passes() ? "passes." : "does too.");
  }

  private String change() {
    String swapped =
        perturbation.swapsNeighbours() ? "neighbouring requests swapped at random" : "";
    if (perturbation.resizeShare() == 0) {
      return swapped;
    }
    return (swapped.isEmpty() ? "" : swapped + ", ")
        + (perturbation.resize() == Resize.SIZE ? "each size" : "each request")
        + " changed by up to "
        + Numbers.percent(perturbation.resizeShare())
        + " up or down";
  }

  private void printPeaks(PrintWriter out) {
    long plain = fragility.plain().peakReservedBytes();
    TextTable table = TextTable.of("peak of reserved memory", ">", ">bytes", ">against as it is");
    row(table, "as it is", plain, plain);
    QUANTILES.forEach((name, share) -> row(table, name, fragility.peakReservedBytes(share), plain));
    table.print(out, "");
    if (fragility.failures() > 0) {
      out.println("Copies that run out of memory count with their peak until then.");
    }
  }

  private static void row(TextTable table, String name, long bytes, long plain) {
    table.row(
        name,
        ByteFormat.human(bytes),
        Numbers.count(bytes),
        plain == 0 ? "-" : String.format(Locale.ROOT, "%+.2f %%", 100.0 * (bytes - plain) / plain));
  }

  private void printWorst(PrintWriter out) {
    Fragility.Copy worst = fragility.worst();
    String fate =
        worst
            .result()
            .firstFailure()
            .map(oom ->
                (oom.requestIndex() < 0
                        ? "what it held before its history does not fit"
                        : "allocation request "
                            + Numbers.count(oom.requestIndex())
                            + " for "
                            + ByteFormat.human(oom.requestedBytes())
                            + " fails")
                    + ", with "
                    + ByteFormat.human(worst.result().peakReservedBytes())
                    + " reserved at most")
            .orElseGet(() ->
                "it reserves "
                    + ByteFormat.human(worst.result().peakReservedBytes())
                    + " at most and passes");
    WrappedText.print(out, "", "", "Worst seed " + worst.seed() + ": " + fate + ".");
  }

  /** The JSON object; only {@code seconds} differs between two runs. */
  public Map<String, Object> toMap() {
    Scenario scenario = fragility.scenario();
    Fragility.Share share = fragility.failureShare();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", file);
    map.put("sha256", sha256);
    map.put("device_index", device);
    map.put("policy", scenario.choice().label());
    map.put("torch_version", takesConf() ? scenario.version().id() : null);
    map.put("conf", takesConf() ? scenario.config().text() : null);
    map.put("device", scenario.device().name());
    map.put("capacity_bytes", scenario.device().capacityBytes());
    map.put("limit_bytes", scenario.limitBytes() < 0 ? null : scenario.limitBytes());
    map.put("swap_adjacent", perturbation.swapsNeighbours());
    map.put("resize_share", perturbation.resizeShare());
    map.put("resize_each", perturbation.resize().name().toLowerCase(Locale.ROOT));
    map.put("seed", seed);
    map.put("runs", fragility.runs().size());
    map.put("failed_runs", fragility.failures());
    map.put("failed_runs_share", (double) fragility.failures() / fragility.runs().size());
    map.put("failed_runs_share_interval", List.of(share.lower(), share.upper()));
    map.put("confidence", Fragility.CONFIDENCE);
    Map<String, Object> peaks = new LinkedHashMap<>();
    peaks.put("min", fragility.peakReservedBytes(0));
    peaks.put("p5", fragility.peakReservedBytes(0.05));
    peaks.put("median", fragility.peakReservedBytes(0.5));
    peaks.put("p95", fragility.peakReservedBytes(0.95));
    peaks.put("max", fragility.peakReservedBytes(1));
    map.put("peak_reserved_bytes", peaks);
    map.put("plain", result(fragility.plain()));
    map.put("worst", run(fragility.worst()));
    map.put("all", fragility.runs().stream().<Object>map(PerturbReport::run).toList());
    map.put("wall_seconds", seconds);
    return map;
  }

  private static Map<String, Object> run(Fragility.Copy run) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("seed", run.seed());
    map.putAll(result(run.result()));
    return map;
  }

  private static Map<String, Object> result(RunResult result) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("passes", result.passes());
    map.put(
        "first_failed_request_index",
        result.firstFailure().map(FailedRequest::requestIndex).orElse(null));
    map.put("peak_reserved_bytes", result.peakReservedBytes());
    map.put("peak_allocated_bytes", result.peakAllocatedBytes());
    return map;
  }
}
