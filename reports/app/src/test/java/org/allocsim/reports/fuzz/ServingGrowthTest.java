package org.allocsim.reports.fuzz;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.simulator.growth.StepCountingLoader;
import org.allocsim.simulator.growth.Steps;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * How the work of serving with each KV cache grows with the requests or their tokens, over three
 * decades: no faster than n log n. Work is counted in branches, calls and elements copied, so that
 * the machine does not matter.
 */
class ServingGrowthTest {
  private static final int FIRST_ROWS = 10;
  private static final int DECADES = 3;

  /** Ten times the square of a decade's growth would be 6 to 8 of n log n. */
  private static final double MAX_GROWTH = 2.5;

  private static ClassLoader loader;
  private static MethodHandle steps;

  @BeforeAll
  static void load() throws ReflectiveOperationException {
    loader = new StepCountingLoader("org.allocsim.");
    steps =
        MethodHandles.lookup()
            .findStatic(
                loader.loadClass(GrowingTraffic.class.getName()),
                "steps",
                MethodType.methodType(
                    long.class, String.class, String.class, int.class, long.class));
  }

  @TestFactory
  Stream<DynamicTest> workGrowsNoFasterThanSorting() {
    return Stream.of(CacheKind.values())
        .flatMap(cache ->
            Stream.of(GrowingTraffic.values())
                .map(traffic ->
                    DynamicTest.dynamicTest(
                        cache.label() + " " + traffic, () -> check(cache, traffic))));
  }

  private static void check(CacheKind cache, GrowingTraffic traffic) throws Throwable {
    List<Long> counts = new ArrayList<>();
    long most = Long.MAX_VALUE;
    int rows = FIRST_ROWS;
    // What is made once, when it is first needed, does not grow.
    count(cache, traffic, rows, most);
    for (int decade = 0; decade <= DECADES; decade++) {
      try {
        long count = count(cache, traffic, rows, most);
        counts.add(count);
        most = (long) (MAX_GROWTH * count * sorting(10 * rows) / sorting(rows));
      } catch (Steps.Exceeded e) {
        fail(
            cache
                + " "
                + traffic
                + " of "
                + rows
                + " rows: more than "
                + most
                + " steps, after "
                + counts);
      }
      rows *= 10;
    }
  }

  private static double sorting(int rows) {
    return rows * Math.log(rows);
  }

  private static long count(CacheKind cache, GrowingTraffic traffic, int rows, long most)
      throws Throwable {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return (long) steps.invokeExact(traffic.name(), cache.name(), rows, most);
    } finally {
      Steps.stop();
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
