package org.allocsim.reports.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.part.RecordingMaps;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.reports.answer.replay.EventLines;
import org.allocsim.reports.answer.replay.RepeatedResult;
import org.allocsim.reports.answer.replay.ReplayReport;
import org.allocsim.reports.answer.replay.ReplayRun;
import org.allocsim.reports.answer.replay.ReplayText;
import org.allocsim.reports.answer.replay.SimulatedTime;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.cli.option.AddressesConverter;
import org.allocsim.reports.cli.option.AfterOomConverter;
import org.allocsim.reports.cli.option.CacheInsertionConverter;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.PolicyChoiceConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.ReplayNotes;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jfree.chart.JFreeChart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim replay}: one policy on one recorded program. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays a recorded program on one allocator and shows what it did.",
      "Prints out-of-memory messages, PyTorch's memory summary and where reserved memory went.",
      "",
      "With the recorded settings, addresses and refusals come from the recording; with other",
      "settings, another device or a capacity, from the simulated device."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim replay snapshot.pickle",
      "  allocsim replay snapshot.pickle.xz --memory-fraction 0.9 --chart memory.svg",
      "  allocsim replay snapshot.pickle --conf expandable_segments:True --capacity 24GiB",
      "  allocsim replay snapshot.pickle --memory-limit 20GiB --after-oom stop",
      "  allocsim replay snapshot.pickle --capacity 12GiB --insert empty_cache@phase-boundaries",
      "  allocsim replay snapshot.pickle --events - | head",
      "  allocsim replay 'program:gpt(iterations=4)' --repeat 1000 --policy cuda-async"
    })
