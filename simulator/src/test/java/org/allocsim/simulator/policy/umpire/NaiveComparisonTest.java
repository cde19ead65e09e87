package org.allocsim.simulator.policy.umpire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random requests have the same outcome in the pools and in a model that only follows rules. */
class NaiveComparisonTest {
  @ParameterizedTest
  @CsvSource({
    "1, umpire-quick, percent_releasable_hwm(100), 1000000000",
    "2, umpire-quick, percent_releasable(30), 1000000000",
    "3, umpire-quick, percent_releasable_hwm(25), 1000000000",
    "4, umpire-quick, blocks_releasable(3), 60000",
    "5, umpire-quick, percent_releasable(0), 40000",
    "6, umpire-list, percent_releasable_hwm(100), 1000000000",
    "7, umpire-list, percent_releasable(30), 1000000000",
    "8, umpire-list, percent_releasable_hwm(25), 60000",
    "9, umpire-list, blocks_releasable_hwm(2), 1000000000",
    "10, umpire-list, blocks_releasable(1), 40000"
  })
  void poolActsAsItsRulesSay(int seed, String policy, String heuristic, long capacity)
      throws Exception {
    RequestScript script =
        new RequestScript(
            policy, Map.of("first", "8KiB", "next", "1KiB", "coalesce", heuristic), capacity, -1);
    UmpirePool pool = (UmpirePool) script.policy();
    NaiveUmpirePool naive =
        new NaiveUmpirePool(
            policy.equals("umpire-quick"),
            8192,
            1024,
            CoalesceHeuristic.parse(heuristic),
            capacity);
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> live = new ArrayList<>();
    boolean filling = true;
    for (int i = 0; i < 4000; i++) {
      filling = live.isEmpty() || (live.size() < 60 && filling);
      if (!live.isEmpty() && random.nextInt(100) < (filling ? 35 : 65)) {
        int index = random.nextInt(live.size());
        int id = live.get(index);
        live.subList(index, index + 1).clear();
        script.free(id);
        naive.free(id);
      } else {
        long bytes = random.nextBoolean() ? 1 + random.nextLong(3000) : 1 + random.nextLong(100);
        int id = script.allocate(bytes);
        assertEquals(naive.allocate(id, bytes), script.address(id), "request " + i);
        live.add(id);
      }
      assertEquals(naive.actualBytes(), pool.actualBytes(), "request " + i);
      assertEquals(naive.releasableBytes(), pool.releasableBytes());
      assertEquals(naive.releasableBlocks(), pool.releasableBlocks());
      assertEquals(naive.highWatermark, pool.highWatermarkBytes());
    }
    assertEquals(capacity < 1_000_000_000, script.failures() > 0, "requests that fail");
    assertTrue(
        !script.returns().isEmpty() || heuristic.equals("percent_releasable(0)"), "coalescing");
  }
}
