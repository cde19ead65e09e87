package org.allocsim.reports.answer.part;

import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.reports.document.Shape;

/** Reserved memory that no allocation uses, by what could be done about it. */
public final class SlackParts {
  /** Its columns. */
  public static final Shape<SlackSplit> SHAPE =
      Shape.of(slack ->
          slack
              .bytes(
                  "whole_free_segments_bytes",
                  "Whole free segments: releasable.",
                  SlackSplit::releasableBytes)
              .bytes(
                  "inactive_split_bytes",
                  "Free parts of segments in use: stuck.",
                  SlackSplit::stuckBytes)
              .bytes(
                  "pending_free_bytes",
                  "Freed, still in use on another stream.",
                  SlackSplit::awaitingBytes)
              .bytes(
                  "other_streams_releasable_bytes",
                  "Whole free segments of streams other than the requesting one.",
                  SlackSplit::otherReleasableBytes)
              .bytes(
                  "other_streams_inactive_split_bytes",
                  "Free parts of segments of other streams.",
                  SlackSplit::otherStuckBytes)
              .bytes(
                  "private_pools_bytes",
                  "Free memory of private pools: CUDA graphs, MemPool.",
                  SlackSplit::privateBytes));

  private SlackParts() {}
}
