package org.allocsim.simulator.engine;

import java.util.Arrays;
import java.util.BitSet;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * What lies between two passes over the rows of one device behind the prologue, so that each begins
 * with the allocations that the first one began with: what a pass has left is given back in the
 * order in which it was made, and what it gave back of the prologue is made again. Every pass uses
 * the same allocation ids.
 */
final class Seam {
  private final int[] left;
  private final int[] missing;

  private Seam(int[] left, int[] missing) {
    this.left = left;
    this.missing = missing;
  }

  /** The seam between passes over a trace; linear in its rows. */
  static Seam of(AllocationTrace trace, int device) {
    BitSet live = new BitSet();
    pass(trace, device, 0, trace.prologueCount(), live);
    BitSet atStart = (BitSet) live.clone();
    pass(trace, device, trace.prologueCount(), trace.eventCount(), live);
    int[] left = new int[live.cardinality()];
    int leftCount = 0;
    int[] missing = new int[atStart.cardinality()];
    int missingCount = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device && isMade(trace, event)) {
        int allocation = trace.allocation(event);
        boolean isOfPrologue = event < trace.prologueCount();
        if (!isOfPrologue && live.get(allocation)) {
          left[leftCount++] = event;
        } else if (isOfPrologue && atStart.get(allocation) && !live.get(allocation)) {
          missing[missingCount++] = event;
        }
      }
    }
    return new Seam(Arrays.copyOf(left, leftCount), Arrays.copyOf(missing, missingCount));
  }

  private static void pass(AllocationTrace trace, int device, int from, int to, BitSet live) {
    for (int event = from; event < to; event++) {
      if (trace.device(event) == device) {
        switch (trace.kind(event)) {
          case ALLOCATE, RESTORE_BLOCK -> live.set(trace.allocation(event));
          case FREE -> live.clear(trace.allocation(event));
          default -> {}
        }
      }
    }
  }

  private static boolean isMade(AllocationTrace trace, int event) {
    return switch (trace.kind(event)) {
      case ALLOCATE, RESTORE_BLOCK -> true;
      default -> false;
    };
  }

  /** Rows whose allocations a pass leaves behind, in order. */
  int[] left() {
    return left;
  }

  /** Rows of the prologue that a pass has undone, in order. */
  int[] missing() {
    return missing;
  }
}
