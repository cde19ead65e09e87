package org.allocsim.reports.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.job.CapacityJob;
import org.allocsim.reports.answer.tuning.CapacityAnswer;
import org.allocsim.reports.chart.comparison.FrontierChart;
import org.allocsim.reports.chart.comparison.FrontierData;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim min-capacity}: the smallest device on which a program runs. */
@Command(
    name = "min-capacity",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Finds the smallest device on which a recorded program runs.",
      "",
      "For each allocator and setting: the minimum memory with which every request is served,"
          + " exact",
      "in steps of 2 MiB, and the ready GPUs that are large enough. A capacity is what is free",
      "before the first allocation; the sizes of GPUs include the context. Requests that failed",
      "in the recording must be served too; they are given back at once.",
      "",
      "A program that runs on one device may fail on a slightly larger one, because the allocator",
      "releases cached memory when it runs short: the 8 steps below and above the answer are tried",
      "as well, and failures above it are reported. With --report a chart, frontier, shows which",
      "allocator runs the program on which GPU.",
      "",
      "Of a folder with the recordings of a job's ranks: the smallest device on which every rank"
          + " runs."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:under an allocator or setting, requests fail on every device: the limit is too small"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim min-capacity snapshot.pickle",
      "  allocsim min-capacity ranks/",
      "  allocsim min-capacity snapshot.pickle --policies all --csv capacity.csv",
      "  allocsim min-capacity snapshot.pickle --confs \";expandable_segments:True\"",
      "  allocsim min-capacity snapshot.pickle --memory-fraction 0.9 --json capacity.json"
    })
