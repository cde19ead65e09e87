package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests are served at once, without the steps that few settings need. */
class PlainServiceTest {
  private static final long MIB = 1L << 20;
  private static final long[] SIZES = {512, 700 << 10, 5 * MIB, 64 * MIB};
  private static final int ROUNDS = 20;

  private static CachingAllocator allocator(String conf, EffectListener listener)
      throws ConfigException {
    return new CachingAllocator(
        ConfigParser.parse(conf, PyTorchVersion.DEFAULT).allocator(),
        PyTorchVersion.V2_11,
        -1,
        new ScriptedDevice(Long.MAX_VALUE),
        listener);
  }

  /** Allocates blocks of all sizes on two streams, then frees them; answers the next id. */
  private static int round(CachingAllocator allocator, int firstId, int blocksOfASize) {
    int id = firstId;
    for (long bytes : SIZES) {
      for (int block = 0; block < blocksOfASize; block++) {
        allocator.allocate(id++, bytes, block % 2, 0);
      }
    }
    for (int freed = firstId; freed < id; freed++) {
      allocator.free(freed);
    }
    return id;
  }

  /** Searches of requests for which more is cached than they need. */
  private static long steadySearches(CachingAllocator allocator) {
    int id = round(allocator, 0, 4);
    long before = allocator.searches();
    for (int i = 0; i < ROUNDS; i++) {
      id = round(allocator, id, 2);
    }
    return allocator.searches() - before;
  }

  @ParameterizedTest
  @CsvSource({"''", "garbage_collection_threshold:0.8", "expandable_segments:False"})
  void whatIsCachedIsServedAtOnceWhereOnlyStatisticsListen(String conf) throws Exception {
    assertEquals(0, steadySearches(allocator(conf, new MemoryStats(-1))));
  }

  @ParameterizedTest
  @CsvSource({"max_split_size_mb:32", "roundup_power2_divisions:4"})
  void settingsThatConcernEveryRequestAreLookedAtForEachOfThem(String conf) throws Exception {
    long requests = 2L * SIZES.length * ROUNDS;
    assertEquals(requests, steadySearches(allocator(conf, new MemoryStats(-1))));
  }

  @Test
  void whoeverElseFollowsBlocksHearsOfEachRequest() throws Exception {
    EffectListener listener = EffectListeners.both(new MemoryStats(-1), new EffectListener() {});
    assertEquals(2L * SIZES.length * ROUNDS, steadySearches(allocator("", listener)));
  }
}
