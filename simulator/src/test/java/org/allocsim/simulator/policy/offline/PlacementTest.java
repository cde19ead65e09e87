package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buffers placed one by one, against a search through all that were placed before. */
class PlacementTest {
  private static final int MIN_WINDOW = 64;

  private final List<Integer> placed = new ArrayList<>();
  private int[] starts = {};
  private int[] ends = {};
  private long[] bytes = {};
  private long[] offsets = {};
  private int times;

  /** Lifetimes of all lengths up to a power of two. */
  private Placement random(
      SplittableRandom random, int buffers, int times, int lengths, PlanBudget budget) {
    this.times = times;
    starts = new int[buffers];
    ends = new int[buffers];
    bytes = new long[buffers];
    offsets = new long[buffers];
    for (int i = 0; i < buffers; i++) {
      starts[i] = random.nextInt(times);
      int length = 1 + random.nextInt(1 << random.nextInt(lengths));
      ends[i] = Math.min(times, starts[i] + length);
      bytes[i] = 1L + random.nextInt(40);
    }
    return new Placement(starts, ends, bytes, times, budget);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 300, 200",
    "2, 500, 1000",
    "3, 500, 4097",
    "4, 700, 16384",
    "5, 900, 70000",
    "6, 20, 1"
  })
  void eachLiesInTheSmallestGapThatHoldsIt(int seed, int buffers, int times) {
    SplittableRandom random = new SplittableRandom(seed);
    Placement placement = random(random, buffers, times, 14, new PlanBudget(buffers));
    assertEquals(0, placement.height());
    long height = 0;
    for (int buffer = 0; buffer < buffers; buffer++) {
      assertTrue(placement.place(buffer));
      offsets[buffer] = smallestGap(buffer);
      assertEquals(offsets[buffer], placement.offset(buffer), "buffer " + buffer);
      placed.add(buffer);
      height = Math.max(height, offsets[buffer] + bytes[buffer]);
      assertEquals(height, placement.height());
    }
  }

  /** Through all placed ones in the order of their offsets. */
  private long smallestGap(int buffer) {
    long reached = 0;
    long found = -1;
    long smallest = Long.MAX_VALUE;
    for (int other :
        placed.stream()
            .filter(each -> starts[each] < ends[buffer] && starts[buffer] < ends[each])
            .sorted(Comparator.comparingLong(each -> offsets[each]))
            .toList()) {
      long gap = offsets[other] - reached;
      if (gap >= bytes[buffer] && gap < smallest) {
        smallest = gap;
        found = reached;
      }
      reached = Math.max(reached, offsets[other] + bytes[other]);
    }
    return found < 0 ? reached : found;
  }

  @ParameterizedTest
  @CsvSource({"1, 400, 1024", "2, 400, 4000", "3, 600, 10007", "4, 300, 100"})
  void aBufferIsComparedWithThoseOfTheNarrowestWindowOnly(int seed, int buffers, int times) {
    SplittableRandom random = new SplittableRandom(seed);
    PlanBudget budget = new PlanBudget(buffers);
    Placement placement = random(random, buffers, times, 7, budget);
    long steps = 0;
    for (int buffer = 0; buffer < buffers; buffer++) {
      steps += comparisons(buffer);
      assertTrue(placement.place(buffer));
      placed.add(buffer);
    }
    assertEquals(steps, takeAll(new PlanBudget(buffers)) - takeAll(budget));
  }

  /** Placed buffers that live in the narrowest window around a lifetime. */
  private long comparisons(int buffer) {
    int narrowest = times;
    long count = placed.size();
    for (int level = 1; Math.ceilDiv(times, 1 << level) >= MIN_WINDOW; level++) {
      int width = Math.ceilDiv(times, 1 << level);
      for (int shift : new int[] {width / 2, 0}) {
        int from = Math.floorDiv(starts[buffer] + shift, width) * width - shift;
        if (ends[buffer] <= from + width) {
          count =
              placed.stream()
                  .filter(other -> starts[other] < from + width && from < ends[other])
                  .count();
          narrowest = width;
        }
      }
    }
    assertTrue(narrowest >= ends[buffer] - starts[buffer]);
    return count;
  }

  /** Takes what is left of a budget; answers how much that was. */
  static long takeAll(PlanBudget budget) {
    long left = 0;
    for (long steps = 1 << 26; steps > 0; steps /= 2) {
      if (budget.spend(steps)) {
        left += steps;
      } else {
        budget.spend(-steps); // what is refused counts as taken
      }
    }
    return left;
  }

  @Test
  void aBufferThatTheBudgetDoesNotHoldIsNotPlaced() {
    PlanBudget budget = new PlanBudget(3);
    takeAll(budget);
    budget.spend(-1);
    Placement placement =
        new Placement(new int[3], new int[] {1, 1, 1}, new long[] {5, 5, 5}, 1, budget);
    assertTrue(placement.place(0));
    assertTrue(placement.place(1));
    assertFalse(placement.place(2));
    assertEquals(10, placement.height());
    assertEquals(List.of(0L, 5L), IntStream.range(0, 2).mapToObj(placement::offset).toList());
  }

  @Test
  void aBudgetGrowsWithTheBuffersWhereTheyAreMany() {
    assertEquals(1 << 26, takeAll(new PlanBudget(10_000)));
    assertEquals(4096 * 20_000, takeAll(new PlanBudget(20_000)));
  }
}
