package org.allocsim.simulator.policy.umpire;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides after every free whether a pool releases its free driver blocks and allocates what it
 * then lacks as one block.
 *
 * <p>Source: LLNL/Umpire 5bf5bc1 (2024-10), {@code QuickPool.cpp}, {@code DynamicPoolList.cpp}.
 *
 * @param measure what is compared
 * @param threshold per cent, or number of blocks
 * @param toHighWatermark whether the pool is to have its high watermark then, else what it has
 */
record CoalesceHeuristic(Measure measure, long threshold, boolean toHighWatermark) {
  /** What a heuristic looks at. */
  enum Measure {
    /** Share of the pool's bytes that lies in wholly free driver blocks. */
    PERCENT_RELEASABLE,
    /** Number of wholly free driver blocks. */
    BLOCKS_RELEASABLE
  }

  /** Umpire's default. */
  static final String DEFAULT = "percent_releasable_hwm(100)";

  private static final Pattern CALL =
      Pattern.compile("(percent|blocks)_releasable(_hwm)?\\(\\s*([0-9]{1,9})\\s*\\)");

  /** The heuristic that is written as a call of Umpire's, or null where it is none. */
  static @Nullable CoalesceHeuristic parse(String text) {
    Matcher call = CALL.matcher(text.strip());
    if (!call.matches()) {
      return null;
    }
    boolean percent = call.group(1).equals("percent");
    long threshold = Long.parseLong(call.group(3));
    if (percent && threshold > 100) {
      return null;
    }
    return new CoalesceHeuristic(
        percent ? Measure.PERCENT_RELEASABLE : Measure.BLOCKS_RELEASABLE,
        threshold,
        call.group(2) != null);
  }

  /**
   * Bytes that the pool is to have after coalescing, 0 where it stays as it is. Shares are computed
   * as Umpire does, with floats.
   *
   * @param actualBytes bytes of all driver blocks
   * @param releasableBytes bytes of the wholly free ones
   * @param releasableBlocks their number
   * @param highWatermarkBytes most bytes that were ever in use
   */
  long suggestedBytes(
      long actualBytes, long releasableBytes, long releasableBlocks, long highWatermarkBytes) {
    boolean coalesces =
        switch (measure) {
          case BLOCKS_RELEASABLE -> releasableBlocks >= threshold;
          case PERCENT_RELEASABLE ->
              threshold == 100
                  ? actualBytes == releasableBytes
                  : threshold > 0
                      && releasableBytes >= (long) ((float) threshold / 100f * actualBytes);
        };
    return coalesces ? toHighWatermark ? highWatermarkBytes : actualBytes : 0;
  }
}
