package org.allocsim.simulator.policy.pytorch.conf;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * Reads the value of {@code PYTORCH_CUDA_ALLOC_CONF} as PyTorch does, oddities and error texts
 * included.
 */
public final class ConfigParser {
  private ConfigParser() {}

  /**
   * Parses a configuration string. Settings that it does not name have their defaults, as at the
   * start of a process.
   *
   * @param conf {@code key:value,key:value…}; empty for the defaults
   * @param version whose keys, grammar and texts apply
   * @throws ConfigException where that version refuses the string
   */
  public static ParsedConfig parse(String conf, PyTorchVersion version) throws ConfigException {
    return parse(conf, version, new ConfigSettings());
  }

  /**
   * Parses the string that a recorded program ran with: settings that no known release has are
   * passed over with a warning, since the program's release took them.
   *
   * @throws ConfigException where that version refuses the string for another reason
   */
  public static ParsedConfig parseRecorded(String conf, PyTorchVersion version)
      throws ConfigException {
    ConfigSettings settings = new ConfigSettings();
    settings.wereAccepted = true;
    return parse(conf, version, settings);
  }

  /**
   * Parses a string to which settings change at run time. {@code max_split_size_mb}, {@code
   * garbage_collection_threshold} and {@code roundup_power2_divisions} have their defaults where it
   * does not name them, what else it does not name stays as it was (PyTorch 2.0 to 2.14, {@code
   * parseArgs}). Settings of pinned memory are those of the string alone.
   *
   * @param before the settings until then
   * @throws ConfigException where that version refuses the string
   */
  public static ParsedConfig change(AllocatorConfig before, String conf, PyTorchVersion version)
      throws ConfigException {
    return parse(conf, version, ConfigSettings.keptFrom(before));
  }

  /**
   * The same for a change that a recorded program made, with unknown settings passed over; where
   * that version refuses the string, the settings stay as they were.
   */
  public static AllocatorConfig changeOrKeep(
      AllocatorConfig before, String conf, PyTorchVersion version) {
    try {
      ConfigSettings settings = ConfigSettings.keptFrom(before);
      settings.wereAccepted = true;
      return parse(conf, version, settings).allocator();
    } catch (ConfigException _) {
      return before;
    }
  }

  private static ParsedConfig parse(String conf, PyTorchVersion version, ConfigSettings settings)
      throws ConfigException {
    if (version.hasTolerantConfigParser()) {
      new TolerantConfigReader(conf, version, settings).read();
    } else {
      new StrictConfigReader(conf, version, settings).read();
    }
    return settings.build(conf, version);
  }
}
