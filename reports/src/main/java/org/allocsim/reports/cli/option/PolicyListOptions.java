package org.allocsim.reports.cli.option;

import java.util.List;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.policy.PolicyChoice;
import picocli.CommandLine.Option;

/** The option that names the policies of a command. */
public final class PolicyListOptions {
  @Option(
      names = {"--policies", "--policy"},
      paramLabel = "all|ID,...",
      description =
          "Allocators, with options in parentheses: rmm-pool(initial=1GiB;max=8GiB); 'allocsim "
              + "list policies' shows them (default: ${DEFAULT-VALUE}).")
  private String policies;

  /** Options with these policies by default. */
  public PolicyListOptions(String policies) {
    this.policies = policies;
  }

  /** The policies as they were given. */
  public String text() {
    return policies;
  }

  /**
   * The policies that were given.
   *
   * @throws Failure where the text is no list of policies
   */
  public List<PolicyChoice> choices() {
    try {
      return PolicyChoice.parseList(policies);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policies: " + e.getMessage());
    }
  }
}
