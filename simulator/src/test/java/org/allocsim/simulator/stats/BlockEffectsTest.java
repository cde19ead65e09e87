package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockEffectsTest {
  private record Held(int id, boolean small, long requestedBytes, long blockBytes) {}

  /**
   * The figures as PyTorch keeps them: each with a peak of its own, which every change may raise.
   */
  private static final class Naive {
    private final Map<String, Long> now = new TreeMap<>();
    private final Map<String, Long> peak = new TreeMap<>();

    private void change(String stat, boolean small, long amount) {
      change(stat + (small ? ".small_pool" : ".large_pool"), amount);
      change(stat + ".all", amount);
    }

    private void change(String figure, long amount) {
      long changed = now.merge(figure, amount, Long::sum);
      peak.merge(figure, changed, Math::max);
    }

    private long now(String figure) {
      return now.getOrDefault(figure, 0L);
    }

    private void allocate(Held block) {
      change("allocation", block.small, 1);
      change("allocated_bytes", block.small, block.blockBytes);
      change("active", block.small, 1);
      change("active_bytes", block.small, block.blockBytes);
      change("requested_bytes", block.small, block.requestedBytes);
    }

    private void requestFree(Held block) {
      change("allocation", block.small, -1);
      change("allocated_bytes", block.small, -block.blockBytes);
    }

    private void completeFree(Held block) {
      change("active", block.small, -1);
      change("active_bytes", block.small, -block.blockBytes);
      change("requested_bytes", block.small, -block.requestedBytes);
    }

    private void assertSameAs(MemoryStats stats) {
      now.forEach((figure, value) -> assertEquals(value, stats.get(figure + ".current"), figure));
      peak.forEach((figure, value) -> assertEquals(value, stats.get(figure + ".peak"), figure));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0, 60000",
    "2, 3, 60000",
    "3, 40, 60000",
    "4, 100, 60000",
    "5, 0, -1",
    "6, 0, -1",
    "7, 1, -1"
  })
  void statisticsAreThoseOfAListenerThatHearsEveryEffect(
      int seed, int percentOfFreesThatWait, long oversizeBytes) {
    MemoryStats told = new MemoryStats(oversizeBytes);
    MemoryStats heard = new MemoryStats(oversizeBytes);
    BlockEffects small = BlockEffects.to(told, true);
    BlockEffects large = BlockEffects.to(told, false);
    Naive naive = new Naive();
    SplittableRandom random = new SplittableRandom(seed);
    List<Held> held = new ArrayList<>();
    Deque<Held> waiting = new ArrayDeque<>();
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(100);
      if (held.isEmpty() || choice < (step / 500 % 2 == 0 ? 55 : 35)) {
        long requested = 1 + random.nextLong(100_000);
        // The kinds have their peaks at different times.
        boolean isSmall = random.nextInt(10) < (step / 700 % 2 == 0 ? 9 : 1);
        Held block = new Held(step, isSmall, requested, (requested + 511) & -512);
        held.add(block);
        (block.small ? small : large).counters().countAllocated(requested, block.blockBytes);
        heard.blockAllocated(step, 0, requested, block.blockBytes, 0, block.small);
        naive.allocate(block);
      } else if (choice < 90) {
        Held block = held.remove(random.nextInt(held.size()));
        BlockEffects effects = block.small ? small : large;
        heard.freeRequested(block.id, 0, block.requestedBytes, block.blockBytes, 0, block.small);
        naive.requestFree(block);
        if (random.nextInt(100) < percentOfFreesThatWait) {
          effects.freeRequested(block.id, 0, block.requestedBytes, block.blockBytes, 0);
          waiting.add(block);
        } else {
          effects.counters().countFreed(block.requestedBytes, block.blockBytes);
          complete(heard, naive, block);
        }
      } else if (!waiting.isEmpty()) {
        Held block = waiting.remove();
        (block.small ? small : large)
            .freeCompleted(block.id, 0, block.requestedBytes, block.blockBytes, 0);
        complete(heard, naive, block);
      }
      changeSplits(random, small, large, heard, naive);
      if (step == 10_000) {
        told.resetPeak();
        heard.resetPeak();
        naive.peak.putAll(naive.now);
      }
      if (step % 10 == 0) {
        naive.assertSameAs(told);
      }
    }
    assertEquals(heard.toMap(), told.toMap());
    naive.assertSameAs(told);
    assertEquals(naive.now("active_bytes.all"), told.activeBytes());
  }

  private static void complete(MemoryStats heard, Naive naive, Held block) {
    heard.freeCompleted(block.id, 0, block.requestedBytes, block.blockBytes, 0, block.small);
    naive.completeFree(block);
  }

  private static void changeSplits(
      SplittableRandom random,
      BlockEffects small,
      BlockEffects large,
      MemoryStats heard,
      Naive naive) {
    boolean isSmall = random.nextBoolean();
    BlockEffects effects = isSmall ? small : large;
    String kind = isSmall ? ".small_pool" : ".large_pool";
    int parts = (int) Math.min(random.nextInt(3), naive.now("inactive_split" + kind));
    long bytes = 512L * random.nextInt(100);
    if (random.nextBoolean()) {
      bytes = Math.min(bytes, naive.now("inactive_split_bytes" + kind));
      effects.counters().countInactiveSplitsReduced(parts, bytes);
      heard.inactiveSplitChanged(-parts, -bytes, isSmall);
      naive.change("inactive_split", isSmall, -parts);
      naive.change("inactive_split_bytes", isSmall, -bytes);
    } else {
      effects.counters().countInactiveSplitAdded(parts, bytes);
      heard.inactiveSplitChanged(1 - parts, bytes, isSmall);
      naive.change("inactive_split", isSmall, 1 - parts);
      naive.change("inactive_split_bytes", isSmall, bytes);
    }
  }

  @Test
  void thePeakOfBothKindsRisesThoughNeitherPassesItsOwn() {
    MemoryStats stats = new MemoryStats(-1);
    BlockEffects small = BlockEffects.to(stats, true);
    BlockEffects large = BlockEffects.to(stats, false);
    changeBy(9, small);
    changeBy(-8, small);
    changeBy(9, large);
    changeBy(-4, large);
    changeBy(5, small);
    for (String stat : List.of("allocation", "inactive_split")) {
      assertEquals(9, stats.get(stat + ".small_pool.peak"));
      assertEquals(9, stats.get(stat + ".large_pool.peak"));
      assertEquals(11, stats.get(stat + ".all.peak"));
    }
    for (String stat : List.of("allocated_bytes", "requested_bytes", "inactive_split_bytes")) {
      assertEquals(11 * 512, stats.get(stat + ".all.peak"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "allocation, 2, 10, 10, 2",
    "allocated_bytes, 1, 10, 101, 101",
    "requested_bytes, 1, 91, 100, 91"
  })
  void eachPeakRisesThoughTheOthersDoNot(
      String risen, int blocks, long requestedBytes, long blockBytes, long peak) {
    MemoryStats stats = new MemoryStats(-1);
    PoolCounters counters = BlockEffects.to(stats, false).counters();
    counters.countAllocated(90, 100);
    counters.countFreed(90, 100);
    for (int block = 0; block < blocks; block++) {
      counters.countAllocated(requestedBytes, blockBytes);
    }
    Map<String, Long> peaks =
        new TreeMap<>(Map.of("allocation", 1L, "allocated_bytes", 100L, "requested_bytes", 90L));
    peaks.put(risen, peak);
    peaks.forEach((stat, expected) -> {
      assertEquals(expected, stats.get(stat + ".large_pool.peak"), stat);
      assertEquals(expected, stats.get(stat + ".all.peak"), stat);
    });
  }

  /** Hands out or takes back blocks, and lets there be more or fewer free parts. */
  private static void changeBy(int blocks, BlockEffects effects) {
    for (int block = 0; block < Math.abs(blocks); block++) {
      if (blocks > 0) {
        effects.counters().countAllocated(512, 512);
        effects.counters().countInactiveSplitAdded(0, 512);
      } else {
        effects.counters().countFreed(512, 512);
        effects.counters().countInactiveSplitsReduced(1, 512);
      }
    }
  }

  @Test
  void whoeverListensBesideHearsBothHalvesOfAFreeThatWaits() {
    List<String> heard = new ArrayList<>();
    EffectListener listener =
        new EffectListener() {
          @Override
          public void freeRequested(
              int id, long address, long requested, long block, int stream, boolean small) {
            heard.add("requested " + id + " " + address + " " + requested + " " + block);
            assertTrue(small);
          }

          @Override
          public void freeCompleted(
              int id, long address, long requested, long block, int stream, boolean small) {
            heard.add("completed " + id + " of stream " + stream);
          }
        };
    MemoryStats stats = new MemoryStats(-1);
    BlockEffects both = BlockEffects.to(EffectListeners.both(stats, listener), true);
    both.freeRequested(7, 4096, 700, 1024, 3);
    both.freeCompleted(7, 4096, 700, 1024, 3);
    assertEquals(List.of("requested 7 4096 700 1024", "completed 7 of stream 3"), heard);
    assertEquals(-1, stats.get("allocation.small_pool.current"));
  }

  @Test
  void othersAreWhoListensBesideTheStatistics() {
    EffectListener listener = new EffectListener() {};
    MemoryStats stats = new MemoryStats(-1);
    assertNull(BlockEffects.to(stats, true).others());
    assertSame(listener, BlockEffects.to(EffectListeners.both(stats, listener), true).others());
    assertSame(listener, BlockEffects.to(listener, true).others());
    assertNull(BlockEffects.to(EffectListeners.both(stats, EffectListeners.NONE), true).others());
    assertSame(
        listener,
        BlockEffects.to(EffectListeners.all(stats, EffectListeners.NONE, listener), true).others());
    EffectListener followsNoBlocks =
        new EffectListener() {
          @Override
          public boolean followsBlocks() {
            return false;
          }
        };
    EffectListener listened = EffectListeners.both(stats, listener);
    assertSame(
        listener, BlockEffects.to(EffectListeners.both(listened, followsNoBlocks), true).others());
  }
}
