package org.allocsim.reports.advice;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.ConfigParser;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * The circumstances under which a recorded program is replayed.
 *
 * @param config the allocator's settings
 * @param version whose rules it follows
 * @param limitBytes the allocator's own limit, −1 without one
 * @param device the simulated device
 */
public record Scenario(
    ParsedConfig config, PyTorchVersion version, long limitBytes, DeviceProfile device) {

  /** Refuses settings that ask for an allocator that is not the caching one. */
  public Scenario {
    if (config.backend() != ParsedConfig.Backend.NATIVE) {
      throw new IllegalArgumentException(
          "backend " + config.backend().label() + " is not PyTorch's caching allocator");
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
