package org.allocsim.analysis.colocate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SharedTimelineTest {
  /** Two processes in ten nanoseconds, five stretches of two. */
  @Test
  void aStretchShowsTheMomentWithTheMost() {
    SharedTimeline timeline = new SharedTimeline(2);
    timeline.changed(0, 0, 5);
    timeline.changed(2, 1, 4);
    timeline.changed(2, 0, 7);
    timeline.changed(3, 0, 1);
    timeline.changed(8, 1, 0);
    assertArrayEquals(
        new long[][] {{5, 0}, {7, 4}, {1, 4}, {1, 4}, {1, 4}}, timeline.stretches(5, 9));
    timeline.changed(9, 0, 3);
    assertArrayEquals(
        new long[][] {{5, 0}, {7, 4}, {1, 4}, {1, 4}, {1, 4}}, timeline.stretches(5, 9));
    assertArrayEquals(new long[][] {{7, 4}}, timeline.stretches(1, 9));
  }

  @Test
  void noPeakIsLostHoweverFewTheStretches() {
    for (long seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      SharedTimeline timeline = new SharedTimeline(3);
      long[] held = new long[3];
      long nanos = 0;
      long peak = 0;
      for (int i = 0; i < 2000; i++) {
        nanos += random.nextInt(3);
        int process = random.nextInt(3);
        held[process] = random.nextInt(1000);
        timeline.changed(nanos, process, held[process]);
        peak = Math.max(peak, held[0] + held[1] + held[2]);
      }
      long drawn = 0;
      for (long[] stretch : timeline.stretches(1 + random.nextInt(300), nanos)) {
        drawn = Math.max(drawn, stretch[0] + stretch[1] + stretch[2]);
      }
      assertEquals(peak, drawn, "seed " + seed);
    }
  }
}
