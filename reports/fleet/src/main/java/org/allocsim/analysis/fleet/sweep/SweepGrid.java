package org.allocsim.analysis.fleet.sweep;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.ConfOnDevice;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.workloads.profile.ProfileException;
import org.allocsim.workloads.profile.ProfileFile;
import org.jspecify.annotations.Nullable;

/** Allocators × settings × GPUs: the runs that every trace of a sweep gets. */
public final class SweepGrid {
  private final SweepRequest request;
  private final PyTorchVersion version;

  /** The oldest release that the trace may be of: settings that it refuses are not tried. */
  private final PyTorchVersion oldest;

  private final List<PolicyChoice> policies;
  private final List<Gpu> gpus;
  private final Map<TuneKey, List<String>> tuneConfs = new ConcurrentHashMap<>();

  /** A GPU, or the one that the recording shows, where the profile is null. */
  private record Gpu(@Nullable DeviceProfile profile) {}

  /** What the grid of {@code tune} depends on. */
  private record TuneKey(String recordedConf, boolean limited) {}

  private SweepGrid(SweepRequest request, PyTorchVersion recorded, PyTorchVersion oldestRecorded) {
    this.request = request;
    boolean isRecorded = request.torchVersion().equals(SweepRequest.RECORDED);
    version = isRecorded ? recorded : PyTorchVersion.of(request.torchVersion());
    oldest = isRecorded ? oldestRecorded : version;
    policies = PolicyChoice.parseList(request.policies());
    gpus = new ArrayList<>();
    for (String device : request.devices()) {
      gpus.add(new Gpu(device.equals(SweepRequest.RECORDED) ? null : profile(device)));
    }
  }

  /**
   * The grid of a request.
   *
   * @throws SweepException where the request makes no sense
   */
  public static SweepGrid of(SweepRequest request) {
    SweepGrid grid;
    try {
      grid = new SweepGrid(request, PyTorchVersion.DEFAULT, PyTorchVersion.DEFAULT);
    } catch (IllegalArgumentException e) {
      throw SweepException.usage(e.getMessage());
    }
    for (String conf : request.confs()) {
      if (!conf.equals(SweepRequest.RECORDED) && !conf.equals(SweepRequest.TUNE)) {
        String obstacle = obstacle(conf, grid.version);
        if (obstacle != null) {
          throw SweepException.usage("--confs: " + obstacle);
        }
      }
    }
    return grid;
  }

