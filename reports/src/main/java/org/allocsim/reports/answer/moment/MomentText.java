package org.allocsim.reports.answer.moment;

import org.allocsim.analysis.moment.SlackSplit;

/** The parts of slack: their names, and their JSON. */
public final class MomentText {
  private MomentText() {}

  /** A part of the slack at two moments. */
  @FunctionalInterface
  public interface PartRow {
    /** Takes a part under the name that tables give it. */
    void row(String name, long first, long second);
  }

  /**
   * Names the parts of the slack at two moments: what is free in whole segments and in segments in
   * use, and of the others those that there are.
   *
   * @param others whom the caches of other streams are for
   */
  public static void forEachPart(SlackSplit first, SlackSplit second, String others, PartRow rows) {
    rows.row(
        "+ whole free segments (releasable)", first.releasableBytes(), second.releasableBytes());
    rows.row("+ free parts of segments in use (stuck)", first.stuckBytes(), second.stuckBytes());
    PartRow present =
        (name, one, two) -> {
          if (one != 0 || two != 0) {
            rows.row(name, one, two);
          }
        };
    present.row(
        "+ freed, still in use on another stream", first.awaitingBytes(), second.awaitingBytes());
    String cached = "+ cached for " + others;
    present.row(
        cached + ", releasable", first.otherReleasableBytes(), second.otherReleasableBytes());
    present.row(cached + ", stuck", first.otherStuckBytes(), second.otherStuckBytes());
    present.row("+ free in private pools", first.privateBytes(), second.privateBytes());
  }
}
