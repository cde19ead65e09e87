package org.allocsim.analysis.prediction;

import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;

/**
 * Counts the segments that were predicted at the recorded place, where a place is the distance from
 * the first segment of the process. A segment is compared with the recorded one of the same rank;
 * from the first one of another size on, none counts.
 */
final class SegmentPlaces extends EffectRows {
  private final EffectLog recorded;
  private int row = -1;
  private long distance;
  private int compared;
  private int equal;
  private boolean ended;

  SegmentPlaces(EffectLog recorded) {
    this.recorded = recorded;
  }

  /** Number of recorded segments. */
  static int count(EffectLog recorded) {
    int count = 0;
    for (int row = 0; row < recorded.count(); row++) {
      if (recorded.kind(row) == EffectKind.SEGMENT_ALLOC) {
        count++;
      }
    }
    return count;
  }

  /** Number of segments at the recorded place. */
  int equal() {
    return equal;
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (kind != EffectKind.SEGMENT_ALLOC || ended) {
      return;
    }
    row++;
    while (row < recorded.count() && recorded.kind(row) != EffectKind.SEGMENT_ALLOC) {
      row++;
    }
    ended = row == recorded.count() || recorded.bytes(row) != bytes;
    if (!ended) {
      if (compared++ == 0) {
        distance = recorded.address(row) - address;
      }
      if (recorded.address(row) - address == distance) {
        equal++;
      }
    }
  }
}
