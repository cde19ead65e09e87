package org.allocsim.analysis.suite;

import java.util.List;

/**
 * The outcomes of a scenario's variants.
 *
 * @param list in the order of the variants
 */
public record Outcomes(List<Outcome> list) {
  /** Keeps its own copy. */
  public Outcomes {
    list = List.copyOf(list);
  }

  /**
   * The outcome of a variant.
   *
   * @throws IllegalArgumentException where there is none of that label
   */
  public Outcome of(String label) {
    return list.stream()
        .filter(outcome -> outcome.variant().label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no variant is called '" + label + "'"));
  }
}
