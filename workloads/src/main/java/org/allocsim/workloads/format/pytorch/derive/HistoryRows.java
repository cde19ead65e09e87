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
  private int requests;

  HistoryRows(EffectLog effects) {
    this.effects = effects;
    boolean grown = false;
    for (int row = 0; row < effects.count(); row++) {
      switch (effects.kind(row)) {
        case SEGMENT_ALLOC, SEGMENT_MAP -> {
          grown = true;
          add(row);
        }
        case SEGMENT_FREE, SEGMENT_UNMAP -> add(row);
        case OOM -> {
          // The failed request, and its free.
          requests += 2;
          add(row);
        }
        case ALLOC -> {
          requests++;
          if (grown) {
            grown = false;
            add(row);
          }
        }
        case FREE_REQUESTED, SNAPSHOT -> requests++;
        case FREE_COMPLETED -> {}
      }
    }
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
    return requests;
  }
}
