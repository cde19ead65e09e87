package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts.StreamUse;

/** Tells which frees wait for another stream as the program was seen to ask for. */
final class RecordedUses {
  /** How far the clocks of recorder and history may be apart. */
  private static final long MAX_SKEW_NANOS = 2_000;

  private final Map<Long, Deque<Long>> timesNanos = new HashMap<>();

  RecordedUses(List<StreamUse> uses) {
    for (StreamUse use : uses) {
      timesNanos.computeIfAbsent(use.address(), _ -> new ArrayDeque<>()).add(use.timeNanos());
    }
  }

  /**
   * Takes the uses of the block that is freed now.
   *
   * @return whether there was one
   */
  boolean takeUntil(long address, long freedNanos) {
    Deque<Long> times = timesNanos.isEmpty() ? null : timesNanos.get(address);
    boolean found = false;
    while (times != null && !times.isEmpty() && times.getFirst() <= freedNanos + MAX_SKEW_NANOS) {
      times.removeFirst();
      found = true;
    }
    return found;
  }
}
