package org.allocsim.workloads.model;

import java.util.List;

/**
 * A linear layer as a server lays it out, or one GPU's part of it.
 *
 * @param target its name among the modules that get adapters
 * @param inputs features of its input
 * @param parts outputs of each of the layers that it joins
 * @param experts such layers that are stacked; 1 where there are no experts
 */
public record LinearShape(AdapterTarget target, long inputs, List<Long> parts, long experts) {
  /** Keeps its own copy. */
  public LinearShape {
    parts = List.copyOf(parts);
  }

  /** Outputs of all that it joins and stacks. */
  public long outputs() {
    return experts * parts.stream().mapToLong(Long::longValue).sum();
  }
}
