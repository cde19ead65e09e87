package org.allocsim.simulator.policy;

import java.util.Map;

/**
 * What a policy instance is made with.
 *
 * @param limitBytes bytes that it may hold from the device, −1 for no limit
 * @param options values by option name; an option that is missing has its default
 */
public record PolicySettings(long limitBytes, Map<String, String> options) {
  /** Keeps its own copy of the options. */
  public PolicySettings {
    options = Map.copyOf(options);
  }

  /** Value of an option. */
  public String option(String name, String defaultValue) {
    return options.getOrDefault(name, defaultValue);
  }
}
