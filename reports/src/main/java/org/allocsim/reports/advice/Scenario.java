package org.allocsim.reports.advice;

import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.Foresight;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.ConfigParser;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * The circumstances under which a recorded program is replayed.
 *
 * @param policy id of the allocator, one of {@link Policies}
 * @param config settings of PyTorch's allocator; other policies have nothing of it
 * @param version whose rules PyTorch's allocator follows
 * @param limitBytes the allocator's own limit, −1 without one
 * @param device the simulated device
 */
public record Scenario(
    String policy,
    ParsedConfig config,
    PyTorchVersion version,
    long limitBytes,
    DeviceProfile device) {
  /** The policy that PyTorch's settings are for. */
  public static final String PYTORCH = "pytorch";

  private static final String CONF_OPTION = "conf";
  private static final String VERSION_OPTION = "torch-version";

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
    this(PYTORCH, config, version, limitBytes, device);
  }

  /** Whether a policy takes the strings of {@code PYTORCH_CUDA_ALLOC_CONF}. */
  public static boolean takesConf(PolicySpec spec) {
    return spec.options().stream().anyMatch(option -> option.name().equals(CONF_OPTION));
  }

  /**
   * The allocator, which holds nothing yet.
   *
   * @param requests those that will come
   * @throws UnfitTraceException where it cannot serve them
   */
  AllocatorPolicy create(Foresight requests, DeviceMemory memory, EffectListener listener)
      throws UnfitTraceException {
    PolicyProvider provider =
        Policies.named(policy)
            .orElseThrow(() -> new IllegalArgumentException("no policy is named " + policy));
    Map<String, String> options =
        takesConf(provider.spec())
            ? Map.of(CONF_OPTION, config.text(), VERSION_OPTION, version.id())
            : Map.of();
    try {
      return provider.create(new PolicySettings(limitBytes, options), requests, memory, listener);
    } catch (PolicyOptionException e) {
      throw new IllegalStateException("settings that were parsed are refused", e);
    }
  }

  /** What the allocator would need to serve a trace and does not have; empty where nothing. */
  public Optional<String> unmetNeed(AllocationTrace trace, int deviceIndex) {
    try {
      create(new Foresight(trace, deviceIndex), new SimulatedDevice(device), EffectListeners.NONE);
      return Optional.empty();
    } catch (UnfitTraceException e) {
      return Optional.of(e.getMessage());
    }
  }

  /**
   * A scenario under a configuration string. Without a limit, that of the string's {@code
   * per_process_memory_fraction} holds; a given one replaces it, as {@code
   * torch.cuda.set_per_process_memory_fraction} does.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   * @throws ConfigException where the release refuses the string
   */
  public static Scenario of(
      String conf, PyTorchVersion version, long limitBytes, DeviceProfile device)
      throws ConfigException {
    ParsedConfig config = ConfigParser.parse(conf, version);
    return new Scenario(config, version, limit(config, version, limitBytes, device), device);
  }

  /**
   * The limit that holds under settings on a device.
   *
   * @param givenBytes a limit that the program sets itself, −1 without one
   */
  public static long limit(
      ParsedConfig config, PyTorchVersion version, long givenBytes, DeviceProfile device) {
    double fraction = config.allocator().perProcessMemoryFraction();
    if (givenBytes != MemoryLimit.NONE || fraction == 1) {
      return givenBytes;
    }
    try {
      return MemoryLimit.ofFraction(fraction, device.totalBytes(), version);
    } catch (ConfigException e) {
      throw new IllegalStateException("the parser let fraction " + fraction + " pass", e);
    }
  }

  /** Bytes that the allocator can hold at most: the device's, or its own limit if smaller. */
  public long mostBytes() {
    return limitBytes == MemoryLimit.NONE
        ? device.capacityBytes()
        : Math.min(limitBytes, device.capacityBytes());
  }
}
