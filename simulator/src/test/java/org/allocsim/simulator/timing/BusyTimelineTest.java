package org.allocsim.simulator.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BusyTimelineTest {
  @Test
  void noBusyTimeIsLostHoweverLongItGoesOn() {
    SplittableRandom random = new SplittableRandom(9);
    BusyTimeline busy = new BusyTimeline();
    long now = 0;
    long sum = 0;
    for (int i = 0; i < 100_000; i++) {
      now += random.nextLong(0, 5_000);
      long length = random.nextLong(1, 9_000);
      busy.add(now, now + length);
      now += length;
      sum += length;
    }
    long inStretches = 0;
    for (int i = 0; i < busy.stretchCount(); i++) {
      assertTrue(busy.busyNanos(i) >= 0 && busy.busyNanos(i) <= busy.widthNanos());
      inStretches += busy.busyNanos(i);
    }
    assertEquals(sum, busy.totalNanos());
    assertEquals(sum, inStretches);
  }

  @Test
  void theLastMomentsOfALongAreTimesLikeOthers() {
    BusyTimeline busy = new BusyTimeline();
    busy.add(Long.MAX_VALUE - 10, Long.MAX_VALUE);
    assertEquals(10, busy.totalNanos());
    assertEquals(10, busy.busyNanos(busy.stretchCount() - 1));
  }
}
