package org.allocsim.analysis.program;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.RecordedDriverTime;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.Recording;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * The memory requests of a program on one GPU, and what its {@link Conditions} come to: the
 * release, the settings, the limit and the GPU. Everything that asks about a trace begins here, so
 * that all get the same requests under the same conditions.
 *
 * <p>The requests are derived under what is known of the recorded run: the limit that was given or
 * that the recorded settings have, and the recorded GPU. Other settings and another GPU are
 * questions about these requests and do not change them.
 */
public final class Program {
  /** The policy that PyTorch's settings are for. */
  public static final String PYTORCH = "pytorch";

  /** Option of policies that take the strings of {@code PYTORCH_CUDA_ALLOC_CONF}. */
  public static final String CONF_OPTION = "conf";

  /** Option of policy pytorch that names the release. */
  public static final String VERSION_OPTION = "torch-version";

  private static final String KEYS =
      "see keys and values at https://docs.pytorch.org/docs/stable/notes/cuda.html"
          + "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf";

  private final ProgramSource reading;
  private final Conditions conditions;
  private final Conditions again;
  private final PyTorchVersion release;
  private final Optional<ParsedConfig> recorded;
  private final ParsedConfig config;
  private final DeviceProfile fractionGpu;
  private final DeviceTrace input;
  private final RecordedConditions recordedConditions;

  Program(ProgramSource reading, Conditions conditions) throws ProgramException {
    this.reading = reading;
    this.conditions = conditions;
    again = conditions;
    release = reading.release(conditions);
    recorded = reading.recordedConfig(release);
    config =
        conditions.conf() != null
            ? parse(conditions.conf(), release)
            : recorded.isPresent() ? recorded.get() : parse("", release);
    fractionGpu = conditions.gpu() != null ? conditions.gpu() : reading.gpu();
    OpenedTrace opened = reading.read(reading.options(conditions));
    input = new DeviceTrace(opened, device(opened, conditions.deviceIndex()));
    recordedConditions = recordedConditions(config);
    requirePossible(config, recordedConditions.profile());
  }

  /** The same requests under other conditions. */
  private Program(
      Program other,
      Conditions conditions,
      ParsedConfig config,
      DeviceTrace input,
      @Nullable RecordedConditions known,
      Conditions again) {
    reading = other.reading;
    this.conditions = conditions;
    this.again = again;
    release = other.release;
    recorded = other.recorded;
    this.config = config;
    fractionGpu = conditions.gpu() != null ? conditions.gpu() : reading.gpu();
    this.input = input;
    recordedConditions = known != null ? known : recordedConditions(config);
  }

  /**
   * A program under conditions.
   *
   * @throws ProgramException where the trace has no history or is damaged, the release refuses the
   *     settings, no such GPU can follow them, or the GPU of the trace has no requests
   */
  public static Program open(TraceSource source, Conditions conditions) throws ProgramException {
    return new ProgramSource(source).under(conditions);
  }

  /**
   * The same program under other conditions; the trace is not read again.
   *
   * @throws ProgramException as {@link #open}
   */
  public Program under(Conditions others) throws ProgramException {
    return new Program(reading, others);
  }

  /** The same on each GPU that did anything, in ascending order. */
  public List<Program> onEachDevice() {
    return input.opened().devices().stream()
        .map(device ->
            new Program(
                this,
                conditions.ofDevice(device),
                config,
                new DeviceTrace(input.opened(), device),
                null,
                again.ofDevice(device)))
        .toList();
  }

  /**
   * The same where something else than the recording, such as a log, says more of it.
   *
   * @param sameConditions what to ask for to have the same conditions without it
   */
  public Program knowing(RecordedConditions others, Conditions sameConditions) {
    return new Program(this, conditions, config, input, others, sameConditions);
  }

  /** The same with other requests, such as calls that were put between those of the recording. */
  public Program asking(AllocationTrace requests) {
    DeviceTrace others = new DeviceTrace(input.opened().with(requests), input.device());
    return new Program(this, conditions, config, others, recordedConditions, again);
  }

  /** The same requests under settings by the rules of the release that applies. */
  public Program with(ParsedConfig settings) {
    return new Program(
        this,
        conditions.under(settings.text()),
        settings,
        input,
        null,
        again.under(settings.text()));
  }

