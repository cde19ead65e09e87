package org.allocsim.reports.answer.product;

import java.io.PrintWriter;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;

/** The documentation of all installed policies, in Markdown, from their own descriptions. */
public final class PolicyPage {
  private PolicyPage() {}

  public static void print(PrintWriter out) {
    out.print("# Allocator policies\n");
    for (PolicyProvider provider : Policies.all()) {
      PolicySpec policy = provider.spec();
      out.print("\n## `" + policy.id() + "`\n\n");
      out.print(sentence(policy.summary()) + " Knows " + knowledge(policy.kind()) + ".\n\n");
      out.print("Follows: " + sentence(policy.source()) + "\n");
      if (!policy.options().isEmpty()) {
        out.print("\n| option | default | unit | meaning |\n| --- | --- | --- | --- |\n");
        for (PolicySpec.Option option : policy.options()) {
          out.print(
              "| `%s` | %s | %s | %s |\n"
                  .formatted(
                      option.name(),
                      option.defaultValue().isEmpty() ? "" : "`" + option.defaultValue() + "`",
                      option.unit(),
                      option.meaning().replace("|", "\\|")));
        }
      }
    }
  }

  private static String sentence(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
  }

  /** What a policy knows of the requests, in a few words. */
  public static String knowledge(PolicySpec.Kind kind) {
    return switch (kind) {
      case ONLINE -> "past requests";
      case OFFLINE -> "all requests, plans";
      case BOUND -> "all requests, a bound";
    };
  }
}
