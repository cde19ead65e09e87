package org.allocsim.analysis.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.job.FailureOrder.Unknown;
import org.junit.jupiter.api.Test;

/** Which rank failed first is said only where clocks can be compared. */
class FailureOrderTest {
  private static Ranked<RankFailure> rank(
      int number, String host, long failed, long first, long last, boolean isWallClock) {
    return new Ranked<>(
        new Rank(number, host, Path.of("rank" + number), "rank" + number),
        new RankFailure(failed, first, last, isWallClock));
  }

  @Test
  void theEarliestFailureIsFirst() {
    FailureOrder order =
        FailureOrder.of(List.of(rank(0, null, 70, 10, 80, true), rank(1, null, 60, 20, 90, true)));
    assertEquals(Optional.empty(), order.unknown());
    assertEquals(1, order.failed().getFirst().rank().number());
    assertEquals(10, order.leadNanos());
  }

  @Test
  void oneFailureNeedsNoClock() {
    FailureOrder order = FailureOrder.of(List.of(rank(3, null, 70, 10, 80, false)));
    assertEquals(Optional.empty(), order.unknown());
    assertEquals(Optional.empty(), FailureOrder.of(List.of()).unknown());
  }

  @Test
  void withoutCommonClockTheOrderIsUnknownAndThatOfTheRanksIsKept() {
    Ranked<RankFailure> first = rank(0, null, 70, 10, 80, true);
    assertUnknown(Unknown.NO_CLOCK, first, rank(1, null, 60, 20, 90, false));
    assertUnknown(Unknown.NO_OVERLAP, first, rank(1, null, 90, 81, 95, true));
    assertUnknown(Unknown.SAME_TIME, first, rank(1, null, 70, 20, 90, true));
    assertUnknown(
        Unknown.SEVERAL_HOSTS, rank(0, "a", 70, 10, 80, true), rank(1, "b", 60, 20, 90, true));
  }

  private static void assertUnknown(
      Unknown reason, Ranked<RankFailure> first, Ranked<RankFailure> second) {
    FailureOrder order = FailureOrder.of(List.of(first, second));
    assertEquals(Optional.of(reason), order.unknown());
    assertEquals(List.of(first, second), order.failed());
  }
}
