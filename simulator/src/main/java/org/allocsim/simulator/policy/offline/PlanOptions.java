package org.allocsim.simulator.policy.offline;

import org.allocsim.simulator.policy.PolicySpec;

/** Options of planners. */
final class PlanOptions {
  static final String ALIGNMENT = "alignment";

  static final PolicySpec.Option ALIGNMENT_OPTION =
      new PolicySpec.Option(
          ALIGNMENT,
          "512",
          "bytes",
          "offsets are multiples of this, and sizes are rounded up to it");

  /** Largest alignment: more than any device page. */
  static final long MAX_ALIGNMENT_BYTES = 1L << 30;

  private PlanOptions() {}

  /** A size rounded up to a multiple of a unit; neither is above 2^46. */
  static long roundUp(long bytes, long unitBytes) {
    return (bytes + unitBytes - 1) / unitBytes * unitBytes;
  }
}
