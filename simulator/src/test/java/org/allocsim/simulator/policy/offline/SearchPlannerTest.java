package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchPlannerTest {
  private static PlanBudget ample() {
    return new PlanBudget(1 << 30);
  }

  /** Buffers in several parts, some of them below others, whose sizes are multiples of a unit. */
  private static Lifetimes parts(SplittableRandom random, int parts, int buffers, int sizes) {
    int unit = 1 + random.nextInt(3) * 255;
    long[][] rows =
        LongStream.range(0, (long) parts * buffers)
            .mapToObj(i -> {
              long start = i / buffers * 100;
              long lower = start + random.nextInt(60);
              long upper = Math.min(start + 100, lower + 1 + random.nextInt(60));
              return i % buffers == 0
                  ? new long[] {start, start + 40 + random.nextInt(61), unit}
                  : new long[] {lower, upper, (1 + random.nextInt(sizes)) * (long) unit};
            })
            .sorted((a, b) -> Long.compare(a[0], b[0]))
            .toArray(long[][]::new);
    return RandomLifetimes.ofRows(rows);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 14, 40, 3000", "2, 3, 9, 100, 5000", "3, 1, 30, 1000, 30000", "4, 2, 22, 5000, 60000",
    "5, 1, 40, 100000, 100000", "6, 4, 12, 20, 0", "7, 2, 16, 7, 20000", "8, 1, 60, 1000000, 50000"
  })
  void partsAreSearchedAtTheBoundAndThenByHalving(
      int seed, int parts, int buffers, int sizes, int nodes) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int run = 0; run < 8; run++) {
      Lifetimes lifetimes = parts(random, parts, buffers, sizes);
      Plan plan = SearchPlanner.plan(lifetimes, nodes, ample());
      Plan naive = NaiveSearchPlanner.plan(lifetimes, nodes);
      String where = "run " + run;
      assertEquals(naive.heightBytes(), plan.heightBytes(), where);
      assertEquals(naive.provenBytes(), plan.provenBytes(), where);
      assertArrayEquals(naive.offsets(), plan.offsets(), where);
      assertEquals(plan.heightBytes() == plan.provenBytes(), plan.isOptimal());
    }
  }

  /** Walls one after the other, each of its own height. */
  private static Lifetimes walls(
      SplittableRandom random, int walls, int times, int height, int widest, int highest) {
    List<long[]> rows = new ArrayList<>();
    for (int wall = 0; wall < walls; wall++) {
      Lifetimes own =
          RandomLifetimes.bricks(
              random, times, height + random.nextInt(3), widest, highest, 1 + random.nextInt(3));
      for (int i = 0; i < own.count(); i++) {
        long before = (long) wall * times;
        rows.add(new long[] {before + own.lower()[i], before + own.upper()[i], own.bytes()[i]});
      }
    }
    return RandomLifetimes.ofRows(rows.toArray(long[][]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 60, 1, 12, 8, 8, 3, 200", "2, 60, 1, 16, 10, 8, 4, 300", "3, 40, 3, 20, 8, 10, 3, 600",
    "4, 30, 2, 10, 8, 6, 4, 100", "5, 12, 1, 30, 20, 15, 6, 30000", "6, 8, 1, 40, 40, 15, 12, 60000"
  })
  void theNodesAreSharedByAllSearches(
      int seed, int runs, int walls, int times, int height, int widest, int highest, int nodes) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int run = 0; run < runs; run++) {
      Lifetimes lifetimes = walls(random, walls, times, height, widest, highest);
      int most = nodes / 4 + random.nextInt(nodes);
      Plan plan = SearchPlanner.plan(lifetimes, most, ample());
      Plan naive = NaiveSearchPlanner.plan(lifetimes, most);
      String where = "run " + run;
      assertEquals(naive.provenBytes(), plan.provenBytes(), where);
      assertArrayEquals(naive.offsets(), plan.offsets(), where);
    }
  }

  private static PlanBudget budgetOf(long steps) {
    PlanBudget budget = new PlanBudget(1);
    PlacementTest.takeAll(budget);
    budget.spend(-steps);
    return budget;
  }

  @Test
  void theLessTheBudgetHoldsTheHigherThePlan() {
    SplittableRandom random = new SplittableRandom(3);
    for (int run = 0; run < 10; run++) {
      Lifetimes lifetimes = walls(random, 2, 12, 9, 6, 4);
      long bound = lifetimes.maxLiveBytes();
      Plan full = SearchPlanner.plan(lifetimes, 2000, ample());
      long height = Long.MAX_VALUE;
      boolean whole = false;
      for (long steps = 0; !whole; steps += 1 + steps / 100) {
        Plan first = GreedyPlanner.plan(lifetimes, GreedyPlanner.Order.SIZE, budgetOf(steps));
        Plan plan = SearchPlanner.plan(lifetimes, 2000, budgetOf(steps));
        assertEquals(first == null, plan == null, steps + " steps");
        if (plan != null) {
          PlannersTest.assertDisjoint(lifetimes, plan);
          assertTrue(plan.heightBytes() <= height);
          assertTrue(plan.provenBytes() >= bound && plan.provenBytes() <= full.provenBytes());
          height = plan.heightBytes();
          whole = Arrays.equals(full.offsets(), plan.offsets());
        }
      }
      assertEquals(full.heightBytes(), height);
    }
  }
}
