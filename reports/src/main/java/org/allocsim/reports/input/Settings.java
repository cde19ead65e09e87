package org.allocsim.reports.input;

import java.util.Map;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.TraceSource;

/** Settings of a replay: the option {@code --conf}, and what no device can carry out. */
public final class Settings {
  private static final String KEYS =
      "https://docs.pytorch.org/docs/stable/notes/cuda.html"
          + "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf";

  private Settings() {}

  /**
   * Parses the value of {@code --conf}.
   *
   * @throws Failure where PyTorch refuses it, or it asks for another policy
   */
  public static ParsedConfig parse(String conf, PyTorchVersion version, String policy) {
    return parse("--conf", conf, version, policy);
  }

  /**
   * Parses one of the settings that an option gives.
   *
   * @throws Failure where PyTorch refuses it, or it asks for another policy
   */
  public static ParsedConfig parse(
      String option, String conf, PyTorchVersion version, String policy) {
    ParsedConfig config;
    try {
      config = ConfigParser.parse(conf, version);
    } catch (ConfigException e) {
      throw Failure.usage(
          "%sPyTorch %s refuses it with \"%s: %s\"; %s"
              .formatted(
                  option(option, conf),
                  version.id(),
                  e.errorType(),
                  e.getMessage().strip(),
                  e.remedy("keys and values are at " + KEYS)));
    }
    if (config.backend() != ParsedConfig.Backend.NATIVE) {
      throw Failure.usage(
          "%spolicy %s does not simulate backend %s; leave the backend out"
              .formatted(option(option, conf), policy, config.backend().label()));
    }
    return config;
  }

  /**
   * The settings that a source was recorded with; PyTorch's defaults where it gives none.
   *
   * @throws Failure where the recording has no history, or the release refuses its settings
   */
  public static ParsedConfig recorded(TraceSource source, PyTorchVersion version) {
    ParsedConfig recorded = Traces.recordedConfig(source, version);
    return recorded != null ? recorded : parse("", version, Scenario.PYTORCH);
  }

  /** PyTorch's allocator under settings, by the rules of a release. */
  public static PolicyChoice pytorch(ParsedConfig config, PyTorchVersion version) {
    return new PolicyChoice(
        Policies.named(Scenario.PYTORCH).orElseThrow(),
        Map.of(Scenario.CONF_OPTION, config.text(), Scenario.VERSION_OPTION, version.id()));
  }

  /**
   * Refuses settings under which the device's driver would refuse every large segment.
   *
   * @throws Failure that names the setting
   */
  public static void requirePossible(ParsedConfig config, DeviceProfile profile) {
    Scenario.obstacle(config, profile)
        .ifPresent(obstacle -> {
          throw Failure.usage("PYTORCH_CUDA_ALLOC_CONF=\"" + config.text() + "\": " + obstacle);
        });
  }

  private static String option(String option, String conf) {
    return option + " \"" + conf + "\": ";
  }
}