  private static DeviceProfile profile(String json) {
    try {
      return ProfileFile.read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)));
    } catch (ProfileException | IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** How a run goes on after a failed request. */
  AfterOom afterOom() {
    return request.stopsAtOom() ? AfterOom.STOP : AfterOom.CONTINUE;
  }

  /** The release whose rules are followed. */
  PyTorchVersion version() {
    return version;
  }

  /**
   * Runs of a trace that was recorded with PyTorch's default settings; of others, about so many.
   */
  public int usualCellCount() {
    DeviceProfile usual = DeviceProfiles.defaultProfile();
    return cells("", _ -> RecordedConditions.given(MemoryLimit.NONE, usual)).size();
  }

  /**
   * The same by the rules of a release, unless the request names another one.
   *
   * @param oldestRelease the oldest that the trace may be of
   */
  SweepGrid recordedBy(PyTorchVersion release, PyTorchVersion oldestRelease) {
    return release == version && oldestRelease == oldest
        ? this
        : new SweepGrid(request, release, oldestRelease);
  }

  /** The conditions under which traces are opened; GPUs are asked about one by one. */
  Conditions conditions(@Nullable Integer deviceIndex) {
    Conditions.Limit limit =
        request.memoryLimitBytes() != null
            ? new Conditions.Limit.Size(request.memoryLimitBytes())
            : request.memoryFraction() == null
                ? null
                : new Conditions.Limit.Fraction(request.memoryFraction());
    return Conditions.RECORDED.by(version).within(limit).ofDevice(deviceIndex);
  }

  /** The runs of a program. */
  List<SweepCell> cells(Program program) {
    return cells(
        program.recordedConfig().text(),
        profile ->
            profile == null ? program.recordedConditions() : program.recordedConditionsOn(profile));
  }

  private List<SweepCell> cells(
      String recordedConf,
      Function<@Nullable DeviceProfile, RecordedConditions> recordedConditions) {
    List<SweepCell> cells = new ArrayList<>();
    for (PolicyChoice policy : policies) {
      boolean takesSettings =
          policy.provider().spec().id().equals(Program.PYTORCH)
              && !policy.options().containsKey(SweepCell.CONF);
      for (Gpu gpu : gpus) {
        RecordedConditions held = recordedConditions.apply(gpu.profile());
        DeviceProfile profile = held.profile();
        long limitBytes = held.limitBytes();
        for (String conf :
            takesSettings
                ? confs(recordedConf, limitBytes >= 0)
                : List.of(policy.options().getOrDefault(SweepCell.CONF, ""))) {
          cells.add(cell(policy, conf, recordedConf, profile, limitBytes));
        }
      }
    }
    return cells;
  }

  private SweepCell cell(
      PolicyChoice policy,
      String conf,
      String recordedConf,
      DeviceProfile profile,
      long limitBytes) {
    if (!policy.provider().spec().id().equals(Program.PYTORCH)) {
      return new SweepCell(policy, version, profile, limitBytes, false, null);
    }
    Map<String, String> options = new LinkedHashMap<>(policy.options());
    options.put(SweepCell.CONF, conf);
    options.putIfAbsent(SweepCell.VERSION, version.id());
    PolicyChoice choice = new PolicyChoice(policy.provider(), options);
    PyTorchVersion rules = PyTorchVersion.of(options.get(SweepCell.VERSION));
    String obstacle = obstacle(conf, rules);
    long limit = limitBytes;
    if (obstacle == null) {
      ParsedConfig config = parsed(conf, rules);
      limit = ConfOnDevice.limitBytes(config, rules, limitBytes, profile);
      obstacle = ConfOnDevice.obstacle(config, profile).orElse(null);
    }
    return new SweepCell(choice, rules, profile, limit, conf.equals(recordedConf), obstacle);
  }

  private SequencedSet<String> confs(String recordedConf, boolean limited) {
    SequencedSet<String> confs = new LinkedHashSet<>();
    for (String conf : request.confs()) {
      switch (conf) {
        case SweepRequest.RECORDED -> confs.add(recordedConf);
        case SweepRequest.TUNE ->
            confs.addAll(
                tuneConfs.computeIfAbsent(
                    new TuneKey(recordedConf, limited),
                    key ->
                        TuningGrid.of(
                                key.recordedConf(),
                                oldest,
                                Platform.LINUX,
                                key.limited(),
                                TuningGrid.Fineness.USUAL)
                            .confs()));
        default -> confs.add(conf);
      }
    }
    return confs;
  }

  /** Why the caching allocator does not run under a string; null where it does. */
  private static @Nullable String obstacle(String conf, PyTorchVersion version) {
    try {
      ParsedConfig config = ConfigParser.parse(conf, version);
      return config.backend() == ParsedConfig.Backend.NATIVE
          ? null
          : "\""
              + conf
              + "\" asks for backend "
              + config.backend().label()
              + ", which is not PyTorch's caching allocator; use policy cuda-async";
    } catch (ConfigException e) {
      return "PyTorch %s rejects \"%s\" with \"%s: %s\"; %s"
          .formatted(
              version.id(),
              conf,
              e.errorType(),
              e.getMessage().strip(),
              e.remedy("--torch-version names another release"));
    }
  }

  private static ParsedConfig parsed(String conf, PyTorchVersion version) {
    try {
      return ConfigParser.parse(conf, version);
    } catch (ConfigException e) {
      throw new IllegalStateException(conf + " was parsed before", e);
    }
  }
}
