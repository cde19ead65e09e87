package org.allocsim.simulator.growth;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * How the work of each policy grows with the trace, over three decades: no faster than n log n.
 * Work is counted in branches, calls and elements copied, so that the machine does not matter.
 */
class PolicyGrowthTest {
  private static final int FIRST_ROWS = 20;
  private static final int DECADES = 3;

  /** Ten times the square of a decade's growth would be 6 to 8 of n log n. */
  private static final double MAX_GROWTH = 2.5;

  /** PyTorch's settings that change how blocks are found and released. */
  private static final List<String> SETTINGS =
      List.of(
          "pytorch(conf=expandable_segments:True)",
          "pytorch(conf=max_split_size_mb:64)",
          "pytorch(conf=roundup_power2_divisions:4)");

  /**
   * What grows with the square. Plans end at their {@code PlanBudget}, however many rows there are;
   * the others search as the allocators do whose rules they follow, and say so in their
   * descriptions.
   */
  private static final Map<String, Set<Scenario>> SLOWER =
      Map.ofEntries(
          // Here addresses run out; a failure looks through the lists of all streams and pools.
          Map.entry(
              "pytorch(conf=expandable_segments:True)", Set.of(Scenario.POOLS, Scenario.STREAMS)),
          // A refused request empties the arenas of all threads.
          Map.entry("rmm-arena", Set.of(Scenario.REFUSED)),
          // A request looks through the lists of all streams.
          Map.entry("cuda-async", Set.of(Scenario.STREAMS)),
          Map.entry("rmm-binning", Set.of(Scenario.STREAMS)),
          Map.entry("rmm-fixed", Set.of(Scenario.STREAMS)),
          Map.entry("rmm-pool", Set.of(Scenario.STREAMS)),
          // Giving back looks at every free block.
          Map.entry("gmlake", Set.of(Scenario.EMPTIED, Scenario.REFUSED)),
          Map.entry("ort-arena", Set.of(Scenario.EMPTIED)),
          Map.entry("umpire-list", Set.of(Scenario.EMPTIED)),
          Map.entry("umpire-quick", Set.of(Scenario.EMPTIED)),
          Map.entry(
              "plan-greedy-size",
              Set.of(
                  Scenario.EMPTIED,
                  Scenario.FRAGMENTED,
                  Scenario.REFUSED,
                  Scenario.STREAMS,
                  Scenario.USES)),
          Map.entry(
              "plan-search",
              Set.of(
                  Scenario.EMPTIED,
                  Scenario.FRAGMENTED,
                  Scenario.REFUSED,
                  Scenario.STEADY,
                  Scenario.STREAMS,
                  Scenario.USES)),
          Map.entry(
              "stalloc",
              Set.of(Scenario.EMPTIED, Scenario.FRAGMENTED, Scenario.REFUSED, Scenario.STREAMS)));

  private static ClassLoader loader;
  private static MethodHandle steps;

  @BeforeAll
  static void load() throws ReflectiveOperationException {
    loader = new StepCountingLoader("org.allocsim.simulator.");
    steps =
        MethodHandles.lookup()
            .findStatic(
                loader.loadClass(CountedReplay.class.getName()),
                "steps",
                MethodType.methodType(
                    long.class, String.class, String.class, int.class, long.class));
  }

  @TestFactory
  Stream<DynamicTest> workGrowsNoFasterThanSorting() {
    Stream<String> policies = Policies.all().stream().map(PolicyProvider::spec).map(s -> s.id());
    return Stream.concat(policies, SETTINGS.stream())
        .flatMap(policy ->
            Stream.of(Scenario.values())
                .map(scenario ->
                    DynamicTest.dynamicTest(
                        policy + " " + scenario, () -> check(policy, scenario))));
  }

  private static void check(String policy, Scenario scenario) throws Throwable {
    List<Long> counts = new ArrayList<>();
    int rows = FIRST_ROWS;
    long most = Long.MAX_VALUE;
    boolean mayBeSlower = SLOWER.getOrDefault(policy, Set.of()).contains(scenario);
    for (int decade = 0; decade <= DECADES; decade++) {
      try {
        long count = count(policy, scenario, rows, most);
        if (count == CountedReplay.NOT_RUN) {
          return;
        }
        counts.add(count);
        most = (long) (MAX_GROWTH * count * sorting(10 * rows) / sorting(rows));
      } catch (Steps.Exceeded e) {
        if (mayBeSlower) {
          return;
        }
        fail(
            policy
                + " "
                + scenario
                + " of "
                + rows
                + " rows: more than "
                + most
                + " steps, after "
                + counts);
      }
      rows *= 10;
    }
    assertTrue(!mayBeSlower, policy + " " + scenario + " is listed though it grows no faster");
  }

  private static double sorting(int rows) {
    return rows * Math.log(rows);
  }

  private static long count(String policy, Scenario scenario, int rows, long most)
      throws Throwable {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return (long) steps.invokeExact(policy, scenario.name(), rows, most);
    } finally {
      Steps.stop();
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
