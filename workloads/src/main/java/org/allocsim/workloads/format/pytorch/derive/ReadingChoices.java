package org.allocsim.workloads.format.pytorch.derive;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which reading of each ambiguous step is taken. The first is the most natural one; one that leads
 * to a contradiction right there gives way to the next.
 */
final class ReadingChoices {
  private final Map<Integer, Integer> choiceOfRow = new HashMap<>();
  private int lastRow = -1;
  private int lastCount;

  /** The reading to take of the step at a row. */
  Reading choose(int row, List<Reading> readings) {
    lastRow = row;
    lastCount = readings.size();
    return readings.get(Math.min(choiceOfRow.getOrDefault(row, 0), lastCount - 1));
  }

  /**
   * Goes on to the next reading of the step that began at a row.
   *
   * @return false where that step has no further reading
   */
  boolean advance(int row) {
    int next = choiceOfRow.getOrDefault(row, 0) + 1;
    if (row != lastRow || next >= lastCount) {
      return false;
    }
    choiceOfRow.put(row, next);
    return true;
  }

  /** Begins again with the first reading of the step at a row. */
  void reset(int row) {
    choiceOfRow.remove(row);
  }
}
