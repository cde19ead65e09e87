package org.allocsim.simulator.policy.umpire;

import java.util.List;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/**
 * What Umpire's pools are made with; the defaults are those of {@code QuickPool.hpp} and {@code
 * DynamicPoolList.hpp} (LLNL/Umpire 5bf5bc1, 2024-10).
 *
 * @param firstBytes least bytes of a driver block while the pool has none
 * @param nextBytes least bytes of every other
 * @param alignmentBytes unit of sizes and addresses, a power of two
 * @param heuristic when free driver blocks become one
 */
record PoolOptions(
    long firstBytes, long nextBytes, long alignmentBytes, CoalesceHeuristic heuristic) {
  private static final String FIRST = "first";
  private static final String NEXT = "next";
  private static final String ALIGNMENT = "alignment";
  private static final String COALESCE = "coalesce";

  /** Every address that a driver returns is a multiple of this. */
  private static final long DRIVER_ALIGNMENT_BYTES = 256;

  /** Largest driver block that may be asked for at least. */
  private static final long MAX_BLOCK_BYTES = 1L << 50;

  /** The options as a policy describes them. */
  static final List<PolicySpec.Option> DESCRIPTION =
      List.of(
          new PolicySpec.Option(FIRST, "512MiB", "bytes", "minimum size of the first driver block"),
          new PolicySpec.Option(NEXT, "1MiB", "bytes", "minimum size of further driver blocks"),
          new PolicySpec.Option(
              ALIGNMENT, "16", "bytes", "unit of sizes, a power of two from 1 to 256"),
          new PolicySpec.Option(
              COALESCE,
              CoalesceHeuristic.DEFAULT,
              "",
              "when free driver blocks are coalesced: percent_releasable(P),"
                  + " blocks_releasable(N), or either with _hwm"));

  /** The options that a policy was given. */
  static PoolOptions of(PolicyOptions options) throws PolicyOptionException {
    CoalesceHeuristic heuristic = CoalesceHeuristic.parse(options.text(COALESCE));
    if (heuristic == null) {
      throw options.wrong(
          COALESCE,
          "a heuristic; write percent_releasable(0 to 100) or blocks_releasable(N), or"
              + " either with _hwm before the bracket");
    }
    long alignment = options.bytes(ALIGNMENT, 1);
    if (Long.bitCount(alignment) != 1 || alignment > DRIVER_ALIGNMENT_BYTES) {
      throw options.wrong(ALIGNMENT, "a power of two from 1 to 256");
    }
    return new PoolOptions(
        blockBytes(options, FIRST), blockBytes(options, NEXT), alignment, heuristic);
  }

  private static long blockBytes(PolicyOptions options, String name) throws PolicyOptionException {
    long bytes = options.bytes(name, 1);
    if (bytes > MAX_BLOCK_BYTES) {
      throw options.wrong(name, "at most 1 PiB");
    }
    return bytes;
  }
}
