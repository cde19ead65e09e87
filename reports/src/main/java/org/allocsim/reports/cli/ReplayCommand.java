package org.allocsim.reports.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.allocsim.reports.advice.AfterOom;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.MemoryTimelineChart;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.json.JsonText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.workloads.format.pytorch.Snapshot;
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
      "  allocsim replay snapshot.pickle --capacity 12GiB --insert empty_cache@phase-borders",
      "  allocsim replay snapshot.pickle --events - | head",
      "  allocsim replay 'program:gpt(iterations=4)' --repeat 1000 --policy cuda-async"
    })
final class ReplayCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "TRACE",
      description = "A trace; 'allocsim list formats' shows which there are.")
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

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the trace (default: recognised by content).")
  private String format;

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
      names = "--device-index",
      paramLabel = "N",
      description =
          "Which recorded GPU to replay, from 0 (default: the first one that has a history).")
  private Integer deviceIndex;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "What happens behind a request that fails: stop ends the replay, the failure is the "
              + "verdict; continue goes on as if the program had caught the error, and passes over "
              + "the frees of that request (default: continue). A request that failed in the "
              + "recording and is served now is given back at once.",
      converter = AfterOomConverter.class)
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(
      names = "--insert",
      paramLabel = "empty_cache@PLACE",
      description =
          "Replay the program as if it called torch.cuda.empty_cache() at phase-borders (where"
              + " recorded annotations begin or end), every:N (behind every N steps), before-oom"
              + " (right before what fails otherwise) or request:N (before allocation request N,"
              + " counted from 0).",
      converter = CacheInsertion.Converter.class)
  private CacheInsertion insertion;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Replay the program N times over, each time from the same start and on the cache that the"
              + " last one left, and show the statistics and the speed. The trace is held once, so"
              + " memory does not grow with N; TRACE may be program:ID or program:ID(name=value) to"
              + " generate it at once ('allocsim list programs').")
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
      description = "Draw memory over time; the name ends in .png or .svg.")
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
    if (repeat != null) {
      return repeat(out);
    }
    Path file = Inputs.require(traceName);
    try (Outputs outputs = new Outputs(out)) {
      Outputs.Output events = outputs.openIfGiven("--events", eventsName, file);
      Outputs.Output json = outputs.openIfGiven("--json", jsonName, file);
      Outputs.Output chart = outputs.openIfGiven("--chart", chartName, file);
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
  ReplayReport report(Outputs.Output events) throws IOException {
    Path file = Inputs.require(traceName);
    ParsedConfig given =
        conf == null ? null : Settings.parse(conf, deviceOptions.torchVersion(), policy.label());
    return isPyTorch() && policy.options().isEmpty() && TraceInput.isSnapshot(file, format)
        ? replaySnapshot(file, given, events)
        : replayOther(given, events);
  }

  private boolean isPyTorch() {
    return policy.provider().spec().id().equals(Scenario.PYTORCH);
  }

  /** Another allocator, or a trace that is no snapshot: requests alone, addresses modelled. */
  private ReplayReport replayOther(ParsedConfig given, Outputs.Output events) throws IOException {
    if (addresses == Addresses.RECORDED || insertion != null || check) {
      throw Failure.usage(
          "--addresses recorded, --insert and --check are for snapshots and policy pytorch without"
              + " options in parentheses; leave them out");
    }
    TraceInput input =
        TraceInput.read(traceName, format, deviceOptions.torchVersion(), deviceIndex);
    return new PolicyReplay(
            input,
            choice(input, given),
            deviceOptions.profile(),
            limitBytes(given),
            deviceOptions.torchVersion(),
            afterOom)
        .run(events);
  }

  /** Many passes over one program, summed up. */
  private Integer repeat(PrintWriter out) throws IOException {
    if (repeat < 1) {
      throw Failure.usage("--repeat " + repeat + " is less than once; give 1 or more");
    }
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
    ParsedConfig given =
        conf == null ? null : Settings.parse(conf, deviceOptions.torchVersion(), policy.label());
    TraceInput input =
        TraceInput.isProgram(traceName)
            ? TraceInput.ofProgram(traceName)
            : TraceInput.read(traceName, format, deviceOptions.torchVersion(), deviceIndex);
    RepeatedReplay replay =
        new RepeatedReplay(
            input,
            choice(input, given),
            deviceOptions.profile(),
            limitBytes(given),
            deviceOptions.torchVersion(),
            afterOom);
    try (Outputs outputs = new Outputs(out)) {
      Outputs.Output json = outputs.openIfGiven("--json", jsonName, null);
      RepeatedResult result = replay.run(repeat);
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

  /** The policy; PyTorch's without options in parentheses gets its settings. */
  private PolicyChoice choice(TraceInput input, ParsedConfig given) {
    if (isPyTorch() && policy.options().isEmpty()) {
      ParsedConfig config = given;
      if (config == null) {
        String recorded = input.conf() == null ? "" : input.conf();
        config = Settings.parse(recorded, deviceOptions.torchVersion(), policy.label());
      }
      Settings.requirePossible(config, deviceOptions.profile());
      return new PolicyChoice(
          policy.provider(),
          Map.of("conf", config.text(), "torch-version", deviceOptions.torchVersion().id()));
    }
    if (given != null) {
      throw Failure.usage("--conf is for policy pytorch; leave it out");
    }
    return policy;
  }

  private long limitBytes(ParsedConfig given) {
    return deviceOptions.limitBytes(
        given != null ? given : Settings.parse("", deviceOptions.torchVersion(), Scenario.PYTORCH));
  }

  /** PyTorch's allocator on a recorded program. */
  private ReplayReport replaySnapshot(Path file, ParsedConfig given, Outputs.Output events)
      throws IOException {
    Snapshot snapshot = Recording.readSnapshot(file);
    ParsedConfig recorded = Recording.recordedConfig(snapshot, deviceOptions.torchVersion());
    ParsedConfig config = given != null ? given : recorded;
    Settings.requirePossible(config, deviceOptions.profile());
    long limitBytes = deviceOptions.limitBytes(config);
    Recording recording =
        Recording.of(
            snapshot,
            recorded,
            deviceOptions.torchVersion(),
            limitBytes,
            deviceOptions.profile().totalBytes());
    ReplayRun.Setup setup =
        new ReplayRun.Setup(
            recording,
            recording.device(deviceIndex),
            config.allocator(),
            deviceOptions.torchVersion(),
            deviceOptions.profile(),
            limitBytes,
            afterOom,
            check);
    int inserted = 0;
    if (insertion != null) {
      CacheInsertion.Inserted changed = insertion.into(setup, traceName);
      setup = changed.setup();
      inserted = changed.calls();
    }
    return replay(setup, config, events, inserted);
  }

  private ChartFile chartFormat() {
    if (chartName == null) {
      return null;
    }
    ChartFile format =
        ChartFile.ofName(chartName)
            .orElseThrow(() ->
                Failure.usage(
                    "--chart " + chartName + " names no format; end the name in .png or .svg"));
    if (!ChartFonts.areAvailable()) {
      throw new Failure("--chart " + chartName + ": " + ChartFonts.REMEDY);
    }
    return format;
  }

  /**
   * Replays with recorded addresses where they were asked for or fit; where they turn out not to
   * fit and were not asked for, once more with modelled ones.
   */
  private ReplayReport replay(
      ReplayRun.Setup setup, ParsedConfig config, Outputs.Output events, int inserted)
      throws IOException {
    List<String> remarks = new ArrayList<>();
    if (isRecordedFirst(setup)) {
      ReplayRun.Setup recorded = setup.withRecordedLimit();
      ReplayRun run = new ReplayRun(recorded);
      long startNanos = System.nanoTime();
      follow(run, Addresses.RECORDED, events);
      if (run.divergedRow() < 0) {
        return report(recorded, config, Addresses.RECORDED, run, startNanos, remarks, inserted);
      }
      String divergence =
          "from event "
              + run.divergedRow()
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
    ReplayRun run = new ReplayRun(setup);
    run.keepPace(driverNanosByRow(setup));
    long startNanos = System.nanoTime();
    follow(run, Addresses.MODELLED, events);
    return report(setup, config, Addresses.MODELLED, run, startNanos, remarks, inserted);
  }

  /** What the driver calls of the recorded allocator took of each recorded gap, by the model. */
  private static long[] driverNanosByRow(ReplayRun.Setup setup) {
    return RecordedDriverTime.of(
        setup.recording().trace(),
        setup.deviceIndex(),
        setup.recording().config().text(),
        setup.profile().withHistory(setup.recording().addressHistory(setup.deviceIndex())),
        setup.version());
  }

  /** Whether recorded answers come first: where asked for, or with the recorded settings. */
  private boolean isRecordedFirst(ReplayRun.Setup setup) {
    if (addresses != null) {
      return addresses == Addresses.RECORDED;
    }
    return insertion == null
        && (conf == null || conf.equals(setup.recording().config().text()))
        && setup.allowsRecordedAnswers(deviceOptions.isDeviceGiven());
  }

  private static void follow(ReplayRun run, Addresses source, Outputs.Output events)
      throws IOException {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying");
        OutputStream stream = events == null ? null : new BufferedOutputStream(events.stream());
        EventLines lines = stream == null ? null : new EventLines(stream, run.trace())) {
      run.on(source, lines == null ? EffectListeners.NONE : lines, progress);
    }
  }

  private ReplayReport report(
      ReplayRun.Setup setup,
      ParsedConfig config,
      Addresses source,
      ReplayRun run,
      long startNanos,
      List<String> remarks,
      int inserted) {
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    Recording recording = setup.recording();
    DeviceProfile profile = setup.profile();
    int device = setup.deviceIndex();
    ReplayNotes notes = new ReplayNotes(setup, config);
    remarks.forEach(notes::add);
    if (source == Addresses.MODELLED) {
      notes.addForModelled(run.failures().count() > 0 && !run.isStopped());
    }
    if (deviceIndex == null) {
      notes.addOtherDevices();
    }
    if (run.isStopped()) {
      notes.add("the replay ended at the first request that failed, as --after-oom stop asks");
    }
    if (check) {
      notes.add("the allocator's invariants held before and after every request");
    }
    return new ReplayReport(
        traceName,
        recording.snapshot().sha256(),
        recording.effects(device).count(),
        run.failures().requestCount(),
        Recording.settings(recording.snapshot()),
        Scenario.PYTORCH,
        setup.version().id(),
        config.text(),
        Map.of(),
        profile.name(),
        device,
        profile.totalBytes(),
        setup.limitBytes(),
        source,
        run.stats().toMap(),
        MemorySummary.format(run.stats(), device, false),
        run.fragmentation(),
        run.failures().kept(),
        run.driverCalls(),
        run.driverNanos(),
        seconds,
        recording.inferences(device),
        notes.toList(),
        run.timeline(),
        insertion,
        inserted,
        run.time() == null ? null : new SimulatedTime(run.time(), run.trace()),
        run.pictures());
  }

  private static void draw(ReplayReport report, ChartFile format, Outputs.Output target)
      throws IOException {
    try (OutputStream out = new BufferedOutputStream(target.stream())) {
      format.write(
          memory(report, ChartTheme.LIGHT),
          MemoryTimelineChart.WIDTH,
          MemoryTimelineChart.HEIGHT,
          out);
    }
  }

  private void drawAll(ReplayReport report, Outputs outputs) throws IOException {
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
