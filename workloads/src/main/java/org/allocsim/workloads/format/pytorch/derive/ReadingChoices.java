package org.allocsim.workloads.format.pytorch.derive;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which reading of each ambiguous step is taken. The first is the most natural one; one that leads
 * to a contradiction right there gives way to the next, and when all do, the one that explains most
 * rows is kept.
 */
final class ReadingChoices {
  private static final class Choice {
    int taken;
    int best;
    int bestPosition = -1;
    boolean settled;
  }

  private final Map<Integer, Choice> choices = new HashMap<>();
  private int lastRow = -1;
  private int lastCount;

  /** The step at a row has one reading. */
  void only(int row) {
    lastRow = row;
    lastCount = 1;
  }

  /** The reading to take of the step at a row. */
  Reading choose(int row, List<Reading> readings) {
    lastRow = row;
    lastCount = readings.size();
    Choice choice = choices.get(row);
    return readings.get(choice == null ? 0 : Math.min(choice.taken, lastCount - 1));
  }

  /**
   * Goes on to another reading of the step that began at a row.
   *
   * @param position row that contradicts the reading taken
   * @return false where that step has no other reading
   */
  boolean advance(int row, int position) {
    if (row != lastRow) {
      return false;
    }
    Choice choice = choices.computeIfAbsent(row, key -> new Choice());
    if (choice.settled) {
      return false;
    }
    if (position > choice.bestPosition) {
      choice.best = choice.taken;
      choice.bestPosition = position;
    }
    if (choice.taken + 1 < lastCount) {
      choice.taken++;
      return true;
    }
    choice.settled = true;
    boolean back = choice.taken != choice.best;
    choice.taken = choice.best;
    return back;
  }

  /** Forgets what was taken of the step at a row, because what led to it has changed. */
  void reset(int row) {
    choices.remove(row);
  }
}
