package org.allocsim.reports.cli;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.job.ReplayJob;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.reports.answer.replay.RepeatedAnswer;
import org.allocsim.reports.answer.replay.ReplayAnswer;
import org.allocsim.reports.answer.replay.ReplayPictures;
import org.allocsim.reports.answer.replay.ReplayRequest;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.cli.option.CacheInsertionConverter;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.PolicyChoiceConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
      "settings, another device or a capacity, from the simulated device. Of a folder with the",
      "recordings of a job's ranks every rank is replayed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim replay snapshot.pickle",
      "  allocsim replay snapshot.pickle.xz --memory-fraction 0.9 --chart memory.svg",
      "  allocsim replay snapshot.pickle --conf expandable_segments:True --capacity 24GiB",
      "  allocsim replay snapshot.pickle --memory-limit 20GiB --after-oom stop",
      "  allocsim replay snapshot.pickle --capacity 12GiB --insert empty_cache@phase-boundaries",
      "  allocsim replay ranks/ --conf expandable_segments:True",
      "  allocsim replay snapshot.pickle --events - | head",
      "  allocsim replay 'program:gpt(iterations=4)' --repeat 1000 --policy cuda-async"
    })
final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
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
              + " and device, else modelled).")
  private Addresses addresses;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "What happens after a request that fails: stop ends the replay, the failure is the "
              + "verdict; continue goes on as if the program had caught the error, and passes over "
              + "the frees of that request (default: continue). A request that failed in the "
              + "recording and is served now is given back at once.")
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

  @Mixin private FigureOptions outputOptions;

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
    ChartFile chartFormat = FigureOptions.format(chartName);
    outputOptions.requireCharts(
        chartName != null || chartsName != null,
        "--chart FILE, --charts DIR or --report DIR, or leave it out");
    if (insertion != null && addresses == Addresses.RECORDED) {
      throw Failure.usage(
          "--insert changes the program, so recorded addresses do not fit; leave out --addresses");
    }
    if (repeat != null && repeat < 1) {
      throw Failure.usage("--repeat " + repeat + " is less than once; give 1 or more");
    }
    boolean isRepeated = repeat != null && repeat > 1;
    if (isRepeated) {
      requireRepeatable();
    }
    if (Jobs.isFolder(traceName)) {
      return replayJob();
    }
    try (DocumentOutputs outputs = outputOptions.open(Traces.file(traceName))) {
      if (isRepeated) {
        outputs.write(RepeatedAnswer.of(setup(traceName), repeat).document());
        return ExitCodes.DONE;
      }
      OutputFiles.Output events = outputs.open("--events", eventsName);
      OutputFiles.Output chart = outputs.open("--chart", chartName);
      ChartFolder folder = outputs.charts("--charts", chartsName);
      ReplayAnswer answer = answer(traceName, events);
      ReplayPictures pictures = new ReplayPictures(answer);
      if (chart != null && chartFormat != null) {
        outputOptions.draw(
            pictures.memory(ChartTheme.LIGHT, outputOptions.isByEvent()),
            MemoryTimelineChart.WIDTH,
            MemoryTimelineChart.HEIGHT,
            chartFormat,
            chart);
      }
      for (ChartFolder each : Arrays.asList(folder, outputs.charts())) {
        if (each != null) {
          pictures.write(each);
        }
      }
      outputs.write(answer.document(), () -> List.of(answer.pageRun()));
    }
    return ExitCodes.DONE;
  }

  /**
   * Replays the program once.
   *
   * @param events gets every effect as a line, or null
   */
  ReplayAnswer answer(String name, OutputFiles.@Nullable Output events) throws IOException {
    return new ReplayRequest(
            setup(name),
            addresses,
            deviceOptions.isDeviceGiven(),
            traceOptions.deviceIndex() != null,
            insertion)
        .replay(events);
  }

  private int replayJob() throws IOException {
    if (repeat != null || eventsName != null || chartName != null || chartsName != null) {
      throw Failure.usage(
          traceName
              + " is the folder of a job, and --repeat, --events, --chart and --charts are for one"
              + " recording; give the file of one rank");
    }
    return JobRun.of(outputOptions, name -> answer(name, null))
        .showing(answer -> List.of(answer.pageRun()))
        .run(traceName, new ReplayJob());
  }

  private void requireRepeatable() {
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
  }

  /** What is replayed, and how. */
  private ReplaySetup setup(String name) {
    TraceSource source = traceOptions.open(name);
    deviceOptions.release().follow(source);
    PyTorchVersion version = chosenVersion();
    ParsedConfig given = givenConfig(version);
    ParsedConfig config = isPyTorch() ? config(source, given, version) : null;
    long limitBytes =
        deviceOptions.limitBytes(config == null ? noSettings(version) : config, source);
    OpenedTrace input =
        Traces.read(
            source, new ReadingOptions(version, limitBytes, deviceOptions.profile().totalBytes()));
    if (!isPyTorch() && (addresses == Addresses.RECORDED || check)) {
      throw Failure.usage(
          "--addresses recorded and --check are for policy pytorch; leave them out");
    }
    if (addresses == Addresses.RECORDED && input.recording().isEmpty()) {
      throw Failure.usage(name + " holds no recorded addresses; leave out --addresses recorded");
    }
    int device = Traces.device(input, traceOptions.deviceIndex());
    RecordedCircumstances circumstances =
        deviceOptions.circumstances(
            new DeviceTrace(input, device), config == null ? noSettings(version) : config);
    return new ReplaySetup(
        input,
        device,
        config != null ? Settings.pytorch(config, version) : policy,
        config,
        circumstances.profile(),
        circumstances.limitBytes(),
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
  private @Nullable ParsedConfig givenConfig(PyTorchVersion version) {
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

  private ParsedConfig config(
      TraceSource source, @Nullable ParsedConfig given, PyTorchVersion version) {
    ParsedConfig recorded = Traces.recordedConfig(source, version);
    ParsedConfig config = given != null ? given : recorded != null ? recorded : noSettings(version);
    Settings.requirePossible(config, deviceOptions.profile());
    return config;
  }

  private static ParsedConfig noSettings(PyTorchVersion version) {
    return Settings.parse("", version, Scenario.PYTORCH);
  }
}
