package org.allocsim.simulator.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.allocsim.simulator.typed.SimilarName;

/**
 * A policy and the options that it is to run with. Written as text, options stand in parentheses:
 * {@code rmm-pool(initial=256MiB;max=1GiB)}.
 *
 * @param provider makes the policy
 * @param options values by name; those that are missing have their defaults
 */
public record PolicyChoice(PolicyProvider provider, Map<String, String> options) {
  /** Keeps its own copy of the options, in order of their names. */
  public PolicyChoice {
    options = java.util.Collections.unmodifiableMap(new TreeMap<>(options));
  }

  /** A policy with its defaults. */
  public static PolicyChoice of(PolicyProvider provider) {
    return new PolicyChoice(provider, Map.of());
  }

  /**
   * Reads a list of policies, separated by commas; {@code all} stands for every installed one.
   *
   * @throws IllegalArgumentException with a sentence where the text is not such a list
   */
  public static List<PolicyChoice> parseList(String text) {
    List<PolicyChoice> choices = new ArrayList<>();
    for (String item : split(text)) {
      if (item.equals("all")) {
        Policies.all().forEach(provider -> choices.add(of(provider)));
      } else {
        choices.add(parse(item));
      }
    }
    return List.copyOf(choices);
  }

  /** Cuts at commas outside parentheses. */
  private static List<String> split(String text) {
    List<String> items = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      char at = i < text.length() ? text.charAt(i) : ',';
      if (at == '(') {
        depth++;
      } else if (at == ')') {
        depth--;
      } else if (at == ',' && (depth == 0 || i == text.length())) {
        items.add(text.substring(start, i).strip());
        start = i + 1;
      }
    }
    return items;
  }

  /**
   * Reads one policy.
   *
   * @throws IllegalArgumentException with a sentence where there is no such policy or option
   */
  public static PolicyChoice parse(String text) {
    int open = text.indexOf('(');
    String id = (open < 0 ? text : text.substring(0, open)).strip();
    PolicyProvider provider =
        Policies.named(id)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "'%s' is not a policy; %s".formatted(id, Policies.remedy(id))));
    if (open < 0) {
      return of(provider);
    }
    if (!text.endsWith(")")) {
      throw new IllegalArgumentException(
          "'%s' has no closing parenthesis; write %s(name=value;name=value)".formatted(text, id));
    }
    SequencedMap<String, String> options = new TreeMap<>();
    for (String option : text.substring(open + 1, text.length() - 1).split(";", -1)) {
      int equals = option.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException(
            "'%s' is not an option of the form name=value".formatted(option.strip()));
      }
      String name = option.substring(0, equals).strip();
      requireKnown(provider.spec(), name);
      options.put(name, option.substring(equals + 1).strip());
    }
    return new PolicyChoice(provider, options);
  }

  private static void requireKnown(PolicySpec spec, String name) {
    if (spec.options().stream().noneMatch(option -> option.name().equals(name))) {
      throw new IllegalArgumentException(
          "policy %s has no option '%s'; %s"
              .formatted(
                  spec.id(),
                  name,
                  spec.options().isEmpty()
                      ? "it has none"
                      : SimilarName.remedy(
                          name,
                          spec.optionNames(),
                          "it has " + String.join(", ", spec.optionNames()))));
    }
  }

  /** The choice as it can be written. */
  public String label() {
    return options.isEmpty()
        ? provider.spec().id()
        : options.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(";", provider.spec().id() + "(", ")"));
  }
}
