package org.allocsim.workloads.format.pytorch.derive;

import java.util.Arrays;
import java.util.BitSet;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.RecordedFacts;

/**
 * The rows before which the program emptied the cache, where {@code allocsim record} took down its
 * calls. A call is placed by the counts of entries between it and the end of the history, which
 * hold for what was lost at the start, too.
 */
final class EmptiedCaches {
  /** No call is known. */
  static final EmptiedCaches UNKNOWN = new EmptiedCaches(new BitSet(), false);

  private final BitSet rows;
  private final boolean known;

  private EmptiedCaches(BitSet rows, boolean known) {
    this.rows = rows;
    this.known = known;
  }

  /** Where the calls of a device stand in its history. */
  static EmptiedCaches of(RecordedFacts.Device facts, EffectLog effects) {
    BitSet rows = new BitSet();
    RecordedFacts.Position end = facts.end();
    int row = effects.count();
    long[] after = new long[4];
    for (RecordedFacts.Position call : facts.emptiedCaches().reversed()) {
      long[] wanted = {
        end.allocations() - call.allocations(),
        end.frees() - call.frees(),
        end.completions() - call.completions(),
        end.failures() - call.failures()
      };
      while (row > 0 && isShort(after, wanted)) {
        row--;
        int kind = kind(effects.kind(row));
        if (kind >= 0) {
          after[kind]++;
        }
      }
      if (Arrays.equals(after, wanted)) {
        // Rows that nobody counts, such as releases, stand between the call and what came next;
        // frees that the call waits for stand before its releases.
        int first = row;
        while (first > 0 && kind(effects.kind(first - 1)) < 0) {
          first--;
        }
        int last = row;
        while (last < effects.count() && effects.kind(last) == EffectKind.FREE_COMPLETED) {
          last++;
        }
        rows.set(first, last + 1);
      }
    }
    return new EmptiedCaches(rows, true);
  }

  private static boolean isShort(long[] after, long[] wanted) {
    for (int kind = 0; kind < after.length; kind++) {
      if (after[kind] < wanted[kind]) {
        return true;
      }
    }
    return false;
  }

  private static int kind(EffectKind kind) {
    return switch (kind) {
      case ALLOC -> 0;
      case FREE_REQUESTED -> 1;
      case FREE_COMPLETED -> 2;
      case OOM -> 3;
      case SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP, SNAPSHOT -> -1;
    };
  }

  /** Whether the calls were recorded, so that nothing need be inferred. */
  boolean areKnown() {
    return known;
  }

  /** Whether the cache was emptied in the run of rows that a row is in. */
  boolean isBefore(int row) {
    return rows.get(row);
  }
}
