package org.allocsim.benchmarks.suite;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;

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

  /** Why the policy cannot serve a program; empty where it can. */
  public Optional<String> reasonAgainst(String program) {
    try {
      new AllocatorPass(
          AllocatorPass.Program.of(program), provider(), options, DeviceProfiles.defaultProfile());
      return Optional.empty();
    } catch (UnfitTraceException e) {
      return Optional.of("needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      return Optional.of(e.getMessage());
    }
  }

  private PolicyProvider provider() {
    return Policies.named(id)
        .orElseThrow(() -> new IllegalArgumentException("there is no policy " + id));
  }

  static Map<String, String> parseOptions(String text) {
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
