package org.allocsim.reports.answer.part;

import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.ByteFormat;

/** What a map of segments and blocks shows, as its title. */
public final class SegmentFinding {
  private SegmentFinding() {}

  /**
   * How much of what is reserved is free, and in what pieces.
   *
   * @param moment when, as a phrase
   */
  public static String of(MemoryLayout layout, String moment) {
    long freeBytes = 0;
    long largestBytes = 0;
    long pieces = 0;
    long reservedBytes = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      reservedBytes += layout.segmentBytes(segment);
    }
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.INACTIVE) {
        pieces++;
        freeBytes += layout.blockBytes(block);
        largestBytes = Math.max(largestBytes, layout.blockBytes(block));
      }
    }
    String reserved = ByteFormat.human(reservedBytes) + " reserved";
    if (freeBytes == 0) {
      return "Nothing of " + reserved + " is free " + moment;
    }
    return ByteFormat.human(freeBytes)
        + " of "
        + reserved
        + (pieces == 1
            ? " is free in one piece "
            : " is free in "
                + Numbers.count(pieces, "piece")
                + " of up to "
                + ByteFormat.human(largestBytes)
                + " ")
        + moment;
  }
}
