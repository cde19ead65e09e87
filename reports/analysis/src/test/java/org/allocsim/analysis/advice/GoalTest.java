package org.allocsim.analysis.advice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.allocsim.analysis.advice.Goal.Fit;
import org.junit.jupiter.api.Test;

class GoalTest {
  private static final Goal GOAL = new Goal(1000, true, 0.05);

  private static Trial.Outcome outcome(long reserved, Long high, long best) {
    return new Trial.Outcome(
        reserved, reserved, reserved, high, "", "expandable_segments:True", best, null);
  }

  @Test
  void theMarginStaysFreeAndTheUpperEndIsWithinTheLimit() {
    assertEquals(Fit.YES, GOAL.fit(outcome(950, 1000L, 950)));
    assertEquals(Fit.NO, GOAL.fit(outcome(951, 960L, 951)));
    assertEquals(Fit.NO, GOAL.fit(outcome(940, 1001L, 940)));
  }

  @Test
  void otherSettingsAreSaidWhereTheyAreNeeded() {
    assertEquals(Fit.WITH_SETTINGS, GOAL.fit(outcome(1100, 1100L, 900)));
    assertEquals(Fit.YES, GOAL.fit(outcome(900, 900L, 800)));
    // The upper end is as far above under other settings.
    assertEquals(Fit.NO, GOAL.fit(outcome(1000, 1200L, 900)));
  }

  @Test
  void whatGrowsWithEachStepFitsNothing() {
    assertEquals(Fit.NO, GOAL.fit(outcome(10, null, 10)));
  }

  @Test
  void aGoalIsMemoryAndAShareOfIt() {
    assertThrows(IllegalArgumentException.class, () -> new Goal(0, true, 0));
    assertThrows(IllegalArgumentException.class, () -> new Goal(1, true, 1));
    assertThrows(IllegalArgumentException.class, () -> new Goal(1, true, Double.NaN));
  }
}
