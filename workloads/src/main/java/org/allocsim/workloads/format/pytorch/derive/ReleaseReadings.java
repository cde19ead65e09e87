package org.allocsim.workloads.format.pytorch.derive;

import java.util.HashMap;
import java.util.Map;

/**
 * How releases of memory were read: as a request's own doing, or as a cache that the program
 * emptied. A reading that leads to a contradiction right there is tried the other way round, once.
 */
final class ReleaseReadings {
  private final Map<Integer, Boolean> reversed = new HashMap<>();
  private int lastRow = -1;
  private boolean lastReading;

  /** The reading of the release at a row, given what the state suggests. */
  boolean read(int row, boolean suggested) {
    lastRow = row;
    lastReading = reversed.getOrDefault(row, suggested);
    return lastReading;
  }

  /** Whether the contradiction in the step that began at a row can be met by another reading. */
  boolean reverse(int row) {
    if (row != lastRow || reversed.containsKey(row)) {
      return false;
    }
    reversed.put(row, !lastReading);
    return true;
  }
}