final class ReplayCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Failed requests of many passes that are shown. */
  private static final int FAILURES_SHOWN = 3;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE)
  private String traceName;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      description =
          "Allocator, with options in parentheses: rmm-pool(initial=1GiB); 'allocsim list policies'"
              + " shows them (default: pytorch).",
      defaultValue = Scenario.PYTORCH,
      converter = PolicyChoiceConverter.class)
  private PolicyChoice policy;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description = "PYTORCH_CUDA_ALLOC_CONF to replay under (default: the recorded one).")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--addresses",
      paramLabel = "recorded|modelled",
      description =
          "Where addresses and refusals come from (default: recorded with the recorded settings"
              + " and device, else modelled).",
      converter = AddressesConverter.class)
  private Addresses addresses;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "What happens after a request that fails: stop ends the replay, the failure is the "
              + "verdict; continue goes on as if the program had caught the error, and passes over "
              + "the frees of that request (default: continue). A request that failed in the "
              + "recording and is served now is given back at once.",
      converter = AfterOomConverter.class)
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(
      names = "--insert",
      paramLabel = "empty_cache@PLACE",
      description =
          "Replay the program as if it called torch.cuda.empty_cache() at phase-boundaries (where"
              + " recorded annotations begin or end), every:N (after every N steps), before-oom"
              + " (right before what fails otherwise) or request:N (before allocation request N,"
              + " counted from 0).",
      converter = CacheInsertionConverter.class)
  private CacheInsertion insertion;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Replay the program N times over, each time from the same start and on the cache that the"
              + " last one left, and show the statistics and the speed. The trace is held once, so"
              + " memory does not grow with N; TRACE may be program:ID or program:ID(name=value) to"
              + " generate it at once ('allocsim list programs'). Once is the ordinary replay.")
  private Long repeat;

  @Option(
      names = "--check",
      description = "Check the allocator's invariants after every event; slow.")
  private boolean check;

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = "Write every event of the allocator as a line of JSON; - is standard output.")
  private String eventsName;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results as JSON; - is standard output.")
  private String jsonName;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Draw memory over time; the name ends in " + ChartFile.EXTENSIONS + ".")
  private String chartName;

  @Option(
      names = "--charts",
      paramLabel = "DIR",
      description =
          "Folder that gets charts as .svg and .png, and for dark paper as -dark.svg and -dark.png:"
              + " memory, fragmentation, sizes, lifetimes, utilisation (programs with work),"
              + " segments-oom, segments-peak and segments-end by state, with -age and -stack"
              + " where these are recorded; it is made where missing.")
  private String chartsName;

  @Override
  public Integer call() throws IOException {
    ChartFile chartFormat = chartFormat();
    if (insertion != null && addresses == Addresses.RECORDED) {
      throw Failure.usage(
          "--insert changes the program, so recorded addresses do not fit; leave out --addresses");
    }
    PrintWriter out = spec.commandLine().getOut();
    if (repeat != null && repeat < 1) {
      throw Failure.usage("--repeat " + repeat + " is less than once; give 1 or more");
    }
    if (repeat != null && repeat > 1) {
      return repeat(out);
    }
    Path file = Traces.file(traceName);
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output events = outputs.openIfGiven("--events", eventsName, file);
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      OutputFiles.Output chart = outputs.openIfGiven("--chart", chartName, file);
      ReplayReport report = report(events);
      if (json != null) {
        JsonText.write(JsonDocument.REPLAY.of(report.toMap()), json.stream());
      }
      if (chart != null) {
        draw(report, chartFormat, chart);
      }
      if (chartsName != null) {
        drawAll(report, outputs);
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        ReplayText.print(report, out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  /**
   * Replays the program once.
   *
   * @param events gets every effect as a line, or null
   */
  ReplayReport report(OutputFiles.Output events) throws IOException {
    ReplaySetup setup = setup();
    int inserted = 0;
    if (insertion != null) {
      CacheInsertion.Inserted changed = insertion.into(setup);
      setup = changed.setup();
      inserted = changed.calls();
    }
    return replay(setup, events, inserted);
  }

  /** What is replayed, and how. */
  private ReplaySetup setup() {
    TraceSource source = traceOptions.open(traceName);
    PyTorchVersion version = chosenVersion();
    ParsedConfig given = givenConfig(version);
    ParsedConfig config = isPyTorch() ? config(source, given, version) : null;
    long limitBytes = deviceOptions.limitBytes(config == null ? noSettings(version) : config);
    OpenedTrace input =
        Traces.read(
            source, new ReadingOptions(version, limitBytes, deviceOptions.profile().totalBytes()));
    if (!isPyTorch() && (addresses == Addresses.RECORDED || check)) {
      throw Failure.usage(
          "--addresses recorded and --check are for policy pytorch; leave them out");
    }
    if (addresses == Addresses.RECORDED && input.recording().isEmpty()) {
      throw Failure.usage(
          traceName + " holds no recorded addresses; leave out --addresses recorded");
    }
    return new ReplaySetup(
        input,
        Traces.device(input, traceOptions.deviceIndex()),
        isPyTorch() ? Settings.pytorch(config, version) : policy,
        config,
        deviceOptions.profile(),
        limitBytes,
        afterOom,
        check);
  }

  private boolean isPyTorch() {
    return policy.provider().spec().id().equals(Scenario.PYTORCH);
  }

  private PyTorchVersion chosenVersion() {
    String named = policy.options().get(Scenario.VERSION_OPTION);
    return isPyTorch() && named != null ? version(named) : deviceOptions.torchVersion();
  }

  private static PyTorchVersion version(String name) {
    try {
      return PyTorchVersion.of(name);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policy: " + e.getMessage());
    }
  }

  /** The settings that the user chose; null for the recorded ones. */
  private ParsedConfig givenConfig(PyTorchVersion version) {
    String inPolicy = policy.options().get(Scenario.CONF_OPTION);
    if (conf != null && (!isPyTorch() || inPolicy != null)) {
      throw Failure.usage(
          isPyTorch()
              ? "--conf and --policy both give settings; leave one of them out"
              : "--conf is for policy pytorch; leave it out");
    }
    String text = conf == null && isPyTorch() ? inPolicy : conf;
    return text == null ? null : Settings.parse(text, version, policy.label());
  }

  private ParsedConfig config(TraceSource source, ParsedConfig given, PyTorchVersion version) {
    ParsedConfig recorded = Traces.recordedConfig(source, version);
    ParsedConfig config = given != null ? given : recorded != null ? recorded : noSettings(version);
    Settings.requirePossible(config, deviceOptions.profile());
    return config;
  }

  private static ParsedConfig noSettings(PyTorchVersion version) {
    return Settings.parse("", version, Scenario.PYTORCH);
  }

  /** Many passes over one program, summed up. */
  private Integer repeat(PrintWriter out) throws IOException {
    if (addresses == Addresses.RECORDED
        || insertion != null
        || check
        || eventsName != null
        || chartName != null
        || chartsName != null) {
      throw Failure.usage(
          "--repeat shows statistics and speed of modelled addresses; leave out --addresses"
              + " recorded, --insert, --check, --events, --chart and --charts");
    }
    ReplaySetup setup = setup();
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, null);
      RepeatedResult result;
      try (ProgressMeter progress = ProgressMeter.ofPasses("replaying")) {
        result =
            RepeatedResult.of(
                setup,
                Run.of(
                    setup.run(Addresses.MODELLED).repeated(repeat).keepingFailures(FAILURES_SHOWN),
                    new Passes(setup, repeat, progress)));
      }
      if (json != null) {
        JsonText.write(JsonDocument.REPLAY_REPEATED.of(result.toMap()), json.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        result.print(out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  /** Reports how many passes have begun. */
  private static final class Passes implements RunObserver {
    private final long total;
    private final ProgressMeter progress;
    private final int first;
    private long begun;

    Passes(ReplaySetup setup, long total, ProgressMeter progress) {
      this.total = total;
      this.progress = progress;
      AllocationTrace trace = setup.trace();
      int event = trace.prologueCount();
      while (event < trace.eventCount() && trace.device(event) != setup.device()) {
        event++;
      }
      first = event;
    }

    @Override
    public boolean before(int row) {
      if (row == first) {
        progress.update(begun++, total);
      }
      return true;
    }
  }

  private ChartFile chartFormat() {
    if (chartName == null) {
      return null;
    }
    ChartFile format =
        ChartFile.ofName(chartName)
            .orElseThrow(() ->
                Failure.usage(
                    "--chart "
                        + chartName
                        + " names no format; end the name in "
                        + ChartFile.EXTENSIONS));
    if (!ChartFonts.areAvailable()) {
      throw new Failure("--chart " + chartName + ": " + ChartFonts.REMEDY);
    }
    return format;
  }

  /**
   * Replays with recorded addresses where they were asked for or fit; where they turn out not to
   * fit and were not asked for, once more with modelled ones.
   */
  private ReplayReport replay(ReplaySetup setup, OutputFiles.Output events, int inserted)
      throws IOException {
    List<String> remarks = new ArrayList<>();
    if (isRecordedFirst(setup)) {
      ReplaySetup recorded = setup.withRecordedLimit();
      long startNanos = System.nanoTime();
      ReplayRun run = follow(recorded, Addresses.RECORDED, events);
      long divergedRow = run.result().divergedRow();
      if (divergedRow < 0) {
        return report(recorded, Addresses.RECORDED, run, startNanos, remarks, inserted);
      }
      String divergence =
          "from event "
              + divergedRow
              + " on the allocator does something else than in the recording";
      if (addresses == Addresses.RECORDED) {
        throw new Failure(
            traceName
                + ": "
                + divergence
                + ", so recorded addresses do not fit; leave out --addresses recorded, or give the"
                + " memory fraction of the recorded run");
      }
      remarks.add(divergence + "; the addresses of the whole replay are modelled");
      if (events != null) {
        events.restart();
      }
    }
    long startNanos = System.nanoTime();
    ReplayRun run = follow(setup, Addresses.MODELLED, events);
    return report(setup, Addresses.MODELLED, run, startNanos, remarks, inserted);
  }

  /** Whether recorded answers come first: where asked for, or with the recorded settings. */
  private boolean isRecordedFirst(ReplaySetup setup) {
    if (addresses != null) {
      return addresses == Addresses.RECORDED;
    }
    return insertion == null
        && setup.config() != null
        && setup.recording().isPresent()
        && setup.config().text().equals(setup.recording().get().config().text())
        && setup.allowsRecordedAnswers(deviceOptions.isDeviceGiven());
  }

  private static ReplayRun follow(ReplaySetup setup, Addresses source, OutputFiles.Output events)
      throws IOException {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying");
        OutputStream stream = events == null ? null : new BufferedOutputStream(events.stream());
        EventLines lines = stream == null ? null : new EventLines(stream, setup.trace())) {
      return ReplayRun.of(
          setup,
          source,
          RunObserver.hearing(lines == null ? EffectListeners.NONE : lines),
          ReplayRun.progress(setup.trace(), progress));
    }
  }

  private ReplayReport report(
      ReplaySetup setup,
      Addresses source,
      ReplayRun run,
      long startNanos,
      List<String> remarks,
      int inserted) {
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    DeviceProfile profile = setup.profile();
    int device = setup.device();
    RunResult result = run.result();
    ReplayNotes notes = new ReplayNotes(setup);
    remarks.forEach(notes::add);
    if (source == Addresses.MODELLED) {
      notes.addForModelled(result.failureCount() > 0 && !result.isStopped());
    }
    if (traceOptions.deviceIndex() == null) {
      notes.addOtherDevices();
    }
    if (result.isStopped()) {
      notes.add("the replay ended at the first request that failed, as --after-oom stop asks");
    }
    if (result.failureCount() > result.failures().size()) {
      notes.add(
          "of "
              + result.failureCount()
              + " requests that failed the first "
              + result.failures().size()
              + " are kept");
    }
    if (check) {
      notes.add("the allocator's invariants held before and after every request");
    }
    boolean isPyTorch = setup.config() != null;
    Optional<org.allocsim.workloads.source.Recording> recording = setup.recording();
    return new ReplayReport(
        traceName,
        setup.input().sha256(),
        recording.map(each -> (long) each.effects(device).count()).orElse(result.events()),
        result.requests(),
        RecordingMaps.settings(setup.input()),
        setup.choice().provider().spec().id(),
        isPyTorch ? chosenVersion().id() : null,
        isPyTorch ? setup.config().text() : null,
        isPyTorch ? Map.of() : setup.choice().options(),
        profile.name(),
        device,
        profile.totalBytes(),
        setup.limitBytes(),
        source,
        result.stats(),
        MemorySummary.format(run.stats(), device, false),
        run.fragmentation(),
        result.failures(),
        result.driverCallsByFunction(),
        result.driverNanos(),
        seconds,
        recording.map(each -> each.inferences(device)).orElse(List.of()),
        notes.toList(),
        run.timeline(),
        insertion,
        inserted,
        result.time() == null ? null : new SimulatedTime(result.time(), setup.trace()),
        run.pictures());
  }

  private static void draw(ReplayReport report, ChartFile format, OutputFiles.Output target)
      throws IOException {
    try (OutputStream out = new BufferedOutputStream(target.stream())) {
      format.write(
          memory(report, ChartTheme.LIGHT),
          MemoryTimelineChart.WIDTH,
          MemoryTimelineChart.HEIGHT,
          out);
    }
  }

  private void drawAll(ReplayReport report, OutputFiles outputs) throws IOException {
    ChartFolder folder =
        new ChartFolder(outputs, "--charts", ChartFolder.make("--charts", chartsName));
    folder.write(
        "memory",
        MemoryTimelineChart.WIDTH,
        MemoryTimelineChart.HEIGHT,
        theme -> memory(report, theme));
    report.pictures().write(report, subtitle(report), folder);
  }

  /** The chart of memory over time. */
  static JFreeChart memory(ReplayReport report, ChartTheme theme) {
    MemoryTimelineChart.Bound bound =
        report.limitBytes() >= 0
            ? new MemoryTimelineChart.Bound("limit", report.limitBytes())
            : new MemoryTimelineChart.Bound("device memory", report.deviceBytes());
    return MemoryTimelineChart.create(
        "Memory of GPU " + report.deviceIndex() + " over time",
        subtitle(report),
        report.timeline(),
        report.pictures().context(report, bound),
        theme);
  }

  private static String subtitle(ReplayReport report) {
    return Path.of(report.file()).getFileName()
        + ", "
        + report.policyLabel()
        + ", "
        + report.device()
        + ", addresses "
        + report.addresses();
  }
}