  /**
   * The same requests under the settings that a choice of policy pytorch names; other policies, and
   * settings that the policy will refuse, change nothing.
   */
  public Program with(PolicyChoice choice) {
    if (!choice.provider().spec().id().equals(PYTORCH)) {
      return this;
    }
    String conf = choice.options().getOrDefault(CONF_OPTION, "");
    String version = choice.options().getOrDefault(VERSION_OPTION, release.id());
    try {
      return with(ConfigParser.parse(conf, PyTorchVersion.of(version)));
    } catch (ConfigException | IllegalArgumentException _) {
      return this;
    }
  }

  /** The same requests as they were recorded, whatever settings, limit and GPU are asked about. */
  public Program asRecorded() {
    Conditions asIs =
        Conditions.RECORDED.by(conditions.release()).ofDevice(conditions.deviceIndex());
    return new Program(this, asIs, recordedConfig(), input, null, asIs);
  }

  /**
   * Settings by the rules of a release.
   *
   * @throws ProgramException where it refuses them, or they ask for another allocator
   */
  public static ParsedConfig parse(String conf, PyTorchVersion release) throws ProgramException {
    String subject = "PYTORCH_CUDA_ALLOC_CONF=\"" + conf + "\": ";
    ParsedConfig config;
    try {
      config = ConfigParser.parse(conf, release);
    } catch (ConfigException e) {
      throw ProgramException.ofConditions(
          "%sPyTorch %s rejects it with \"%s: %s\"; %s"
              .formatted(
                  subject, release.id(), e.errorType(), e.getMessage().strip(), e.remedy(KEYS)),
          e);
    }
    if (config.backend() != ParsedConfig.Backend.NATIVE) {
      throw ProgramException.ofConditions(
          "%spolicy %s does not simulate backend %s; omit the backend"
              .formatted(subject, PYTORCH, config.backend().label()));
    }
    return config;
  }

  /** PyTorch's allocator under settings, by the rules of a release; defaults are not named. */
  public static PolicyChoice pytorch(ParsedConfig config, PyTorchVersion release) {
    Map<String, String> options = new LinkedHashMap<>();
    if (!config.text().isEmpty()) {
      options.put(CONF_OPTION, config.text());
    }
    if (release != PyTorchVersion.DEFAULT) {
      options.put(VERSION_OPTION, release.id());
    }
    return new PolicyChoice(Policies.named(PYTORCH).orElseThrow(), options);
  }

  private static int device(OpenedTrace opened, @Nullable Integer chosen) throws ProgramException {
    try {
      return opened.device(chosen);
    } catch (SourceUsageException e) {
      throw ProgramException.ofConditions(e.getMessage(), e);
    }
  }

  /**
   * Refuses settings under which the driver of a GPU would refuse every large segment.
   *
   * @throws ProgramException that names the setting
   */
  public static void requirePossible(ParsedConfig settings, DeviceProfile gpu)
      throws ProgramException {
    Optional<String> obstacle = ConfOnDevice.obstacle(settings, gpu);
    if (obstacle.isPresent()) {
      throw ProgramException.ofConditions(
          "PYTORCH_CUDA_ALLOC_CONF=\"" + settings.text() + "\": " + obstacle.get());
    }
  }

  /**
   * What the allocator may reserve under settings on a GPU, −1 where nothing limits it but the GPU:
   * the limit that was asked for, else that of the settings, else that of the recorded settings.
   * The last one limits what the program may have whichever settings are tried, so that they are
   * compared alike.
   */
  public long limitBytes(ParsedConfig settings, DeviceProfile gpu) {
    long givenBytes =
        conditions.limit() == null ? MemoryLimit.NONE : conditions.limit().bytesOn(gpu, release);
    long ownBytes = ConfOnDevice.limitBytes(settings, release, givenBytes, gpu);
    return recorded
        .map(each -> ConfOnDevice.limitBytes(each, release, ownBytes, gpu))
        .orElse(ownBytes);
  }

  /** Where it comes from. */
  public TraceSource source() {
    return reading.trace();
  }

  /** The id of the format that was chosen for it; null for none. */
  public @Nullable String chosenFormat() {
    return source().chosenFormat().orElse(null);
  }

  /** The name as it was given. */
  public String name() {
    return source().name();
  }

  /** What was asked for. */
  public Conditions conditions() {
    return conditions;
  }

  /** What to ask for to have the same conditions from the trace alone, such as without a log. */
  public Conditions again() {
    return again;
  }

  /** The release whose rules apply. */
  public PyTorchVersion release() {
    return release;
  }

