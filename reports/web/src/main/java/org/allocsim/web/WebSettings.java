package org.allocsim.web;

import java.util.List;
import java.util.Map;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.moment.ProgramSettings;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * What the user chose, under the names of the commands' options; whatever is missing is as the
 * recording shows it.
 */
final class WebSettings implements ProgramSettings {
  private final TraceSource source;
  private final Map<String, String> options;
  private final PyTorchVersion version;
  private final @Nullable Long capacityBytes;
  private final @Nullable Long limitBytes;
  private final @Nullable Integer deviceIndex;

  WebSettings(TraceSource source, Map<String, String> options) {
    this.source = source;
    this.options = options;
    String named = options.get("--torch-version");
    version = named == null ? source.release().orElse(PyTorchVersion.DEFAULT) : release(named);
    capacityBytes = size("--capacity");
    limitBytes = size("--memory-limit");
    String index = options.get("--device-index");
    deviceIndex = index == null ? null : Integer.valueOf(index);
  }

  private static PyTorchVersion release(String name) {
    try {
      return PyTorchVersion.of(name);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--torch-version: " + e.getMessage());
    }
  }

  private @Nullable Long size(String option) {
    String text = options.get(option);
    try {
      return text == null ? null : new SizeConverter().convert(text);
    } catch (TypeConversionException e) {
      throw Failure.usage(option + ": " + e.getMessage());
    }
  }

  @Override
  public @Nullable ParsedConfig config() {
    String conf = options.get("--conf");
    return conf == null ? null : Settings.parse(conf, version, Scenario.PYTORCH);
  }

  @Override
  public PyTorchVersion torchVersion() {
    return version;
  }

  @Override
  public DeviceProfile profile() {
    return capacityBytes == null
        ? DeviceProfiles.defaultProfile()
        : DeviceProfiles.ofCapacity(capacityBytes);
  }

  @Override
  public boolean isDeviceGiven() {
    return capacityBytes != null;
  }

  @Override
  public long limitBytes(ParsedConfig settings, TraceSource trace) {
    if (limitBytes != null) {
      return limitBytes;
    }
    double fraction = settings.allocator().perProcessMemoryFraction();
    try {
      return fraction == 1
          ? MemoryLimit.NONE
          : MemoryLimit.ofFraction(
              fraction,
              (isDeviceGiven() ? profile() : RecordedGpu.of(trace)).totalBytes(),
              version);
    } catch (ConfigException e) {
      throw Failure.usage("per_process_memory_fraction: " + e.getMessage());
    }
  }

  @Override
  public @Nullable Integer deviceIndex() {
    return deviceIndex;
  }

  @Override
  public boolean isReplayChosen() {
    return options.containsKey("--conf") || limitBytes != null;
  }

  @Override
  public TraceSource open(String name) {
    return source;
  }

  /** The oldest release that the recording may be of, unless one was chosen. */
  PyTorchVersion oldestVersion() {
    return options.containsKey("--torch-version")
        ? version
        : source.oldestRelease().orElse(version);
  }

  boolean isLimitGiven() {
    return limitBytes != null;
  }

  /** The settings to replay under: those that were chosen, else the recorded ones. */
  ParsedConfig configOrRecorded() {
    ParsedConfig given = config();
    ParsedConfig config = given == null ? recorded() : given;
    Settings.requirePossible(config, profile());
    return config;
  }

  /** The recorded settings. */
  ParsedConfig recorded() {
    return Settings.recorded(source, version);
  }

  /** The runs that the explorer shows. */
  List<PolicyChoice> choices() {
    ParsedConfig config = configOrRecorded();
    PolicyChoice choice = Settings.pytorch(config, version);
    // An empty text is no setting, and is not named.
    return List.of(
        config.text().isEmpty()
            ? new PolicyChoice(choice.provider(), Map.of(Scenario.VERSION_OPTION, version.id()))
            : choice);
  }

  /** The requests of all devices, under settings. */
  OpenedTrace read(ParsedConfig config) {
    return Traces.read(
        source, new ReadingOptions(version, limitBytes(config, source), profile().totalBytes()));
  }

  /** The requests of the device that was chosen. */
  DeviceTrace deviceTrace(OpenedTrace opened) {
    return new DeviceTrace(opened, Traces.device(opened, deviceIndex));
  }

  RecordedCircumstances circumstances(DeviceTrace input, ParsedConfig config) {
    return RecordedCircumstances.of(
        input, limitBytes(config, source), isDeviceGiven() ? profile() : null);
  }
}
