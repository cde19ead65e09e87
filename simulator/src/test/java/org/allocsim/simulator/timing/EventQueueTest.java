package org.allocsim.simulator.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  @Test
  void entriesLeaveByTimeAndThenInTheOrderInWhichTheyCame() {
    SplittableRandom random = new SplittableRandom(3);
    EventQueue queue = new EventQueue();
    List<long[]> expected = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      long nanos = random.nextLong(50);
      queue.add(nanos, i);
      expected.add(new long[] {nanos, i});
    }
    expected.sort(Comparator.comparingLong(entry -> entry[0]));
    for (long[] entry : expected) {
      assertEquals(entry[0], queue.nextNanos());
      assertEquals(entry[1], queue.take());
    }
    assertTrue(queue.isEmpty());
  }
}
