package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.allocsim.reports.advice.ObservedRun;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.MemoryTimelineChart;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.json.JsonText;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.workloads.source.DeviceTrace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim compare}: one trace, every allocator. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays a program on many allocators and compares them.",
      "",
      "Each trace is read once; the policies run side by side. Those that serve every request come",
      "first, the least reserved memory before the others. Rounding is what blocks in use hold",
      "beyond what was asked for, cached what is reserved and not in use, both when most was",
      "reserved; utilisation is the peak of allocated over the peak of reserved memory. Where a",
      "request fails, the program is taken to go on without it. A policy that cannot serve a trace",
      "has a row that says what it needs."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim compare snapshot.pickle",
      "  allocsim compare snapshot.pickle --policies pytorch,cuda-async,max-live --capacity 24GiB",
      "  allocsim compare log.csv --policies 'rmm-pool(initial=1GiB),rmm-arena' --csv result.csv",
      "  allocsim compare a.pickle b.pickle --confs ';expandable_segments:True' --report compared"
    })
final class CompareCommand implements Callable<Integer> {
  /** The policy that takes PyTorch's settings. */
  static final String PYTORCH = Scenario.PYTORCH;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description = "Traces of any format; 'allocsim list formats' shows them.")
  private List<String> names;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions("all");

  @Mixin private ConfListOptions confOptions;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write the table as CSV with units in the headings; - is standard output.")
  private String csvName;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results as JSON; - is standard output.")
  private String jsonName;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Folder that gets compare.html, compare.csv, compare.json and charts as .svg and .png,"
              + " and for dark paper as -dark.svg and -dark.png: reserved, fragmentation, peak,"
              + " driver-time, throughput, sizes, lifetimes, segments (when the first request"
              + " fails, when most is reserved, at the end), utilisation where the trace has work,"
              + " behind a number where there are several traces; it is made where missing.")
  private String reportName;

  @Option(names = "--markdown", description = "Print the table as Markdown.")
  private boolean markdown;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    names.forEach(Traces::file);
    List<PolicyChoice> chosen = policyOptions.choices();
    Path folder = reportName == null ? null : ReportFolder.make(reportName);
    try (Outputs outputs = new Outputs(out)) {
      List<Outputs.Output> csv = new ArrayList<>();
      List<Outputs.Output> json = new ArrayList<>();
      open(outputs, folder, csv, json);
      Outputs.Output page =
          folder == null
              ? null
              : outputs.open("--report", folder.resolve("compare.html").toString(), null);
      List<CompareTable> tables = new ArrayList<>();
      List<TraceRecording> recordings = new ArrayList<>();
      for (String name : names) {
        String prefix = names.size() == 1 ? "" : tables.size() + 1 + "-";
        tables.add(
            compare(
                name,
                chosen,
                page == null ? null : recordings,
                folder == null ? null : new ChartFolder(outputs, "--report", folder),
                prefix));
      }
      for (Outputs.Output each : csv) {
        CompareTable.writeCsv(tables, each.stream());
      }
      Map<String, Object> results = JsonDocument.COMPARE.of(toMap(tables));
      for (Outputs.Output each : json) {
        JsonText.write(results, each.stream());
      }
      if (page != null) {
        ComparePage.of(tables, recordings, results, deviceOptions.torchVersion())
            .write(page.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        for (int i = 0; i < tables.size(); i++) {
          if (i > 0) {
            out.println();
          }
          if (markdown) {
            tables.get(i).printMarkdown(out);
          } else {
            tables.get(i).print(out);
          }
        }
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private void open(
      Outputs outputs, Path folder, List<Outputs.Output> csv, List<Outputs.Output> json) {
    if (csvName != null) {
      csv.add(outputs.open("--csv", csvName, null));
    }
    if (jsonName != null) {
      json.add(outputs.open("--json", jsonName, null));
    }
    if (folder != null) {
      csv.add(outputs.open("--report", folder.resolve("compare.csv").toString(), null));
      json.add(outputs.open("--report", folder.resolve("compare.json").toString(), null));
    }
  }

  private List<PolicyChoice> withConfs(List<PolicyChoice> chosen, DeviceTrace input) {
    return confOptions.expand(
        chosen,
        input.conf(),
        deviceOptions.torchVersion(),
        deviceOptions.isTorchVersionGiven()
            ? Map.of("torch-version", deviceOptions.torchVersion().id())
            : Map.of(),
        deviceOptions.profile());
  }

  /**
   * Compares on one trace.
   *
   * @param recordings gets what a page shows of the runs; null where no page is wanted
   * @param charts gets the charts; null where none are wanted
   * @param prefix begins their names
   */
  private CompareTable compare(
      String name,
      List<PolicyChoice> chosen,
      List<TraceRecording> recordings,
      ChartFolder charts,
      String prefix)
      throws IOException {
    DeviceTrace input = traceOptions.read(name, deviceOptions.torchVersion());
    List<PolicyChoice> choices = withConfs(chosen, input);
    long limitBytes = limitBytes();
    RunSetup setup =
        new RunSetup(
            input.trace(),
            input.device(),
            choices.getFirst(),
            limitBytes,
            deviceOptions.profile().withHistory(input.addresses()));
    boolean isReported = recordings != null;
    RecordedTrial recorded = new RecordedTrial(setup, isReported ? name : null);
    List<ObservedRun> observed;
    try (ProgressMeter progress = ProgressMeter.ofPolicies("comparing")) {
      observed = recorded.runAll(choices, progress::update);
    }
    CompareTable table = new CompareTable(input, deviceOptions.profile(), limitBytes, observed);
    if (isReported) {
      recordings.add(recorded.recording(table.results(), input.conf()));
      if (ChartFonts.areAvailable()) {
        new CompareCharts(input, bound(table.mostBytes()), observed).write(charts, prefix);
      }
    }
    return table;
  }

  private MemoryTimelineChart.Bound bound(long mostBytes) {
    return new MemoryTimelineChart.Bound(
        mostBytes == limitBytes() ? "limit" : "the card has", mostBytes);
  }

  private long limitBytes() {
    return deviceOptions.isLimitGiven()
        ? deviceOptions.limitBytes(Settings.parse("", deviceOptions.torchVersion(), PYTORCH))
        : MemoryLimit.NONE;
  }

  private Map<String, Object> toMap(List<CompareTable> tables) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("device", deviceOptions.profile().name());
    map.put("device_bytes", deviceOptions.profile().totalBytes());
    map.put("limit_bytes", limitBytes() < 0 ? null : limitBytes());
    map.put("policies_known", Policies.all().size());
    map.put("traces", tables.stream().<Object>map(CompareTable::toMap).toList());
    return map;
  }
}
