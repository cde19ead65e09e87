package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.CompareCharts;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.compare.RecordedTrial;
import org.allocsim.reports.answer.job.CompareJob;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code allocsim compare}: one trace, every allocator. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays a program on many allocators and compares them.",
      "",
      "Each trace is read once; the policies run side by side. Those that serve every request come",
      "first, ordered by the peak of reserved memory. Rounding is what blocks in use hold beyond",
      "what was asked for, cached what is reserved and not in use, both when reserved memory was",
      "highest; utilisation is the peak of allocated over the peak of reserved memory. Where a",
      "request fails, the program is taken to go on without it. A policy that cannot serve a trace",
      "has a row that says what it needs.",
      "",
      "With --report, charts are drawn as .svg and .png, and for dark paper as -dark.svg and",
      "-dark.png: reserved, fragmentation, peak, driver-time, throughput, sizes, lifetimes,",
      "segments (when the first request fails, when reserved memory is highest, at the end), and",
      "utilisation where the trace has work, after a number where there are several traces."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim compare snapshot.pickle",
      "  allocsim compare snapshot.pickle --policies pytorch,cuda-async,max-live --capacity 24GiB",
      "  allocsim compare log.csv --policies 'rmm-pool(initial=1GiB),rmm-arena' --csv result.csv",
      "  allocsim compare a.pickle b.pickle --confs ';expandable_segments:True' --report compared"
    })
final class CompareCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description =
          "Traces of any format; 'allocsim list formats' shows them. Or a folder with one recording"
              + " for each rank of a job.")
  private List<String> names;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions("all");

  @Mixin private ConfListOptions confOptions;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    List<PolicyChoice> chosen = policyOptions.choices();
    if (names.stream().anyMatch(Jobs::isFolder)) {
      return compareJob(chosen);
    }
    List<Path> files = names.stream().map(Traces::file).toList();
    try (DocumentOutputs outputs = outputOptions.open(files.toArray(Path[]::new))) {
      List<ComparedTrace> traces = new ArrayList<>();
      List<TraceRecording> recordings = new ArrayList<>();
      for (String name : names) {
        if (EarlyEnd.isAsked()) {
          break;
        }
        String prefix = names.size() == 1 ? "" : traces.size() + 1 + "-";
        Drawing drawing = new Drawing(outputs, recordings, prefix);
        compare(name, chosen, outputs.hasPage() ? drawing : null).ifPresent(traces::add);
      }
      if (traces.isEmpty()) {
        return ExitCodes.FAILED;
      }
      outputs.write(answer(traces).document(), recordings);
    }
    return ExitCodes.DONE;
  }

  private int compareJob(List<PolicyChoice> chosen) throws IOException {
    if (names.size() > 1) {
      throw Failure.usage("compare takes a job's folder alone; leave out the other names");
    }
    return JobRun.of(outputOptions, name -> compareRank(name, chosen))
        .showing(Compared::recordings)
        .onAllCores()
        .run(names.getFirst(), Compared::trace, new CompareJob());
  }

  /** A rank and what a page shows of it. */
  private record Compared(ComparedTrace trace, List<TraceRecording> recordings) {}

  private Compared compareRank(String name, List<PolicyChoice> chosen) throws IOException {
    List<TraceRecording> recordings = new ArrayList<>();
    ComparedTrace trace =
        compare(name, chosen, outputOptions.hasReport() ? new Drawing(null, recordings, "") : null)
            .orElseThrow(() -> new Failure(name + ": the process was asked to stop"));
    return new Compared(trace, recordings);
  }

  private CompareAnswer answer(List<ComparedTrace> traces) {
    return new CompareAnswer(deviceOptions.torchVersion(), traces);
  }

  private List<PolicyChoice> withConfs(
      List<PolicyChoice> chosen, DeviceTrace input, @Nullable Tuning tuning) {
    return confOptions.expand(
        chosen,
        input.conf(),
        tuning == null ? null : tuning.best().conf(),
        deviceOptions.torchVersion(),
        deviceOptions.profile());
  }

  /** The search that {@code tune} makes; null where the user says what is to be compared. */
  private @Nullable Tuning tune(
      List<PolicyChoice> chosen, DeviceTrace input, RecordedCircumstances circumstances) {
    boolean hasPyTorch =
        chosen.stream()
            .anyMatch(each ->
                each.provider().spec().id().equals(Scenario.PYTORCH) && each.options().isEmpty());
    if (confOptions.given() != null || !hasPyTorch) {
      return null;
    }
    String conf = input.conf() == null ? "" : input.conf();
    Settings.requirePossible(
        Settings.parse("--confs", conf, deviceOptions.torchVersion(), Scenario.PYTORCH),
        deviceOptions.profile());
    TuningGrid grid =
        TuningGrid.of(
            conf,
            deviceOptions.release().oldest(),
            Platform.LINUX,
            circumstances.limitBytes() != MemoryLimit.NONE);
    try (ProgressMeter progress = ProgressMeter.of("tuning", "settings")) {
      return Tuning.run(
          input,
          grid,
          deviceOptions.torchVersion(),
          Platform.LINUX,
          circumstances,
          progress::update);
    } catch (ConfigException e) {
      throw new IllegalStateException("the grid holds a string that PyTorch refuses", e);
    }
  }

  /**
   * A page with charts.
   *
   * @param outputs takes the charts; null where there are none
   * @param recordings gets what the page shows of the runs
   * @param prefix begins the names of charts
   */
  private record Drawing(
      @Nullable DocumentOutputs outputs, List<TraceRecording> recordings, String prefix) {}

  /**
   * Compares on one trace; empty where the process is asked to stop before a policy was run.
   *
   * @param drawing where a page with charts is wanted; null without one
   */
  private Optional<ComparedTrace> compare(
      String name, List<PolicyChoice> chosen, @Nullable Drawing drawing) throws IOException {
    DeviceTrace input = traceOptions.read(name, deviceOptions.release());
    RecordedCircumstances circumstances =
        deviceOptions.circumstances(
            input, Settings.parse("", deviceOptions.torchVersion(), Scenario.PYTORCH));
    Tuning tuning = tune(chosen, input, circumstances);
    List<PolicyChoice> choices = withConfs(chosen, input, tuning);
    RecordedTrial recorded = new RecordedTrial(input, circumstances, drawing != null);
    EarlyEnd.begin();
    List<ObservedRun> observed;
    try (ProgressMeter progress = ProgressMeter.of("comparing", "policies")) {
      observed = recorded.runAll(choices, progress::update);
    }
    if (observed.isEmpty()) {
      return Optional.empty();
    }
    ComparedTrace compared = ComparedTrace.of(input, circumstances, tuning, observed);
    if (drawing != null) {
      drawing.recordings().add(recorded.recording(compared.results(), input.conf()));
      ChartFolder charts = drawing.outputs() == null ? null : drawing.outputs().charts();
      if (charts != null) {
        new CompareCharts(compared, bound(circumstances), observed).write(charts, drawing.prefix());
      }
    }
    return Optional.of(compared);
  }

  private static MemoryTimelineChart.Bound bound(RecordedCircumstances circumstances) {
    long maxBytes = circumstances.maxBytes();
    return new MemoryTimelineChart.Bound(
        maxBytes == circumstances.limitBytes() ? "limit" : "the GPU has", maxBytes);
  }
}
