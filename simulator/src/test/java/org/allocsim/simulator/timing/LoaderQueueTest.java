package org.allocsim.simulator.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.trace.Loader;
import org.junit.jupiter.api.Test;

class LoaderQueueTest {
  private static long after(LoaderQueue queue, int batches, long stepNanos) {
    long now = 0;
    for (int i = 0; i < batches; i++) {
      now = queue.take(now) + stepNanos;
    }
    return now;
  }

  @Test
  void withoutWorkersTheProgramPreparesEveryBatchItself() {
    assertEquals(10 * (100 + 30), after(new LoaderQueue(new Loader(0, 2, 100, 0, 1)), 10, 30));
  }

  @Test
  void oneWorkerHidesTheShorterOfLoadingAndStep() {
    assertEquals(100 + 9 * 100 + 30, after(new LoaderQueue(new Loader(1, 2, 100, 0, 1)), 10, 30));
    assertEquals(100 + 10 * 300, after(new LoaderQueue(new Loader(1, 2, 100, 0, 1)), 10, 300));
  }

  @Test
  void workersDivideTheBatchesAmongThem() {
    // Four workers make a batch every 25 on average; the program needs 30.
    long end = after(new LoaderQueue(new Loader(4, 2, 100, 0, 1)), 1_000, 30);
    assertEquals(100 + 1_000 * 30, end);
  }

  @Test
  void workersAreNoFurtherAheadThanTheirPrefetch() {
    LoaderQueue queue = new LoaderQueue(new Loader(1, 2, 100, 0, 1));
    assertEquals(100, queue.take(0));
    // The program pauses: two batches are ready, the third was not begun before now.
    assertEquals(10_000, queue.take(10_000));
    assertEquals(10_000, queue.take(10_000));
    assertEquals(10_100, queue.take(10_000));
  }

  @Test
  void theSameSeedGivesTheSameTimes() {
    Loader loader = new Loader(2, 2, 100, 90, 5);
    long first = after(new LoaderQueue(loader), 50, 10);
    assertEquals(first, after(new LoaderQueue(loader), 50, 10));
    assertTrue(first != after(new LoaderQueue(new Loader(2, 2, 100, 90, 6)), 50, 10));
  }
}
