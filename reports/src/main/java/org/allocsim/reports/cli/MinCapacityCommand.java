package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.allocsim.reports.advice.CapacitySearch;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.json.JsonText;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.pytorch.Snapshot;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim min-capacity}: the smallest device on which a program runs. */
@Command(
    name = "min-capacity",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Finds the smallest device on which a recorded program runs.",
      "",
      "For each allocator and setting: the least memory with which every request is served, exact",
      "in steps of 2 MiB, and the ready cards that are large enough. A capacity is what is free",
      "before the first allocation; the sizes of cards include the context. Requests that failed",
      "in the recording must be served too; they are given back at once.",
      "",
      "A program that runs on one device may fail on a slightly larger one, because the allocator",
      "releases cached memory when it runs short: the 8 steps below and above the answer are tried",
      "as well, and failures above it are told."
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
      "  allocsim min-capacity snapshot.pickle --policies all",
      "  allocsim min-capacity snapshot.pickle --confs \";expandable_segments:True\"",
      "  allocsim min-capacity snapshot.pickle --memory-fraction 0.9 --json capacity.json"
    })
final class MinCapacityCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final List<String> USUAL =
      List.of(
          "", "expandable_segments:True", "max_split_size_mb:128", "roundup_power2_divisions:8");

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = "Snapshot of a PyTorch program.")
  private String traceName;

  @Option(
      names = "--policies",
      paramLabel = "all|ID,ID",
      description =
          "Allocators; 'allocsim list policies' shows them. Settings are for pytorch; the others"
              + " have their defaults (default: pytorch).",
      defaultValue = Scenario.PYTORCH,
      converter = PolicyList.Converter.class)
  private PolicyList policies;

  @Option(
      names = "--confs",
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

  @Option(
      names = "--torch-version",
      paramLabel = "VERSION",
      description = "Rules of this PyTorch release, 2.0 to 2.14 (default: 2.11).",
      converter = TorchVersionConverter.class)
  private PyTorchVersion version = PyTorchVersion.DEFAULT;

  @Option(
      names = "--device-index",
      paramLabel = "N",
      description = "Which recorded GPU to replay (default: the first one that did anything).")
  private Integer deviceIndex;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Path file = Inputs.require(traceName);
    List<ParsedConfig> given = confs == null ? null : parse(List.of(confs.split(";", -1)));
    if (given != null && !takesConf()) {
      throw Failure.usage("--confs is for policy pytorch; add it to --policies, or leave it out");
    }
    try (Outputs outputs = new Outputs(out)) {
      Outputs.Output json = outputs.openIfGiven("--json", jsonName, file);
      Snapshot snapshot = Recording.readSnapshot(file);
      Recording recording =
          Recording.of(
              snapshot,
              Recording.recordedConfig(snapshot, version),
              version,
              MemoryLimit.NONE,
              DeviceProfiles.defaultProfile().totalBytes());
      int device = recording.device(deviceIndex);
      List<ParsedConfig> configs = given != null ? given : usual(recording.config());
      long startNanos = System.nanoTime();
      SequencedMap<PolicySpec, String> unfit = unfit(recording, device);
      if (unfit.size() == policies.specs().size()) {
        throw new Failure(traceName + ": " + String.join("; ", sentences(unfit)));
      }
      List<CapacitySearch.Result> results = search(recording, device, configs, unfit);
      double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
      if (json != null) {
        JsonText.write(toMap(recording, device, results, unfit, seconds), json.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        out.println(
            "trace   "
                + traceName
                + ", device "
                + device
                + (policies.specs().size() == 1 ? "; policy " : "; policies ")
                + policies.specs().stream()
                    .map(spec -> spec.id() + (Scenario.takesConf(spec) ? " " + version.id() : ""))
                    .collect(Collectors.joining(", "))
                + (fraction == null ? "" : ", memory fraction " + fraction));
        CapacityText.print(results, recording.config().text(), out);
        sentences(unfit).forEach(sentence -> WrappedText.print(out, "", "", sentence + "."));
        out.flush();
      }
      boolean allFound = results.stream().allMatch(result -> result.capacityBytes() >= 0);
      return allFound ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private boolean takesConf() {
    return policies.specs().stream().anyMatch(Scenario::takesConf);
  }

  private List<ParsedConfig> parse(List<String> texts) {
    SequencedSet<String> unique = new LinkedHashSet<>();
    texts.forEach(text -> unique.add(text.strip()));
    List<ParsedConfig> configs =
        unique.stream()
            .map(text -> Settings.parse("--confs", text, version, Scenario.PYTORCH))
            .toList();
    configs.forEach(config -> Settings.requirePossible(config, DeviceProfiles.defaultProfile()));
    return configs;
  }

  private List<ParsedConfig> usual(ParsedConfig recorded) {
    SequencedSet<String> texts = new LinkedHashSet<>(List.of(recorded.text()));
    for (String text : USUAL) {
      if (text.isEmpty() || version.knowsKey(text.substring(0, text.indexOf(':')))) {
        texts.add(text);
      }
    }
    return parse(List.copyOf(texts));
  }

  /** Policies that cannot serve the program, and what they would need. */
  private SequencedMap<PolicySpec, String> unfit(Recording recording, int device) {
    SequencedMap<PolicySpec, String> unfit = new LinkedHashMap<>();
    for (PolicySpec policy : policies.specs()) {
      DeviceProfile profile = DeviceProfiles.defaultProfile();
      scenario(policy, noConfig(), limitBytes(profile), profile)
          .unmetNeed(recording.trace(), device)
          .ifPresent(need -> unfit.put(policy, need));
    }
    return unfit;
  }

  private static List<String> sentences(SequencedMap<PolicySpec, String> unfit) {
    return unfit.entrySet().stream()
        .map(each -> each.getKey().id() + " cannot serve the program: it needs " + each.getValue())
        .toList();
  }

  private List<CapacitySearch.Result> search(
      Recording recording,
      int device,
      List<ParsedConfig> configs,
      SequencedMap<PolicySpec, String> unfit) {
    AddressHistory history = recording.addressHistory(device);
    List<Function<DeviceProfile, Scenario>> settings = new ArrayList<>();
    for (PolicySpec policy : policies.specs()) {
      if (unfit.containsKey(policy)) {
        continue;
      }
      if (Scenario.takesConf(policy)) {
        configs.forEach(config ->
            settings.add(profile ->
                scenario(policy, config, limitBytes(profile), profile.withHistory(history))));
      } else {
        settings.add(profile ->
            scenario(policy, noConfig(), limitBytes(profile), profile.withHistory(history)));
      }
    }
    try (ProgressMeter progress = ProgressMeter.ofSettings("searching")) {
      return CapacitySearch.run(recording.trace(), device, settings, progress::update);
    }
  }

  private Scenario scenario(
      PolicySpec policy, ParsedConfig config, long givenBytes, DeviceProfile profile) {
    return new Scenario(
        policy.id(),
        config,
        version,
        Scenario.limit(config, version, givenBytes, profile),
        profile);
  }

  private ParsedConfig noConfig() {
    return Settings.parse("--confs", "", version, Scenario.PYTORCH);
  }

  private long limitBytes(DeviceProfile profile) {
    if (fraction == null) {
      return MemoryLimit.NONE;
    }
    try {
      return MemoryLimit.ofFraction(fraction, profile.totalBytes(), version);
    } catch (ConfigException e) {
      throw Failure.usage("--memory-fraction: " + e.getMessage());
    }
  }

  private Map<String, Object> toMap(
      Recording recording,
      int device,
      List<CapacitySearch.Result> results,
      SequencedMap<PolicySpec, String> unfit,
      double seconds) {
    Map<String, Object> trace = new LinkedHashMap<>();
    trace.put("file", traceName);
    trace.put("sha256", recording.snapshot().sha256());
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", trace);
    map.put("policy", policies.specs().getFirst().id());
    map.put("policies", policies.specs().stream().map(PolicySpec::id).toList());
    map.put("torch_version", version.id());
    map.put("device_index", device);
    map.put("memory_fraction", fraction);
    map.put("step_bytes", CapacitySearch.STEP_BYTES);
    map.put("peak_requested_bytes", results.getFirst().demand().peakRequestedBytes());
    map.put("settings", results.stream().<Object>map(CapacityText::toMap).toList());
    map.put("left_out", sentences(unfit));
    map.put("seconds", seconds);
    return map;
  }
}
