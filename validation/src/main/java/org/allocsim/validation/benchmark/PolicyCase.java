package org.allocsim.validation.benchmark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;

/**
 * A policy with its options.
 *
 * @param id the policy's id
 * @param options values by name
 */
public record PolicyCase(String id, Map<String, String> options) {
  /** Keeps its own copy of the options, in order of their names. */
  public PolicyCase {
    options = java.util.Collections.unmodifiableMap(new TreeMap<>(options));
  }

  /** The options as {@code name=value}, separated by semicolons. */
  public String optionText() {
    return options.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining(";"));
  }

  /** The case as commands write it. */
  public String label() {
    return options.isEmpty() ? id : id + "(" + optionText() + ")";
  }

  /** Whether the policy makes a plan of all requests before it serves the first. */
  public boolean plans() {
    return provider().spec().kind() != PolicySpec.Kind.ONLINE;
  }

  /** The policy itself. */
  public PolicyProvider provider() {
    return Policies.named(id)
        .orElseThrow(() -> new IllegalArgumentException("unknown policy: " + id));
  }

  /** Options that {@link #optionText} wrote. */
  public static Map<String, String> parseOptions(String text) {
    Map<String, String> options = new LinkedHashMap<>();
    for (String option : text.split(";")) {
      int sign = option.indexOf('=');
      if (sign > 0) {
        options.put(option.substring(0, sign), option.substring(sign + 1));
      }
    }
    return options;
  }
}
