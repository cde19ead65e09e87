package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.analysis.share.CommonClock;
import org.allocsim.analysis.share.SharedGpu;
import org.allocsim.analysis.share.SharedGpu.LimitRange;
import org.allocsim.analysis.share.SharedTimeline;
import org.allocsim.analysis.share.SharingProgram;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.share.ShareAnswer;
import org.allocsim.reports.chart.memory.SharedMemoryChart;
import org.allocsim.reports.chart.memory.SharedMemoryData;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TenantOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.SharedObserver;
import org.allocsim.simulator.run.SharedResult;
import org.allocsim.workloads.source.DeviceTrace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim share}: several processes on one GPU. */
@Command(
    name = "share",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs several processes on one GPU: which fails first, and who holds the memory.",
      "",
      "Each process has its own trace, allocator, limit and context; what all hold is taken from",
      "one memory. Requests come in the order of their times. Recordings that were made at the"
          + " same",
      "time keep their clocks; other traces start together, or when start says. A trace without",
      "times takes as long as the longest other.",
      "",
      "After a comma, a trace may have settings of its own:",
      "",
      "  name=TEXT              what to call the process (default: the file's name)",
      "  policy=ID(...)         its allocator (default: PyTorch's)",
      "  conf=SETTINGS          settings of PyTorch's allocator (default: the recorded ones)",
      "  memory-limit=SIZE      its allocator's limit, or memory-fraction=F",
      "  mps-limit=SIZE         its limit as a client of Multi-Process Service",
      "  context=SIZE           context of the process",
      "  other=SIZE             what else it holds: NCCL, libraries, modules",
      "  start=SECONDS          when it starts",
      "  end=exit|hold          whether it gives everything back after its last request (default:",
      "                         hold)"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, every request is served",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:a request fails, or there is no room for a context"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim share trainer.pickle engine.pickle --device h200",
      "  allocsim share train.pickle,conf=expandable_segments:True eval.pickle,start=30,end=exit",
      "  allocsim share a.pickle,memory-fraction=0.5 b.pickle --device 'h100-80gb 3g.40gb'",
      "  allocsim share a.pickle,other=1.2GiB b.pickle --smallest --limits --json share.json"
    })
