package org.allocsim.reports.cli;

import java.util.Arrays;
import java.util.Optional;

/** The allocator policies that can be chosen on the command line. */
enum Policy {
  /** PyTorch's native caching allocator. */
  PYTORCH(
      "pytorch",
      "PyTorch's CUDA caching allocator, native or with expandable segments (2.11; --torch-version"
          + " for others)");

  private final String id;
  private final String summary;

  Policy(String id, String summary) {
    this.id = id;
    this.summary = summary;
  }

  /** The name on the command line and in JSON. */
  String id() {
    return id;
  }

  /** What it is, in a line. */
  String summary() {
    return summary;
  }

  /** The policy with this id, if there is one. */
  static Optional<Policy> of(String id) {
    return Arrays.stream(values()).filter(policy -> policy.id.equals(id)).findFirst();
  }
}
