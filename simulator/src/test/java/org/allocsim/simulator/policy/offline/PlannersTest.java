package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyRun;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicyTraits;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannersTest {
  private static long[] row(long... row) {
    return row;
  }

  /** The five buffers b1, b3, b5, b2, b4 of the specification, by lower. */
  private static Lifetimes fiveBuffers() {
    return RandomLifetimes.ofRows(
        row(0, 3, 4), row(0, 9, 4), row(0, 21, 4), row(3, 9, 4), row(9, 21, 4));
  }

  static void assertDisjoint(Lifetimes lifetimes, Plan plan) {
    for (int a = 0; a < lifetimes.count(); a++) {
      assertTrue(plan.offsets()[a] >= 0);
      assertTrue(plan.offsets()[a] + lifetimes.bytes()[a] <= plan.heightBytes());
      for (int b = 0; b < a; b++) {
        boolean together =
            lifetimes.lower()[a] < lifetimes.upper()[b]
                && lifetimes.lower()[b] < lifetimes.upper()[a];
        boolean apart =
            plan.offsets()[a] + lifetimes.bytes()[a] <= plan.offsets()[b]
                || plan.offsets()[b] + lifetimes.bytes()[b] <= plan.offsets()[a];
        assertTrue(!together || apart, "buffers " + a + " and " + b);
      }
    }
  }

  @Test
  void pln1EqualSizesAreTakenInTheirOrder() {
    Plan plan = GreedyPlanner.plan(fiveBuffers(), new int[] {0, 3, 1, 4, 2}, ample());
    assertArrayEquals(new long[] {0, 4, 8, 0, 0}, plan.offsets());
    assertEquals(12, plan.heightBytes());
    assertEquals(
        12, GreedyPlanner.plan(fiveBuffers(), GreedyPlanner.Order.SIZE, ample()).heightBytes());
    assertEquals(12, fiveBuffers().maxLiveBytes());
  }

  @Test
  void pln2TheLargestComesFirst() {
    Lifetimes lifetimes = RandomLifetimes.ofRows(row(0, 2, 4), row(1, 3, 2), row(2, 4, 4));
    Plan plan = GreedyPlanner.plan(lifetimes, GreedyPlanner.Order.SIZE, ample());
    assertArrayEquals(new long[] {0, 4, 0}, plan.offsets());
    assertEquals(6, plan.heightBytes());
  }

  @Test
  void pln3OnlyBuffersThatLiveTogetherAreInTheWay() {
    Lifetimes lifetimes =
        RandomLifetimes.ofRows(row(0, 10, 5), row(0, 4, 3), row(3, 6, 1), row(5, 10, 2));
    Plan plan = GreedyPlanner.plan(lifetimes, GreedyPlanner.Order.SIZE, ample());
    assertArrayEquals(new long[] {0, 5, 8, 5}, plan.offsets());
    assertEquals(9, plan.heightBytes());
    assertEquals(9, lifetimes.maxLiveBytes());
  }

  @Test
  void pln5OfEqualGapsTheLowestIsTaken() {
    Lifetimes lifetimes =
        RandomLifetimes.ofRows(
            row(0, 10, 4), row(0, 5, 2), row(0, 10, 4), row(0, 5, 2), row(0, 10, 4), row(5, 10, 2));
    Plan plan = GreedyPlanner.plan(lifetimes, IntStream.range(0, 6).toArray(), ample());
    assertArrayEquals(new long[] {0, 4, 6, 10, 12, 4}, plan.offsets());
  }

  @ParameterizedTest
  @EnumSource(PlacementSearch.Preference.class)
  void mma1TheExampleFitsItsCapacityAndNothingLess(PlacementSearch.Preference preference) {
    Lifetimes five = fiveBuffers();
    Sections sections = new Sections(five, IntStream.range(0, 5).toArray());
    PlacementSearch search = new PlacementSearch(five.bytes(), five.nanos(), sections);
    assertEquals(PlacementSearch.Result.FOUND, search.search(12, preference, 1000));
    assertDisjoint(five, Plan.of(five, search.offsets(), 12));
    assertEquals(PlacementSearch.Result.NONE, search.search(11, preference, 1000));
  }

  @ParameterizedTest
  @EnumSource(GreedyPlanner.Order.class)
  void greedyPlansAreThoseOfASearchThroughAllPlacedBuffers(GreedyPlanner.Order order) {
    SplittableRandom random = new SplittableRandom(order.ordinal());
    for (int run = 0; run < 60; run++) {
      Lifetimes lifetimes = RandomLifetimes.of(random, 1 + random.nextInt(80), 40, 30);
      Plan plan = GreedyPlanner.plan(lifetimes, order, ample());
      assertArrayEquals(naiveGreedy(lifetimes, order), plan.offsets());
      assertDisjoint(lifetimes, plan);
      assertTrue(plan.heightBytes() >= lifetimes.maxLiveBytes());
    }
  }

  private static long[] naiveGreedy(Lifetimes lifetimes, GreedyPlanner.Order order) {
    Comparator<Integer> key =
        switch (order) {
          case SIZE -> Comparator.comparingLong(i -> -lifetimes.bytes()[i]);
          case AREA -> Comparator.comparingLong(i -> -lifetimes.bytes()[i] * lifetimes.nanos()[i]);
          case LIFETIME -> Comparator.comparingLong(i -> -lifetimes.nanos()[i]);
          case TIME -> Comparator.comparingLong(i -> lifetimes.lower()[i]);
        };
    List<Integer> placed = new ArrayList<>();
    long[] offsets = new long[lifetimes.count()];
    for (int buffer :
        IntStream.range(0, lifetimes.count())
            .boxed()
            .sorted(key.thenComparingInt(i -> i))
            .toList()) {
      placed.sort(Comparator.comparingLong(i -> offsets[i]));
      long reached = 0;
      long best = -1;
      long bestGap = Long.MAX_VALUE;
      for (int other : placed) {
        if (lifetimes.lower()[buffer] < lifetimes.upper()[other]
            && lifetimes.lower()[other] < lifetimes.upper()[buffer]) {
          long gap = offsets[other] - reached;
          if (gap >= lifetimes.bytes()[buffer] && gap < bestGap) {
            bestGap = gap;
            best = reached;
          }
          reached = Math.max(reached, offsets[other] + lifetimes.bytes()[other]);
        }
      }
      offsets[buffer] = best >= 0 ? best : reached;
      placed.add(buffer);
    }
    return offsets;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void theSearchProvesTheLowestPlanThatTryingAllOrdersFinds(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int run = 0; run < 150; run++) {
      Lifetimes lifetimes =
          RandomLifetimes.of(random, 2 + random.nextInt(6), 3 + random.nextInt(8), 9);
      Plan plan = SearchPlanner.plan(lifetimes, 1_000_000, ample());
      assertDisjoint(lifetimes, plan);
      long lowest =
          lowest(lifetimes, new long[lifetimes.count()], new boolean[lifetimes.count()], 0);
      assertEquals(lowest, plan.heightBytes(), Arrays.toString(lifetimes.bytes()));
      assertTrue(plan.isOptimal());
    }
  }

  /** The least height over all orders in which buffers are put to the lowest place that is free. */
  private static long lowest(Lifetimes lifetimes, long[] offsets, boolean[] placed, long height) {
    long best = Long.MAX_VALUE;
    for (int buffer = 0; buffer < placed.length; buffer++) {
      if (!placed[buffer]) {
        offsets[buffer] = lowestPlace(lifetimes, offsets, placed, buffer);
        placed[buffer] = true;
        long top = Math.max(height, offsets[buffer] + lifetimes.bytes()[buffer]);
        best = Math.min(best, lowest(lifetimes, offsets, placed, top));
        placed[buffer] = false;
      }
    }
    return best == Long.MAX_VALUE ? height : best;
  }

  private static long lowestPlace(
      Lifetimes lifetimes, long[] offsets, boolean[] placed, int buffer) {
    long place = 0;
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int other = 0; other < placed.length; other++) {
        if (placed[other]
            && lifetimes.lower()[buffer] < lifetimes.upper()[other]
            && lifetimes.lower()[other] < lifetimes.upper()[buffer]
            && offsets[other] < place + lifetimes.bytes()[buffer]
            && place < offsets[other] + lifetimes.bytes()[other]) {
          place = offsets[other] + lifetimes.bytes()[other];
          moved = true;
        }
      }
    }
    return place;
  }

  @ParameterizedTest
  @CsvSource({"12, 30", "40, 60", "120, 200"})
  void theSearchIsNeverAboveTheGreedyPlansAndNeverBelowWhatItProved(int buffers, int times) {
    SplittableRandom random = new SplittableRandom(buffers);
    for (int run = 0; run < 10; run++) {
      Lifetimes lifetimes = RandomLifetimes.of(random, buffers, times, 1 << 20);
      Plan plan = SearchPlanner.plan(lifetimes, 20_000, ample());
      assertDisjoint(lifetimes, plan);
      assertTrue(plan.heightBytes() >= plan.provenBytes());
      assertTrue(plan.provenBytes() >= lifetimes.maxLiveBytes());
      for (GreedyPlanner.Order order : GreedyPlanner.Order.values()) {
        assertTrue(
            plan.heightBytes() <= GreedyPlanner.plan(lifetimes, order, ample()).heightBytes());
      }
      assertArrayEquals(plan.offsets(), SearchPlanner.plan(lifetimes, 20_000, ample()).offsets());
    }
  }

  @Test
  void withoutNodesTheBestGreedyPlanCounts() {
    Lifetimes lifetimes = RandomLifetimes.of(new SplittableRandom(7), 60, 60, 100);
    Plan plan = SearchPlanner.plan(lifetimes, 0, ample());
    assertDisjoint(lifetimes, plan);
    assertEquals(lifetimes.maxLiveBytes(), plan.provenBytes());
  }

  @Test
  void aPlanThatIsHigherThanTheDeviceFailsEveryRequestButIsNotTriedInParts() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(6L << 20, 0, PoolId.DEFAULT);
    trace.allocate(6L << 20, 0, PoolId.DEFAULT);
    PolicyRun run =
        PolicyRun.of(
            "plan-greedy-size",
            Map.of(),
            RandomTraces.build(trace),
            8L << 20,
            -1,
            PolicyTraits.USUAL,
            true);
    assertEquals(2, run.count(EffectKind.OOM));
    assertEquals(0, run.peakReservedBytes());
  }

  @Test
  void planningWithoutTheRequestsIsRefused() {
    UnfitTraceException error =
        assertThrows(
            UnfitTraceException.class, () -> create("plan-search", Map.of(), FutureRequests.NONE));
    assertTrue(error.getMessage().startsWith("all requests"), error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "plan-greedy-size, order, colour, size",
    "plan-greedy-size, alignment, 3, power of two",
    "plan-search, nodes, -1, whole number",
    "max-live, unit, 1, it has none"
  })
  void aBadOptionIsRefusedWithASentence(String policy, String option, String value, String part) {
    FutureRequests future =
        new FutureRequests(RandomTraces.build(new AllocationTrace.Builder()), 0);
    PolicyOptionException error =
        assertThrows(
            PolicyOptionException.class, () -> create(policy, Map.of(option, value), future));
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  private static void create(String policy, Map<String, String> options, FutureRequests future)
      throws PolicyOptionException, UnfitTraceException {
    Policies.named(policy)
        .orElseThrow()
        .create(
            new PolicySettings(-1, options),
            future,
            new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30)),
            EffectListeners.NONE);
  }

  private static PlanBudget ample() {
    return new PlanBudget(1 << 30);
  }

  @Test
  void lifetimesThatNestDeeplyAreTakenApartWithoutARecursion() {
    int depth = 6_000;
    long[] lower = LongStream.range(0, depth).toArray();
    long[] upper = LongStream.range(0, depth).map(i -> 2L * depth - i).toArray();
    long[] bytes = LongStream.range(0, depth).map(i -> 1 + i % 7).toArray();
    Lifetimes nested = new Lifetimes(lower, upper, bytes, bytes);
    Plan plan = SearchPlanner.plan(nested, 1000, ample());
    assertEquals(nested.maxLiveBytes(), plan.heightBytes());
  }

  @Test
  void aSearchThatTheBudgetDoesNotHoldKeepsTheGreedyPlan() {
    Lifetimes lifetimes = fiveBuffers();
    PlanBudget budget = new PlanBudget(0);
    Plan greedy = GreedyPlanner.plan(lifetimes, GreedyPlanner.Order.SIZE, budget);
    while (budget.spend(1 << 20)) {
      // Until nearly nothing is left.
    }
    assertEquals(12, greedy.heightBytes());
    assertNull(SearchPlanner.plan(lifetimes, 1000, budget));
  }

  @Test
  void aTraceThatNoBudgetHoldsIsNotRun() {
    int count = 20_000;
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int i = 0; i < count; i++) {
      trace.allocate(512L * (1 + i % 700), 0, PoolId.DEFAULT);
    }
    UnfitTraceException error =
        assertThrows(
            UnfitTraceException.class,
            () ->
                create(
                    "plan-greedy-size",
                    Map.of(),
                    new FutureRequests(RandomTraces.build(trace), 0)));
    assertTrue(error.getMessage().startsWith("fewer allocations live at the same time"));
  }
}