final class MinCapacityCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final List<String> USUAL =
      List.of(
          "", "expandable_segments:True", "max_split_size_mb:128", "roundup_power2_divisions:8");

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Scenario.PYTORCH);

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of pytorch, separated by semicolons; an empty one is PyTorch's default"
              + " (default: the recorded and some usual ones).")
  private String confs;

  @Option(
      names = "--memory-fraction",
      paramLabel = "F",
      description = "The allocator may reserve this share of each device that is tried.",
      converter = FractionConverter.class)
  private Double fraction;

  @Mixin private TorchVersionOption version;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    outputOptions.requireNoTime();
    List<PolicyChoice> choices = choices();
    if (confs != null && choices.stream().noneMatch(MinCapacityCommand::takesConf)) {
      throw Failure.usage("--confs is for policy pytorch; add it to --policies, or leave it out");
    }
    if (Jobs.isFolder(traceName)) {
      return JobRun.of(outputOptions, name -> answer(name, choices))
          .onAllCores()
          .run(traceName, new CapacityJob((rank, bytes) -> smallestFrom(rank, choices, bytes)));
    }
    try (DocumentOutputs outputs = outputOptions.open(Traces.file(traceName))) {
      CapacityAnswer answer = answer(traceName, choices);
      if (answer.results().isEmpty()) {
        return ExitCodes.FAILED;
      }
      ChartFolder charts = outputs.charts();
      if (charts != null) {
        FrontierData frontier = answer.frontier();
        charts.write(
            "frontier",
            FrontierChart.WIDTH,
            FrontierChart.height(frontier),
            theme -> answer.chart(frontier, theme, FrontierChart.WIDTH));
      }
      outputs.write(answer.document(charts != null));
      boolean allFound = answer.results().stream().allMatch(result -> result.capacityBytes() >= 0);
      return allFound ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  /** The answer to one recording; without results where the process is asked to stop. */
  private CapacityAnswer answer(String name, List<PolicyChoice> choices) {
    DeviceTrace input = traceOptions.read(name, version);
    List<ParsedConfig> settings =
        confs == null
            ? usual(input.conf() == null ? "" : input.conf())
            : parse(ConfListOptions.split(confs));
    List<Function<DeviceProfile, Scenario>> scenarios =
        scenarios(choices, settings, version.version());
    List<String> leftOut = new ArrayList<>();
    scenarios.removeIf(each ->
        each.apply(DeviceProfiles.defaultProfile())
            .obstacle(input.trace(), input.device())
            .filter(leftOut::add)
            .isPresent());
    if (scenarios.isEmpty()) {
      throw new Failure(name + ": " + String.join("; ", leftOut));
    }
    EarlyEnd.begin();
    long startNanos = System.nanoTime();
    List<CapacitySearch.Result> results = search(input, scenarios);
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return answer(name, input, choices, results, leftOut, seconds);
  }

  /** Replays a rank on sizes that others need, under settings that were tried on it. */
  private Map<CapacityJob.Setting, Long> smallestFrom(
      Rank rank, List<PolicyChoice> choices, Map<CapacityJob.Setting, Long> bytes) {
    DeviceTrace input = traceOptions.read(rank.file().toString(), version);
    AddressHistory addresses = input.addresses();
    PyTorchVersion release = version.version();
    Map<CapacityJob.Setting, Long> sizes = new LinkedHashMap<>();
    bytes.forEach((setting, from) -> {
      PolicyChoice choice =
          choices.stream()
              .filter(each -> each.label().equals(setting.policy()))
              .findFirst()
              .orElseThrow();
      ParsedConfig config = parse(setting.conf() == null ? "" : setting.conf());
      sizes.put(
          setting,
          CapacitySearch.smallestFrom(
              input.trace(),
              input.device(),
              profile -> scenario(choice, config, profile.withHistory(addresses), release),
              from));
    });
    return sizes;
  }

  private List<PolicyChoice> choices() {
    List<PolicyChoice> choices = policyOptions.choices();
    if (choices.stream().anyMatch(each -> each.options().containsKey("torch-version"))) {
      throw Failure.usage(
          "--policies "
              + policyOptions.text()
              + ": give the release with --torch-version, for all settings");
    }
    return choices;
  }

  private static boolean takesConf(PolicyChoice choice) {
    return Scenario.takesConf(choice.provider().spec());
  }

  private List<ParsedConfig> parse(List<String> texts) {
    List<ParsedConfig> configs = texts.stream().distinct().map(this::parse).toList();
    configs.forEach(config -> Settings.requirePossible(config, DeviceProfiles.defaultProfile()));
    return configs;
  }

  private ParsedConfig parse(String text) {
    return Settings.parse("--confs", text, version.version(), Scenario.PYTORCH);
  }

  private List<ParsedConfig> usual(String recorded) {
    SequencedSet<String> texts = new LinkedHashSet<>(List.of(recorded));
    for (String text : USUAL) {
      if (text.isEmpty() || version.version().knowsKey(text.substring(0, text.indexOf(':')))) {
        texts.add(text);
      }
    }
    return parse(List.copyOf(texts));
  }

  /** PyTorch's allocator under each setting, or under its own; the others with their options. */
  private List<Function<DeviceProfile, Scenario>> scenarios(
      List<PolicyChoice> choices, List<ParsedConfig> configs, PyTorchVersion release) {
    List<Function<DeviceProfile, Scenario>> scenarios = new ArrayList<>();
    for (PolicyChoice choice : choices) {
      String own = choice.options().get("conf");
      if (!takesConf(choice) || own != null) {
        ParsedConfig config = parse(own == null ? "" : own);
        scenarios.add(profile -> scenario(choice, config, profile, release));
      } else {
        configs.forEach(
            config -> scenarios.add(profile -> scenario(choice, config, profile, release)));
      }
    }
    return scenarios;
  }

  private Scenario scenario(
      PolicyChoice choice, ParsedConfig config, DeviceProfile profile, PyTorchVersion release) {
    long limitBytes = Scenario.limit(config, release, limitBytes(profile, release), profile);
    return new Scenario(choice, config, release, limitBytes, profile);
  }

  private static List<CapacitySearch.Result> search(
      DeviceTrace input, List<Function<DeviceProfile, Scenario>> scenarios) {
    AddressHistory addresses = input.addresses();
    try (ProgressMeter progress = ProgressMeter.of("searching", "settings")) {
      List<Function<DeviceProfile, Scenario>> onKnownAddresses = new ArrayList<>();
      scenarios.forEach(scenario ->
          onKnownAddresses.add(profile -> scenario.apply(profile.withHistory(addresses))));
      return CapacitySearch.run(input.trace(), input.device(), onKnownAddresses, progress::update);
    }
  }

  private long limitBytes(DeviceProfile profile, PyTorchVersion release) {
    if (fraction == null) {
      return MemoryLimit.NONE;
    }
    try {
      return MemoryLimit.ofFraction(fraction, profile.totalBytes(), release);
    } catch (ConfigException e) {
      throw Failure.usage("--memory-fraction: " + e.getMessage());
    }
  }

  private CapacityAnswer answer(
      String name,
      DeviceTrace input,
      List<PolicyChoice> choices,
      List<CapacitySearch.Result> results,
      List<String> leftOut,
      double seconds) {
    return new CapacityAnswer(
        name,
        input.sha256(),
        input.format(),
        input.device(),
        version.version(),
        choices.stream().map(PolicyChoice::label).toList(),
        fraction,
        input.conf(),
        results,
        leftOut,
        seconds);
  }
}
