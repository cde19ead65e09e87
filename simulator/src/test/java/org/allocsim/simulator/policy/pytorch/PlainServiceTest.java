package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
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
    return allocator(conf, -1, Long.MAX_VALUE, listener);
  }

  private static CachingAllocator allocator(
      String conf, long limitBytes, long capacityBytes, EffectListener listener)
      throws ConfigException {
    return new CachingAllocator(
        ConfigParser.parse(conf, PyTorchVersion.DEFAULT).allocator(),
        PyTorchVersion.V2_11,
        limitBytes,
        new ScriptedDevice(capacityBytes),
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

  /** Free ends of segments that could grow are used up last, which needs no more than a look. */
  @Test
  void whatIsCachedInSegmentsThatGrowIsServedAtOnceToo() throws Exception {
    MemoryStats stats = new MemoryStats(-1);
    assertEquals(0, steadySearches(allocator("expandable_segments:True", -1, 4000 * MIB, stats)));
    assertEquals(0, stats.get("num_ooms"));
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

  /** Who else follows blocks has every request go the long way; the answers are the same. */
  @ParameterizedTest
  @CsvSource({
    "'', -1",
    "'', 900",
    "expandable_segments:True, -1",
    "max_split_size_mb:32, -1",
    "roundup_power2_divisions:4, -1",
    "garbage_collection_threshold:0.6, 900"
  })
  void answersStatisticsAndLayoutsAreThoseOfWhoeverElseListens(String conf, long limitMib)
      throws Exception {
    long limitBytes = limitMib < 0 ? limitMib : limitMib * MIB;
    MemoryStats plainStats = new MemoryStats(-1);
    MemoryStats stats = new MemoryStats(-1);
    CachingAllocator plain = allocator(conf, limitBytes, 1000 * MIB, plainStats);
    CachingAllocator watched =
        allocator(
            conf, limitBytes, 1000 * MIB, EffectListeners.both(stats, new EffectListener() {}));
    List<CachingAllocator> both = List.of(plain, watched);
    SplittableRandom random = new SplittableRandom(3);
    for (int id = 0; id < 3000; id++) {
      long bytes = 1 + random.nextLong(SIZES[random.nextInt(SIZES.length)]);
      int stream = random.nextInt(2);
      int pool = random.nextInt(8) == 0 ? 1 : 0;
      assertEquals(
          watched.allocate(id, bytes, stream, pool), plain.allocate(id, bytes, stream, pool));
      int other = random.nextInt(Math.max(0, id - 40), id + 1);
      int freed = random.nextInt(Math.max(0, id - 40), id + 1);
      int event = random.nextInt(400);
      for (CachingAllocator allocator : both) {
        if (event % 8 == 0) {
          allocator.useStream(other, 1 - stream, id);
        }
        allocator.free(freed);
        if (event % 10 == 0) {
          allocator.synchronize();
        }
        if (event == 0) {
          allocator.emptyCache();
        }
      }
      assertEquals(stats.toMap(), plainStats.toMap(), "after request " + id);
      if (id % 50 == 0) {
        assertEquals(LayoutCheck.of(watched, stats).blockAt, LayoutCheck.of(plain, stats).blockAt);
      }
    }
    assertTrue(stats.get("num_ooms") > 0);
  }
}