final class ShareCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String PROGRAM = "program:";

  /**
   * What the driver keeps once a GPU is in use, which is in the context of a profile: the second
   * process of an H200 has so much more than the first (driver 580.159.04).
   */
  private static final long KEPT_BYTES = 3_342_336;

  /**
   * Memory of the server of Multi-Process Service, and what a client's context lacks beside one
   * without it (H200, driver 580.159.04). NVIDIA's guide to MPS says that since Volta the saving is
   * small, as clients are isolated from each other.
   */
  private static final long MPS_SERVER_BYTES = 64L << 20;

  private static final long MPS_SAVED_BYTES = 6_946_816;

  /**
   * What of a client's context counts against its limit: a Tesla T4 reports 1 GiB and 4 GiB less as
   * much as free to a client with these limits that has allocated nothing, and its whole memory as
   * total (a public note on {@code CUDA_MPS_PINNED_DEVICE_MEM_LIMIT}). Other GPUs may differ.
   */
  private static final long MPS_COUNTED_BYTES = 24_252_432;

  @Parameters(
      paramLabel = "TRACE[,SETTING=VALUE...]",
      arity = "1..*",
      description =
          TraceOptions.TRACE
              + " Of a folder with the recordings of a job's ranks, each is a process.")
  private List<String> texts;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      description =
          "Context of each process that has no setting of its own (default: what a bare context"
              + " takes on the GPU).",
      converter = SizeConverter.class)
  private Long contextBytes;

  @Option(
      names = "--mps",
      description =
          "The processes are clients of Multi-Process Service: contexts are smaller, and its server"
              + " has one; sizes as measured on an H200.")
  private boolean mps;

  @Option(
      names = "--mps-limit",
      paramLabel = "SIZE",
      description =
          "Device memory that the driver lets each client have, as"
              + " set_default_device_pinned_mem_limit and CUDA_MPS_PINNED_DEVICE_MEM_LIMIT do; a"
              + " client may have a lower limit of its own, no higher one.",
      converter = SizeConverter.class)
  private Long mpsLimitBytes;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "What a process does after a request that fails: stop ends it, and it gives everything"
              + " back; continue goes on as if the program had caught the error (default:"
              + " continue).")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(names = "--smallest", description = "Look for the smallest GPU on which all run.")
  private boolean findsSmallest;

  @Option(
      names = "--limits",
      description =
          "Look for the lowest and the highest limit of each process's allocator with which all"
              + " run.")
  private boolean findsLimits;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  /**
   * A process before its place on the common clock is known.
   *
   * @param version the release whose rules apply to it
   */
  private record Given(
      TenantOption option, DeviceTrace input, PyTorchVersion version, ParsedConfig conf) {}

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    if (outputOptions.isByEvent()) {
      throw Failure.usage("--figure: the processes' events have no order but time; leave axis out");
    }
    List<TenantOption> options = options();
    Path[] files = options.stream().map(option -> Traces.file(option.trace())).toArray(Path[]::new);
    try (DocumentOutputs outputs = outputOptions.open(files)) {
      long startNanos = System.nanoTime();
      List<Given> given = options.stream().map(this::read).toList();
      DeviceProfile gpu = gpu(given.getFirst());
      CommonClock clock = CommonClock.of(given.stream().map(Given::input).toList());
      SharedGpu shared = new SharedGpu(programs(given, gpu, clock), gpu, afterOom);
      ChartFolder charts = outputs.charts();
      SharedTimeline timeline = new SharedTimeline(given.size());
      SharedResult result = shared.run(charts == null ? SharedObserver.NONE : timeline);
      ShareAnswer answer =
          new ShareAnswer(
              shared,
              result,
              findsLimits ? limits(shared) : List.of(),
              findsSmallest ? (Long) shared.smallestBytes() : null,
              clock.isRecorded(),
              (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
      if (charts == null) {
        outputs.write(answer.document(null));
      } else {
        SharedMemoryData memory = answer.memory(timeline);
        charts.write(
            "shared",
            SharedMemoryChart.WIDTH,
            SharedMemoryChart.HEIGHT,
            theme -> answer.chart(memory, theme));
        outputs.write(answer.document(memory));
      }
      return result.passes() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private List<TenantOption> options() {
    List<TenantOption> options = new ArrayList<>();
    for (String text : texts) {
      TenantOption option = TenantOption.parse(text);
      if (!Jobs.isFolder(option.trace())) {
        options.add(option);
        continue;
      }
      for (Path file : Jobs.recordings(option.trace())) {
        options.add(new TenantOption(file.toString(), option.values()));
      }
    }
    return options;
  }

  private Given read(TenantOption option) {
    DeviceTrace input = traceOptions.read(option.trace(), deviceOptions.release());
    PyTorchVersion version = deviceOptions.torchVersion();
    String conf = option.value("conf").orElse(input.conf() == null ? "" : input.conf());
    return new Given(
        option, input, version, Settings.parse("conf", conf, version, Scenario.PYTORCH));
  }

  private DeviceProfile gpu(Given first) {
    DeviceProfile gpu =
        deviceOptions.isDeviceGiven()
            ? deviceOptions.profile()
            : RecordedGpu.of(first.input().opened().source());
    // A capacity is what is free before the first process.
    return gpu.contextBytes() == 0
        ? gpu.withTotal(Math.max(gpu.totalBytes(), DeviceProfile.CONTEXT_BYTES))
            .withContext(DeviceProfile.CONTEXT_BYTES)
        : gpu;
  }

  private List<SharingProgram> programs(List<Given> given, DeviceProfile gpu, CommonClock clock) {
    List<SharingProgram> programs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Given each : given) {
      SharingProgram program = program(each, gpu, clock.startNanos().get(programs.size()), names);
      if (program.fixedBytes() > gpu.totalBytes()) {
        throw Failure.usage(
            "%s: a context of %d bytes is larger than %s; give a smaller context, or another"
                    .formatted(program.name(), program.fixedBytes(), gpu.name())
                + " --device");
      }
      programs.add(program);
    }
    return programs;
  }

  private SharingProgram program(
      Given given, DeviceProfile gpu, long clockNanos, Set<String> names) {
    TenantOption option = given.option();
    String name = option.value("name").orElseGet(() -> fileName(option.trace()));
    for (int number = 2; !names.add(name); number++) {
      name = option.value("name").orElseGet(() -> fileName(option.trace())) + " " + number;
    }
    PolicyChoice choice =
        option.policy().orElseGet(() -> Settings.pytorch(given.conf(), given.version()));
    return new SharingProgram(
        name,
        given.input(),
        choice,
        limitBytes(given, gpu),
        option
            .bytes("context")
            .orElseGet(() -> contextBytes == null ? contextBytes(gpu, names.size()) : contextBytes),
        option.bytes("other").orElse(0L),
        option.startNanos().orElse(clockNanos),
        option.exits(),
        roomBytes(option, name));
  }

  /** What a client's limit leaves beside its context and libraries; −1 where it has none. */
  private long roomBytes(TenantOption option, String name) {
    Long own = option.bytes("mps-limit").orElse(mpsLimitBytes);
    if (own == null) {
      return -1;
    }
    if (!mps) {
      throw Failure.usage("mps-limit is for clients of Multi-Process Service; add --mps");
    }
    long limit = mpsLimitBytes == null ? own : Math.min(own, mpsLimitBytes);
    long room = limit - MPS_COUNTED_BYTES - option.bytes("other").orElse(0L);
    if (room < 0) {
      throw Failure.usage(
          "%s: a limit of %d bytes has no room for its context and libraries; give a larger"
                  .formatted(name, limit)
              + " mps-limit");
    }
    return room;
  }

  /** The context of the process with a number from 1. */
  private long contextBytes(DeviceProfile gpu, int number) {
    long bare = gpu.contextBytes() - (number == 1 ? 0 : KEPT_BYTES);
    long changed = !mps ? bare : number == 1 ? bare + MPS_SERVER_BYTES : bare - MPS_SAVED_BYTES;
    return Math.max(0, changed);
  }

  private long limitBytes(Given given, DeviceProfile gpu) {
    TenantOption option = given.option();
    if (option.bytes("memory-limit").isPresent()) {
      return option.bytes("memory-limit").get();
    }
    if (option.fraction().isPresent()) {
      try {
        return MemoryLimit.ofFraction(option.fraction().get(), gpu.totalBytes(), given.version());
      } catch (ConfigException e) {
        throw Failure.usage("memory-fraction: " + e.getMessage());
      }
    }
    RecordedCircumstances circumstances = deviceOptions.circumstances(given.input(), given.conf());
    return circumstances.limitBytes();
  }

  private static String fileName(String trace) {
    if (trace.startsWith(PROGRAM)) {
      String program = trace.substring(PROGRAM.length());
      int options = program.indexOf('(');
      return options < 0 ? program : program.substring(0, options);
    }
    String file = String.valueOf(Path.of(trace).getFileName());
    int dot = file.indexOf('.');
    return dot <= 0 ? file : file.substring(0, dot);
  }

  private static List<LimitRange> limits(SharedGpu shared) {
    List<LimitRange> limits = new ArrayList<>();
    try (ProgressMeter progress = ProgressMeter.of("searching", "limits")) {
      for (int program = 0; program < shared.programs().size(); program++) {
        limits.add(shared.limits(program));
        progress.update(limits.size(), shared.programs().size());
      }
    }
    return limits;
  }
}
