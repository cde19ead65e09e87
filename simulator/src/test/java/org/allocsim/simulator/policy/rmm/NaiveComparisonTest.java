package org.allocsim.simulator.policy.rmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random requests have the same outcome in the policies and in models that only follow rules. */
class NaiveComparisonTest {
  private static final int REQUESTS = 3000;
  private static final long[] STREAMS = {0, 16, 32, 48};

  private interface Model {
    long allocate(int id, long bytes, int stream);

    void free(int id, int stream);
  }

  /** Answers how many requests failed. */
  private static int compare(
      int seed, int streams, long maxBytes, RequestScript script, Model model, Runnable after) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> live = new ArrayList<>();
    int failures = 0;
    for (int i = 0; i < REQUESTS; i++) {
      int stream = random.nextInt(streams);
      if (!live.isEmpty() && random.nextInt(100) < (live.size() > 40 ? 65 : 40)) {
        int index = random.nextInt(live.size());
        int id = live.get(index);
        live.subList(index, index + 1).clear();
        script.free(id, stream);
        model.free(id, stream);
      } else {
        long bytes =
            random.nextInt(3) == 0 ? 1 + random.nextLong(2000) : 1 + random.nextLong(maxBytes);
        int id = script.allocate(bytes, stream);
        assertEquals(model.allocate(id, bytes, stream), script.address(id), "request " + i);
        failures += script.isServed(id) ? 0 : 1;
        live.add(id);
      }
      after.run();
    }
    return failures;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 0, -1, 1000000000",
    "2, 2, 0, -1, 1000000000",
    "3, 4, 65536, -1, 1000000000",
    "4, 3, 262144, 400128, 1000000000",
    "5, 4, 0, 300032, 1000000000",
    "6, 4, 0, -1, 250000",
    "7, 2, 131072, 1000192, 200000",
    "8, 1, 0, 200192, 150001"
  })
  void poolActsAsItsRulesSay(int seed, int streams, long initial, long maximum, long capacity)
      throws Exception {
    RequestScript script =
        new RequestScript(
            "rmm-pool",
            maximum < 0
                ? Map.of("initial", Long.toString(initial))
                : Map.of("initial", Long.toString(initial), "max", Long.toString(maximum)),
            capacity,
            -1);
    NaivePool naive = new NaivePool(initial, maximum, capacity);
    PoolMemoryResource pool = (PoolMemoryResource) script.policy();
    Model model =
        new Model() {
          @Override
          public long allocate(int id, long bytes, int stream) {
            return naive.allocate(id, bytes, stream);
          }

          @Override
          public void free(int id, int stream) {
            naive.free(id, stream);
          }
        };
    int failures =
        compare(
            seed,
            streams,
            20_000,
            script,
            model,
            () -> {
              if (pool.poolBytes() > 0) {
                assertEquals(naive.poolBytes, pool.poolBytes());
              }
              assertEquals(naive.streamWaits, pool.streamWaits());
              assertEquals(naive.searches, pool.searches());
              assertEquals(naive.scannedBlocks, pool.scannedBlocks());
            });
    assertEquals(naive.freeBlocks(), script.freeBlocks());
    assertEquals(streams > 1, naive.streamWaits > 0);
    assertEquals(maximum >= 0 || capacity < 1_000_000_000, failures > 0, "requests that fail");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 64, 3000000",
    "2, 2, 64, 3000000",
    "3, 4, 40, 3000000",
    "4, 4, 24, 1500000",
    "5, 3, 33, 2500000",
    "6, 4, 9, 400000"
  })
  void arenaActsAsItsRulesSay(int seed, int streams, int sizeMib, long maxBytes) throws Exception {
    RequestScript script =
        RequestScript.onStreams("rmm-arena", Map.of("size", sizeMib + "MiB"), STREAMS);
    NaiveArena naive = new NaiveArena((long) sizeMib << 20);
    ArenaMemoryResource arena = (ArenaMemoryResource) script.policy();
    Model model =
        new Model() {
          @Override
          public long allocate(int id, long bytes, int stream) {
            return naive.allocate(id, bytes, stream);
          }

          @Override
          public void free(int id, int stream) {
            naive.free(id, stream);
          }
        };
    int failures =
        compare(
            seed,
            streams,
            maxBytes,
            script,
            model,
            () -> {
              assertEquals(naive.deviceSynchronizations, script.synchronizations());
              assertEquals(naive.deviceSynchronizations, script.retries());
              assertEquals(naive.streamSynchronizations, arena.streamSynchronizations());
            });
    assertTrue(naive.deviceSynchronizations > 0, "superblocks that return");
    assertTrue(failures > 0, "requests that fail");
  }
}
