package org.allocsim.simulator.policy;

import java.util.List;

/**
 * Description of a policy.
 *
 * @param kind what it knows of the requests
 * @param id its name on command lines and in results, such as {@code "pytorch"}
 * @param summary what it is, in one line
 * @param source product and version, or paper, whose rules it follows
 * @param options what can be set
 */
public record PolicySpec(
    Kind kind, String id, String summary, String source, List<Option> options) {
  /** What a policy knows when it serves a request. */
  public enum Kind {
    /** The requests so far: an allocator that a program could use. */
    ONLINE,
    /** All requests, before the first is served: a plan. */
    OFFLINE,
    /** All requests; not an allocator, but a bound that none can pass. */
    BOUND
  }

  /** An allocator that serves requests as they come. */
  public PolicySpec(String id, String summary, String source, List<Option> options) {
    this(Kind.ONLINE, id, summary, source, options);
  }

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

  /** How the options are called. */
  public List<String> optionNames() {
    return options.stream().map(Option::name).toList();
  }
}
