package org.allocsim.reports.question.tuning;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Function;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.job.CapacityJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.tuning.CapacityAnswer;
import org.allocsim.reports.chart.comparison.FrontierChart;
import org.allocsim.reports.chart.comparison.FrontierData;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * Which is the smallest device on which a program runs? A fraction among the conditions is that of
 * each device that is tried.
 *
 * @param policies the allocators
 * @param confs settings of PyTorch's; null for the recorded and some usual ones
 */
public record CapacityQuestion(List<PolicyChoice> policies, @Nullable List<String> confs)
    implements JobQuestion<CapacityAnswer>, DrawnQuestion<CapacityAnswer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final List<String> USUAL =
      List.of(
          "", "expandable_segments:True", "max_split_size_mb:128", "roundup_power2_divisions:8");

  /** Refuses settings that no allocator takes, and a release for one of several. */
  public CapacityQuestion {
    for (PolicyChoice each : policies) {
      if (each.options().containsKey(Program.VERSION_OPTION)) {
        throw Failure.usage(
            "--policies "
                + each.label()
                + ": give the release for all settings with --torch-version");
      }
    }
    if (confs != null && policies.stream().noneMatch(CapacityQuestion::takesConf)) {
      throw Failure.usage("--confs needs policy pytorch; add it to --policies, or omit --confs");
    }
  }

  private static boolean takesConf(PolicyChoice choice) {
    return Scenario.takesConf(choice.provider().spec());
  }

  /** The answer to one recording; without results where the process is asked to stop. */
  @Override
  public CapacityAnswer ask(Asked asked) {
    String name = asked.trace().name();
    Program program = asked.trace().program();
    DeviceTrace input = program.input();
    List<ParsedConfig> settings = confs == null ? usual(program) : parse(confs, program.release());
    List<Function<DeviceProfile, Scenario>> scenarios = scenarios(policies, settings, program);
    List<String> skipped = new ArrayList<>();
    scenarios.removeIf(each ->
        each.apply(DeviceProfiles.defaultProfile())
            .obstacle(input.trace(), input.device())
            .filter(skipped::add)
            .isPresent());
    if (scenarios.isEmpty()) {
      throw new Failure(name + ": " + String.join("; ", skipped));
    }
    asked.mayEndEarly();
    long startNanos = System.nanoTime();
    List<CapacitySearch.Result> results = search(input, scenarios);
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return new CapacityAnswer(
        name,
        input.sha256(),
        input.format(),
        input.device(),
        program.release(),
        policies.stream().map(PolicyChoice::label).toList(),
        asked.trace().conditions().limit() instanceof Conditions.Limit.Fraction(double ratio)
            ? ratio
            : null,
        input.conf(),
        results,
        skipped,
        seconds);
  }

  /** Replays a rank on sizes that others need, under settings that were tried on it. */
  private Map<CapacityJob.Setting, Long> smallestFrom(
      Program program, Map<CapacityJob.Setting, Long> bytes) {
    DeviceTrace input = program.input();
    AddressHistory addresses = input.addresses();
    Map<CapacityJob.Setting, Long> sizes = new LinkedHashMap<>();
    bytes.forEach((setting, from) -> {
      PolicyChoice choice =
          policies.stream()
              .filter(each -> each.label().equals(setting.policy()))
              .findFirst()
              .orElseThrow();
      ParsedConfig config = parse(setting.conf() == null ? "" : setting.conf(), program.release());
      sizes.put(
          setting,
          CapacitySearch.smallestFrom(
              input.trace(),
              input.device(),
              profile -> scenario(choice, config, profile.withHistory(addresses), program),
              from));
    });
    return sizes;
  }

  private static List<ParsedConfig> parse(List<String> texts, PyTorchVersion release) {
    List<ParsedConfig> configs =
        texts.stream().distinct().map(text -> parse(text, release)).toList();
    configs.forEach(config -> Traces.requirePossible(config, DeviceProfiles.defaultProfile()));
    return configs;
  }

  private static ParsedConfig parse(String text, PyTorchVersion release) {
    return Traces.settings(text, release);
  }

  private static List<ParsedConfig> usual(Program program) {
    SequencedSet<String> texts = new LinkedHashSet<>(List.of(program.config().text()));
    for (String text : USUAL) {
      if (text.isEmpty() || program.release().knowsKey(text.substring(0, text.indexOf(':')))) {
        texts.add(text);
      }
    }
    return parse(List.copyOf(texts), program.release());
  }

  /** PyTorch's allocator under each setting, or under its own; the others with their options. */
  private static List<Function<DeviceProfile, Scenario>> scenarios(
      List<PolicyChoice> choices, List<ParsedConfig> configs, Program program) {
    List<Function<DeviceProfile, Scenario>> scenarios = new ArrayList<>();
    for (PolicyChoice choice : choices) {
      String own = choice.options().get("conf");
      if (!takesConf(choice) || own != null) {
        ParsedConfig config = parse(own == null ? "" : own, program.release());
        scenarios.add(profile -> scenario(choice, config, profile, program));
      } else {
        configs.forEach(
            config -> scenarios.add(profile -> scenario(choice, config, profile, program)));
      }
    }
    return scenarios;
  }

  private static Scenario scenario(
      PolicyChoice choice, ParsedConfig config, DeviceProfile profile, Program program) {
    return new Scenario(
        choice, config, program.release(), program.limitBytes(config, profile), profile);
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

  @Override
  public boolean isAnswered(CapacityAnswer answer) {
    return !answer.results().isEmpty();
  }

  @Override
  public Document<?> document(CapacityAnswer answer) {
    return answer.document(false);
  }

  @Override
  public Document<?> drawnDocument(CapacityAnswer answer) {
    return answer.document(true);
  }

  @Override
  public boolean holds(CapacityAnswer answer) {
    return answer.results().stream().allMatch(result -> result.capacityBytes() >= 0);
  }

  @Override
  public void draw(CapacityAnswer answer, DocumentOutputs outputs) throws IOException {
    ChartFolder charts = outputs.charts();
    if (charts != null) {
      FrontierData frontier = answer.frontier();
      charts.write(
          "frontier",
          FrontierChart.WIDTH,
          FrontierChart.height(frontier),
          theme -> answer.chart(frontier, theme, FrontierChart.WIDTH));
    }
  }

  @Override
  public JobView<CapacityAnswer, ?, ?> view(AskedJobs jobs) {
    return new CapacityJob((rank, bytes) -> smallestFrom(jobs.again().apply(rank).program(), bytes))
        .onAllCores();
  }
}
