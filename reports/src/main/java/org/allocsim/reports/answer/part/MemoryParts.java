package org.allocsim.reports.answer.part;

import static org.allocsim.reports.document.Unit.BYTES;
import static org.allocsim.reports.document.Unit.COUNT;
import static org.allocsim.reports.document.Unit.RATIO;
import static org.allocsim.reports.document.Unit.TEXT;

import java.util.List;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;

/** Parts of memory that add up. */
public final class MemoryParts {
  /** Reserved memory that no allocation uses. */
  public static final Shape<SlackSplit> SLACK =
      Shape.of(slack ->
          slack
              .bytes(
                  "whole_free_segments_bytes",
                  "Whole free segments, which can be released.",
                  SlackSplit::releasableBytes)
              .bytes(
                  "free_parts_of_live_segments_bytes",
                  "Free parts of segments in use, which are stuck.",
                  SlackSplit::stuckBytes)
              .bytes(
                  "awaiting_other_streams_bytes",
                  "Given back, and still in use on another stream.",
                  SlackSplit::awaitingBytes)
              .bytes(
                  "other_streams_releasable_bytes",
                  "Whole free segments of other streams than the one that asked.",
                  SlackSplit::otherReleasableBytes)
              .bytes(
                  "other_streams_stuck_bytes",
                  "Free parts of segments in use of other streams.",
                  SlackSplit::otherStuckBytes)
              .bytes(
                  "private_pools_bytes",
                  "Free memory of private pools: CUDA graphs, MemPool.",
                  SlackSplit::privateBytes));

  private MemoryParts() {}

  /**
   * A part, or a sum of those before it.
   *
   * @param name what it is
   * @param bytes its size
   * @param source where the figure comes from; null where no part has a source
   */
  public record Part(String name, long bytes, String source) {}

  /**
   * A table of parts; the last one is the whole.
   *
   * @param caption what is split
   */
  public static Table<Part> table(String caption, List<Part> parts) {
    long wholeBytes = parts.getLast().bytes();
    return Table.of(
        caption,
        Shape.of(part ->
            part.shown(TEXT, caption, "The part.", Part::name)
                .shown(BYTES, "size", "Its size.", Part::bytes)
                .shown(COUNT, "bytes", "Its size, exactly.", Part::bytes)
                .shown(
                    RATIO,
                    "share",
                    "Its share of the whole.",
                    each -> Quantity.share(each.bytes(), wholeBytes))
                .shown(TEXT, "according to", "Where the figure comes from.", Part::source)
                .optional()),
        parts);
  }
}