  /**
   * The oldest release that the recording may be of, unless one was asked for: settings that it
   * refuses are not recommended.
   */
  public PyTorchVersion oldestRelease() {
    return conditions.release() != null
        ? conditions.release()
        : source().oldestRelease().orElse(release);
  }

  /** The settings that hold. */
  public ParsedConfig config() {
    return config;
  }

  /** The settings that were recorded, else PyTorch's defaults. */
  public ParsedConfig recordedConfig() {
    return recorded.orElseGet(() -> {
      try {
        return ConfigParser.parse("", release);
      } catch (ConfigException e) {
        throw new IllegalStateException("PyTorch takes no settings", e);
      }
    });
  }

  /** The requests, with the recording that they come from. */
  public DeviceTrace input() {
    return input;
  }

  /** Limit and GPU under the settings that hold. */
  public RecordedConditions recordedConditions() {
    return recordedConditions;
  }

  /** Limit and GPU under settings, which may have a limit of their own. */
  public RecordedConditions recordedConditions(ParsedConfig settings) {
    return RecordedConditions.of(input, limitBytes(settings, fractionGpu), conditions.gpu());
  }

  /** The GPU that the trace shows, else the default one. */
  public DeviceProfile recordedGpu() {
    return reading.gpu();
  }

  /** The limit on a GPU that others use, too: that which was asked for, else the recorded one. */
  public long limitBytesOn(DeviceProfile gpu) {
    long knownBytes = limitBytes(config, gpu);
    return knownBytes == MemoryLimit.NONE ? recordedConditions.limitBytes() : knownBytes;
  }

  /** Limit and GPU on another GPU. */
  public RecordedConditions recordedConditionsOn(DeviceProfile gpu) {
    return RecordedConditions.given(limitBytes(config, gpu), gpu);
  }

  /** The limit that was asked for or that settings have, −1 where only the recording shows one. */
  public long knownLimitBytes() {
    return limitBytes(config, fractionGpu);
  }

  /**
   * Whether the limit is the largest that explains the recording, so that the real one may have
   * been lower.
   */
  public boolean isLimitInferred() {
    return knownLimitBytes() == MemoryLimit.NONE
        && recordedConditions.limitBytes() != MemoryLimit.NONE
        && source().snapshot().flatMap(Snapshot::facts).isEmpty();
  }

  /** PyTorch's allocator under the settings that hold. */
  public PolicyChoice pytorch() {
    return pytorch(config, release);
  }

  /**
   * Whether what the recorded device answered comes first: the settings are the recorded ones, and
   * neither limit nor GPU rules the answers out.
   */
  public boolean isRecordedFirst() {
    return recorded.isPresent()
        && recorded.get().text().equals(config.text())
        && recordedConditions.canFollow(input);
  }

  /** The run of a policy on the model of the GPU. */
  public RunSetup onModel(RunPolicy policy) {
    return new RunSetup(
        input.trace(),
        input.device(),
        policy,
        recordedConditions.limitBytes(),
        new MemorySource.Simulated(recordedConditions.profile().withHistory(input.addresses())));
  }

  /**
   * A run on the model at the program's own pace, where a recording shows it: what the policy costs
   * more or less than the recorded allocator shifts what follows.
   */
  public RunSetup inTime(RunSetup setup) {
    return input
        .recording()
        .map(recording ->
            setup.atPaceBeside(
                RecordedDriverTime.byRow(
                    setup.trace(),
                    input.device(),
                    recording.effects(input.device()),
                    recordedConditions.profile())))
        .orElse(setup);
  }

  /**
   * Runs the recorded program once more with what the recorded device answered.
   *
   * @param setup the run under the recorded settings
   * @return empty where the answers cannot hold under these conditions, or do not lead through the
   *     whole recording
   */
  public Optional<RunResult> follow(RunSetup setup, RunObserver... observers) {
    return isRecordedFirst()
        ? Optional.of(Run.of(setup.with(recordedAnswers()), observers))
            .filter(each -> each.divergedRow() < 0)
        : Optional.empty();
  }

  /**
   * The run of a policy with what the recorded device answered.
   *
   * @throws java.util.NoSuchElementException where there is no recording
   */
  public RunSetup onRecordedAnswers(RunPolicy policy) {
    return onModel(policy).with(recordedAnswers());
  }

  private MemorySource recordedAnswers() {
    Recording recording = input.recording().orElseThrow();
    return new MemorySource.Recorded(
        recording.effects(input.device()),
        recording.start(input.device()),
        recordedConditions.profile().totalBytes());
  }
}
