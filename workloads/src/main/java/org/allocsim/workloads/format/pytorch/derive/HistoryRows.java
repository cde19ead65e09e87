package org.allocsim.workloads.format.pytorch.derive;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;

/**
 * The rows of a history in which segments change or requests fail, and the first allocation after
 * each segment that was obtained. They are few, so what concerns segments looks at these alone.
 */
final class HistoryRows {
  private final EffectLog effects;
  private int[] rows = new int[256];
  private int count;

  HistoryRows(EffectLog effects) {
    this.effects = effects;
    boolean grown = false;
    int next = 0;
    for (int i = 0; i < effects.otherCount(); i++) {
      int row = effects.otherRow(i);
      grown = grown && !addAllocation(next, row);
      switch (effects.kind(row)) {
        case SEGMENT_ALLOC, SEGMENT_MAP -> {
          grown = true;
          add(row);
        }
        case SEGMENT_FREE, SEGMENT_UNMAP, OOM -> add(row);
        case SNAPSHOT, ALLOC, FREE_REQUESTED, FREE_COMPLETED -> {}
      }
      next = row + 1;
    }
    if (grown) {
      addAllocation(next, effects.count());
    }
  }

  /** Adds the first allocation in a range of rows; answers whether there is one. */
  private boolean addAllocation(int from, int to) {
    for (int row = from; row < to; row++) {
      if (effects.kind(row) == EffectKind.ALLOC) {
        add(row);
        return true;
      }
    }
    return false;
  }

  private void add(int row) {
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, 2 * count);
    }
    rows[count++] = row;
  }

  /** The whole history. */
  EffectLog effects() {
    return effects;
  }

  /** Number of these rows. */
  int count() {
    return count;
  }

  /** Number of the i-th of these rows in the history. */
  int row(int i) {
    return rows[i];
  }

  /** Kind of the i-th of these rows. */
  EffectKind kind(int i) {
    return effects.kind(rows[i]);
  }

  /** Requests that the rows of the whole history show by themselves. */
  int requestCount() {
    // A failed request has a free, too.
    return effects.count(EffectKind.ALLOC)
        + effects.count(EffectKind.FREE_REQUESTED)
        + effects.count(EffectKind.SNAPSHOT)
        + 2 * effects.count(EffectKind.OOM);
  }
}
