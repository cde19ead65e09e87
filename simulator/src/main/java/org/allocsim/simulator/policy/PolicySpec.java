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
 * @param use who can use it
 */
public record PolicySpec(
    Kind kind, String id, String summary, String source, List<Option> options, Use use) {
  /** What a policy knows when it serves a request. */
  public enum Kind {
    /** The requests so far: an allocator that a program could use. */
    ONLINE,
    /** All requests, before the first is served: a plan. */
    OFFLINE,
    /** All requests; not an allocator, but a bound that none can pass. */
    BOUND
  }

  /** Whose allocator it is, in the order in which comparisons show them. */
  public enum Group {
    /** A PyTorch program can switch to it. */
    PYTORCH,
    /** Another framework or library brings it, and PyTorch cannot use it for its tensors. */
    FRAMEWORK,
    /** A textbook has it; nobody ships it for a GPU. */
    TEXTBOOK,
    /** No allocator that serves requests as they come, but what one could reach. */
    BOUND
  }

  /**
   * Who can use a policy.
   *
   * @param group whose it is
   * @param how the setting or the call with which a PyTorch program switches to it; empty for those
   *     that it cannot have
   */
  public record Use(Group group, String how) {}

  /** An allocator that serves requests as they come. */
  public PolicySpec(String id, String summary, String source, List<Option> options) {
    this(Kind.ONLINE, id, summary, source, options);
  }

  /** Another framework's allocator, or a bound where it knows what is to come. */
  public PolicySpec(Kind kind, String id, String summary, String source, List<Option> options) {
    this(
        kind,
        id,
        summary,
        source,
        options,
        new Use(kind == Kind.ONLINE ? Group.FRAMEWORK : Group.BOUND, ""));
  }

  /** The same for an allocator that a PyTorch program switches to by a setting or a call. */
  public PolicySpec inPyTorch(String how) {
    return new PolicySpec(kind, id, summary, source, options, new Use(Group.PYTORCH, how));
  }

  /** The same for an allocator that a textbook has. */
  public PolicySpec ofTextbook() {
    return new PolicySpec(kind, id, summary, source, options, new Use(Group.TEXTBOOK, ""));
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
