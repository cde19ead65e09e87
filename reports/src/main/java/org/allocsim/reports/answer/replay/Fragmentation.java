package org.allocsim.reports.answer.replay;

import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.SlackParts;
import org.allocsim.reports.document.Shape;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.MemoryStats;

/**
 * Where the reserved memory goes, at the end of a run and when reserved memory was highest. The
 * parts add up: reserved = requested + internal + inactive, where requested and internal include
 * blocks that await their free; and reserved = allocated + the parts of the slack, which these
 * blocks are one of.
 *
 * @param end the end of the run
 * @param peak the fullest moment of the highest reservation
 * @param inactiveSplitBytes inactive parts of partly used segments, at the end
 * @param largestInactiveBlockBytes the largest block that could be handed out, at the end
 */
record Fragmentation(
    Moment end, Moment peak, long inactiveSplitBytes, long largestInactiveBlockBytes) {
  private static final Shape<Moment> MOMENT =
      Shape.of(moment ->
          moment
              .term(Columns.RESERVED_BYTES, Moment::reservedBytes)
              .bytes(
                  "active_bytes",
                  "In blocks in use, including freed blocks still in use on another stream.",
                  Moment::activeBytes)
              .term(Columns.ALLOCATED_BYTES, Moment::allocatedBytes)
              .term(Columns.REQUESTED_BYTES, Moment::requestedBytes)
              .bytes("internal_bytes", "Active minus requested bytes.", Moment::internalBytes)
              .bytes("inactive_bytes", "Reserved but not in use.", Moment::inactiveBytes)
              .bytes(
                  "rounding_bytes",
                  "Allocated bytes minus requested bytes.",
                  Moment::heldRoundingBytes)
              .bytes(
                  "slack_bytes",
                  "Reserved minus allocated bytes.",
                  each -> each.slack().totalBytes())
              .one(
                  "slack",
                  "Reserved memory that no allocation uses, by what can be done about it.",
                  SlackParts.SHAPE,
                  Moment::slack));

  private static final Shape<Fragmentation> END =
      Shape.of(end ->
          end.embed(MOMENT, Fragmentation::end)
              .bytes(
                  "inactive_split_bytes",
                  "Inactive bytes in segments in use.",
                  Fragmentation::inactiveSplitBytes)
              .bytes(
                  "largest_inactive_block_bytes",
                  "Largest inactive block.",
                  Fragmentation::largestInactiveBlockBytes)
              .ratio(
                  "external_ratio",
                  "1 minus (largest inactive block / all inactive bytes).",
                  Fragmentation::externalRatio)
              .missing("nothing is inactive"));

  /** Its columns. */
  static final Shape<Fragmentation> SHAPE =
      Shape.of(fragmentation ->
          fragmentation
              .one("at_end", "After the last request.", END, each -> each)
              .one(
                  "at_peak_reserved",
                  "When reserved memory was highest.",
                  MOMENT,
                  Fragmentation::peak));

  /**
   * Memory at one moment, in bytes.
   *
   * @param awaitingRequestedBytes what was asked for of blocks that await their free; a part of
   *     {@code requestedBytes}
   * @param slack what is reserved and not allocated, by where it lies
   */
  record Moment(
      long reservedBytes,
      long activeBytes,
      long allocatedBytes,
      long requestedBytes,
      long awaitingRequestedBytes,
      SlackSplit slack) {
    /** The parts must be those of the whole. */
    Moment {
      if (slack.totalBytes() != reservedBytes - allocatedBytes) {
        throw new IllegalStateException(
            slack + " is not what " + reservedBytes + " exceeds " + allocatedBytes + " by");
      }
    }

    /** Lost to rounding inside active blocks. */
    long internalBytes() {
      return activeBytes - requestedBytes;
    }

    /** Cached: held from the device, not in use. */
    long inactiveBytes() {
      return reservedBytes - activeBytes;
    }

    /** What the program asked for, of what it holds. */
    long heldRequestedBytes() {
      return requestedBytes - awaitingRequestedBytes;
    }

    /** Lost to rounding inside the blocks that the program holds. */
    long heldRoundingBytes() {
      return allocatedBytes - heldRequestedBytes();
    }
  }

  static Fragmentation of(
      MemoryStats stats,
      MemoryLayout layout,
      SlackSplit slack,
      MemoryLayout layoutAtPeak,
      SlackSplit slackAtPeak) {
    long largest = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.INACTIVE) {
        largest = Math.max(largest, layout.blockBytes(block));
      }
    }
    return new Fragmentation(
        new Moment(
            stats.reservedBytes(),
            stats.activeBytes(),
            stats.allocatedBytes(),
            stats.requestedBytes(),
            MemoryMoment.Totals.of(layout).awaitingRequestedBytes(),
            slack),
        peak(MemoryMoment.Totals.of(layoutAtPeak), slackAtPeak),
        stats.inactiveSplitBytes(),
        largest);
  }

  /** What was held in the fullest moment of the peak, after a request. */
  private static Moment peak(MemoryMoment.Totals totals, SlackSplit slack) {
    return new Moment(
        totals.reservedBytes(),
        totals.allocatedBytes() + slack.awaitingBytes(),
        totals.allocatedBytes(),
        totals.requestedBytes() + totals.awaitingRequestedBytes(),
        totals.awaitingRequestedBytes(),
        slack);
  }

  /** 1 − largest inactive block ÷ inactive bytes, at the end; not a number without any. */
  double externalRatio() {
    return end.inactiveBytes() == 0
        ? Double.NaN
        : 1 - (double) largestInactiveBlockBytes / end.inactiveBytes();
  }
}
