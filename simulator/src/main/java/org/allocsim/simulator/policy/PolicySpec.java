package org.allocsim.simulator.policy;

import java.util.List;

/**
 * Description of a policy.
 *
 * @param id its name on command lines and in results, such as {@code "pytorch"}
 * @param summary what it is, in one line
 * @param source product and version, or paper, whose rules it follows
 * @param options what can be set
 */
public record PolicySpec(String id, String summary, String source, List<Option> options) {
  /**
   * An option.
   *
   * @param name its name
   * @param defaultValue its value where it is not set
   * @param unit unit of its value, empty where it has none
   * @param meaning what it does, in one line
   */
  public record Option(String name, String defaultValue, String unit, String meaning) {}

  /** Keeps its own copy of the options. */
  public PolicySpec {
    options = List.copyOf(options);
  }
}
