package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockEffectsTest {
  private static final long OVERSIZE_BYTES = 60_000;

  private record Held(int id, boolean small, long requestedBytes, long blockBytes) {}

  /** The figures as PyTorch keeps them: active ones apart from allocated ones from the start. */
  private static final class Naive {
    private final long[] now = new long[4];
    private final long[] peak = new long[4];

    private void change(int figure, long amount) {
      now[figure] += amount;
      peak[figure] = Math.max(peak[figure], now[figure]);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 3", "3, 40", "4, 100"})
  void statisticsAreThoseOfAListenerThatHearsEveryEffect(int seed, int percentOfFreesThatWait) {
    MemoryStats told = new MemoryStats(OVERSIZE_BYTES);
    MemoryStats heard = new MemoryStats(OVERSIZE_BYTES);
    BlockEffects small = BlockEffects.to(told, true);
    BlockEffects large = BlockEffects.to(told, false);
    Naive naive = new Naive();
    SplittableRandom random = new SplittableRandom(seed);
    List<Held> held = new ArrayList<>();
    Deque<Held> waiting = new ArrayDeque<>();
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(100);
      if (held.isEmpty() || choice < 45) {
        long requested = 1 + random.nextLong(100_000);
        Held block = new Held(step, random.nextBoolean(), requested, (requested + 511) & -512);
        held.add(block);
        (block.small ? small : large).countAllocated(requested, block.blockBytes);
        heard.blockAllocated(step, 0, requested, block.blockBytes, 0, block.small);
        naive.change(0, 1);
        naive.change(1, block.blockBytes);
        naive.change(2, 1);
        naive.change(3, block.blockBytes);
      } else if (choice < 90) {
        Held block = held.remove(random.nextInt(held.size()));
        BlockEffects effects = block.small ? small : large;
        heard.freeRequested(block.id, 0, block.requestedBytes, block.blockBytes, 0, block.small);
        naive.change(0, -1);
        naive.change(1, -block.blockBytes);
        if (random.nextInt(100) < percentOfFreesThatWait) {
          effects.freeRequested(block.id, 0, block.requestedBytes, block.blockBytes, 0);
          waiting.add(block);
        } else {
          effects.countFreed(block.requestedBytes, block.blockBytes);
          complete(heard, naive, block);
        }
      } else if (!waiting.isEmpty()) {
        Held block = waiting.remove();
        (block.small ? small : large)
            .freeCompleted(block.id, 0, block.requestedBytes, block.blockBytes, 0);
        complete(heard, naive, block);
      }
      changeSplits(random, small, large, heard);
      if (step == 10_000) {
        told.resetPeak();
        heard.resetPeak();
        System.arraycopy(naive.now, 0, naive.peak, 0, naive.now.length);
      }
    }
    assertEquals(heard.toMap(), told.toMap());
    assertEquals(naive.peak[0], told.get("allocation.all.peak"));
    assertEquals(naive.peak[1], told.get("allocated_bytes.all.peak"));
    assertEquals(naive.peak[2], told.get("active.all.peak"));
    assertEquals(naive.peak[3], told.get("active_bytes.all.peak"));
    assertEquals(naive.now[3], told.activeBytes());
  }

  private static void complete(MemoryStats heard, Naive naive, Held block) {
    heard.freeCompleted(block.id, 0, block.requestedBytes, block.blockBytes, 0, block.small);
    naive.change(2, -1);
    naive.change(3, -block.blockBytes);
  }

  private static void changeSplits(
      SplittableRandom random, BlockEffects small, BlockEffects large, MemoryStats heard) {
    boolean isSmall = random.nextBoolean();
    BlockEffects effects = isSmall ? small : large;
    int parts = random.nextInt(3);
    long bytes = 512L * random.nextInt(100);
    if (random.nextBoolean()) {
      effects.countInactiveSplitsReduced(parts, bytes);
      heard.inactiveSplitChanged(-parts, -bytes, isSmall);
    } else {
      effects.countInactiveSplitAdded(parts, bytes);
      heard.inactiveSplitChanged(1 - parts, bytes, isSmall);
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
  }
}
