package org.allocsim.simulator.policy.pytorch.conf;

import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * Reads the value of {@code PYTORCH_CUDA_ALLOC_CONF} as PyTorch does, oddities and error texts
 * included. Settings that a string does not name have their defaults, as at the start of a process.
 */
public final class ConfigParser {
  private ConfigParser() {}

  /**
   * Parses a configuration string.
   *
   * @param conf {@code key:value,key:value…}; empty for the defaults
   * @param version whose keys, grammar and texts apply
   * @throws ConfigException where that version refuses the string
   */
  public static ParsedConfig parse(String conf, PyTorchVersion version) throws ConfigException {
    ConfigSettings settings = new ConfigSettings();
    if (version.hasTolerantConfigParser()) {
      new TolerantConfigReader(conf, version, settings).read();
    } else {
      new StrictConfigReader(conf, version, settings).read();
    }
    return settings.build(conf, version);
  }
}
