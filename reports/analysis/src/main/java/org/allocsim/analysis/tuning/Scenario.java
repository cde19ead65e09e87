package org.allocsim.analysis.tuning;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.program.ConfOnDevice;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * The conditions under which a recorded program is replayed.
 *
 * @param choice the allocator and its options
 * @param config settings of PyTorch's allocator; other policies have nothing of it
 * @param version whose rules PyTorch's allocator follows
 * @param limitBytes the allocator's own limit, −1 without one
 * @param device the simulated device
 */
public record Scenario(
    PolicyChoice choice,
    ParsedConfig config,
    PyTorchVersion version,
    long limitBytes,
    DeviceProfile device) {
  /** Refuses settings that ask for an allocator that is not the caching one. */
  public Scenario {
    if (config.backend() != ParsedConfig.Backend.NATIVE) {
      throw new IllegalArgumentException(
          "backend " + config.backend().label() + " is not PyTorch's caching allocator");
    }
  }

  /** PyTorch's caching allocator. */
  public Scenario(
      ParsedConfig config, PyTorchVersion version, long limitBytes, DeviceProfile device) {
    this(pytorch(), config, version, limitBytes, device);
  }

  private static PolicyChoice pytorch() {
    return PolicyChoice.of(
        Policies.named(Program.PYTORCH)
            .orElseThrow(() -> new IllegalStateException("policy pytorch is not installed")));
  }

  /** Id of the allocator. */
  public String policy() {
    return choice.provider().spec().id();
  }

  /** Whether the allocator takes the strings of {@code PYTORCH_CUDA_ALLOC_CONF}. */
  public boolean takesConf() {
    return takesConf(choice.provider().spec());
  }

  /** Whether a policy takes the strings of {@code PYTORCH_CUDA_ALLOC_CONF}. */
  public static boolean takesConf(PolicySpec spec) {
    return spec.options().stream().anyMatch(option -> option.name().equals(Program.CONF_OPTION));
  }

  /** The run of one device of a trace under these conditions. */
  public RunSetup setup(AllocationTrace trace, int deviceIndex, AfterOom afterOom) {
    return new RunSetup(trace, deviceIndex, choiceWithSettings(), limitBytes, device)
        .with(afterOom);
  }

  private PolicyChoice choiceWithSettings() {
    if (!takesConf()) {
      return choice;
    }
    Map<String, String> options = new LinkedHashMap<>(choice.options());
    options.put(Program.CONF_OPTION, config.text());
    options.put(Program.VERSION_OPTION, version.id());
    return new PolicyChoice(choice.provider(), options);
  }

  /** Why the allocator cannot serve a trace, in a sentence; empty where it can be tried. */
  public Optional<String> obstacle(AllocationTrace trace, int deviceIndex) {
    try {
      Run.start(setup(trace, deviceIndex, AfterOom.STOP));
      return Optional.empty();
    } catch (UnfitTraceException e) {
      return Optional.of(choice.label() + " cannot serve the program: it needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      return Optional.of(choice.label() + ": " + e.getMessage());
    }
  }

  /**
   * A scenario under a configuration string. Without a limit, that of the string's {@code
   * per_process_memory_fraction} holds; a given one replaces it, as {@code
   * torch.cuda.set_per_process_memory_fraction} does.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   * @throws IllegalStateException where the release refuses the string
   */
  public static Scenario of(
      String conf, PyTorchVersion version, long limitBytes, DeviceProfile device) {
    ParsedConfig config = parsed(conf, version);
    return new Scenario(
        config, version, ConfOnDevice.limitBytes(config, version, limitBytes, device), device);
  }

  /** Settings that the release is known to take. */
  static ParsedConfig parsed(String conf, PyTorchVersion version) {
    try {
      return ConfigParser.parse(conf, version);
    } catch (ConfigException e) {
      throw new IllegalStateException("a setting was tried that PyTorch rejects: " + conf, e);
    }
  }

  /** Bytes that the allocator can hold at most: the device's, or its own limit if smaller. */
  public long maxBytes() {
    return limitBytes == MemoryLimit.NONE
        ? device.capacityBytes()
        : Math.min(limitBytes, device.capacityBytes());
  }
}
