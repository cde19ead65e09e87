package org.allocsim.simulator.policy.classic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Random sequences give the same addresses as models that search lists from end to end. */
class ClassicModelsTest {
  private static final int REQUESTS = 3000;

  @FunctionalInterface
  private interface Allocation {
    long allocate(int allocation, long bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "first-fit, 1, 1", "first-fit, 512, 2", "first-fit, 8, 3",
    "best-fit, 1, 4", "best-fit, 512, 5", "best-fit, 8, 6",
    "next-fit, 1, 7", "next-fit, 512, 8", "next-fit, 8, 9",
    "worst-fit, 1, 10", "worst-fit, 512, 11", "worst-fit, 8, 12",
    "tlsf, 8, 13", "tlsf, 512, 14", "tlsf, 16, 15"
  })
  void everyFitPlacesAsItsListModel(String policy, int unit, int seed) {
    NaiveFits model = new NaiveFits(policy, unit);
    ClassicHeap heap = ClassicHeap.ofUnit(policy, unit);
    compare(heap, model::allocate, model::free, seed);
    assertEquals(1, heap.layout().blockCount());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 256})
  void buddiesPlaceAsTheirModel(int least) {
    NaiveBuddies model = new NaiveBuddies(least);
    compare(ClassicHeap.ofUnit("buddy", least), model::allocate, model::free, least);
  }

  private static void compare(ClassicHeap heap, Allocation allocation, IntConsumer free, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> live = new ArrayList<>();
    int largest = 4 + random.nextInt(18);
    for (int i = 0; i < REQUESTS; i++) {
      boolean shrinks = i / 300 % 2 == 1;
      if (!live.isEmpty() && random.nextInt(100) < (shrinks ? 55 : 40)) {
        int index = random.nextInt(live.size());
        int freed = live.set(index, live.getLast());
        live.removeLast();
        heap.free(freed);
        free.accept(freed);
      } else {
        long bytes = 1 + random.nextLong(1L << random.nextInt(largest));
        assertEquals(allocation.allocate(i, bytes), heap.allocate(i, bytes), "request " + i);
        live.add(i);
      }
      assertEquals(heap.inactiveBlocks(), heap.stats.get("inactive_split.all.current"));
    }
    for (int last : live) {
      heap.free(last);
      free.accept(last);
    }
    assertEquals(0, heap.stats.inactiveSplitBytes());
  }
}
