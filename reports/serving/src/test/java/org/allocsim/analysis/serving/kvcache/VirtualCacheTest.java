package org.allocsim.analysis.serving.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.workloads.model.LayerGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** vAttention's rules: its paper's sizes, and a model with plain arrays. */
class VirtualCacheTest {
  private static final PrefixHashes ANY = block -> block;

  /** Two layers, of which a page holds eight tokens' keys. */
  private static VirtualCache cache(int pages, int slots) {
    return new VirtualCache(
        List.of(new LayerGroup(2, 16, 0)),
        pages * 64L,
        64,
        slots,
        new DriverWork(DriverCosts.NONE));
  }

  /**
   * Section 7.4 and table 8 of the paper (arXiv 2405.04437): blocks of 32 tokens (Yi-34B) to 128
   * (Yi-6B on two GPUs) with pages of 64 KiB; what a sequence may waste is 4 to 15 MB with pages of
   * 64 KiB and 16 to 60 MB with 256 KiB.
   */
  @ParameterizedTest
  @CsvSource({
    "Yi-6B,    32, 4, 64,    64,  4096",
    "Yi-6B/2,  32, 2, 64,   128,  4096",
    "Yi-34B,   60, 8, 64,    32,  7680",
    "Yi-34B/2, 60, 4, 64,    64,  7680",
    "Yi-6B,    32, 4, 256,  256, 16384",
    "Yi-34B,   60, 8, 256,  128, 30720",
    "Yi-6B,    32, 4, 2048, 2048, 131072",
  })
  void aBlockIsAPageOfOneLayersKeys(
      String model, int layers, int heads, int pageKib, int blockTokens, int growthKib) {
    VirtualCache cache =
        new VirtualCache(
            List.of(new LayerGroup(layers, heads * 128L * 2 * 2, 0)),
            8L << 30,
            (long) pageKib << 10,
            8,
            new DriverWork(DriverCosts.NONE));
    assertEquals(blockTokens, cache.pageTokens(), model);
    assertEquals((long) growthKib << 10, cache.growthBytes(), model);
  }

  @Test
  void pagesStayMappedForTheNextSequenceOfTheSlot() {
    VirtualCache cache = cache(16, 2);
    assertTrue(cache.begin(0, ANY, 0, 9));
    assertEquals(8, cache.driverWork().mapCalls(), "two pages in each of four tensors");
    assertEquals(8 * 64, cache.heldBytes());
    cache.end(0);
    assertEquals(0, cache.heldBytes());
    assertEquals(8 * 64, cache.spareBytes());
    assertTrue(cache.begin(0, ANY, 0, 16));
    assertEquals(8, cache.driverWork().mapCalls());
    assertEquals(0, cache.driverWork().unmapCalls());
  }

  @Test
  void aSequenceGetsTheFreeSlotThatJustFits() {
    VirtualCache cache = cache(64, 3);
    assertTrue(cache.begin(0, ANY, 0, 30));
    assertTrue(cache.begin(1, ANY, 0, 20));
    assertTrue(cache.begin(2, ANY, 0, 10));
    cache.end(0);
    cache.end(1);
    cache.end(2);
    long before = cache.driverWork().mapCalls();
    assertTrue(cache.begin(5, ANY, 0, 12), "slot 2 has two pages, which is enough");
    assertTrue(cache.begin(6, ANY, 0, 24), "slot 1 has three");
    assertTrue(cache.begin(7, ANY, 0, 32), "slot 0 has four");
    assertEquals(before, cache.driverWork().mapCalls());
  }

  @Test
  void whatRunsOutIsTakenFromTheHighestSlotsFirst() {
    VirtualCache cache = cache(16, 4);
    for (int sequence = 0; sequence < 4; sequence++) {
      assertTrue(cache.begin(sequence, ANY, 0, 8));
    }
    cache.end(1);
    cache.end(3);
    assertTrue(cache.grow(0, 9));
    assertEquals(4, cache.driverWork().unmapCalls(), "one page of each tensor");
    long before = cache.driverWork().mapCalls();
    assertTrue(cache.begin(1, ANY, 0, 8), "slot 1 still has its pages");
    assertEquals(before, cache.driverWork().mapCalls());
    assertFalse(cache.grow(0, 17));
    assertFalse(cache.begin(3, ANY, 0, 1));
  }

  @Test
  void aStepWaitsForWhatAPromptNeedsAndNotForTheNextToken() {
    VirtualCache cache =
        new VirtualCache(
            List.of(new LayerGroup(2, 16, 0)), 1024, 64, 2, new DriverWork(DriverCosts.H100));
    assertTrue(cache.begin(0, ANY, 0, 8));
    long waited = cache.driverWork().waitedNanos();
    assertEquals(cache.driverWork().nanos(), waited);
    assertTrue(cache.grow(0, 9));
    assertEquals(waited, cache.driverWork().waitedNanos());
    assertEquals(2 * waited, cache.driverWork().nanos());
  }

  @Test
  void theLongestSequenceFillsTheMemory() {
    assertEquals(32, cache(19, 2).mostTokens(1));
    assertThrows(IllegalArgumentException.class, () -> cache(3, 2));
  }

  @Test
  void randomSequencesAreServedAsByPlainArrays() {
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int slots = random.nextInt(1, 7);
      int pages = 4 * random.nextInt(1, 12) + random.nextInt(4);
      VirtualCache cache = cache(pages, slots);
      int[] mapped = new int[slots];
      int[] tokens = new int[slots];
      int[] slotOf = new int[slots];
      Arrays.fill(slotOf, -1);
      for (int step = 0; step < 300; step++) {
        String place = "seed " + seed + ", step " + step;
        int sequence = random.nextInt(slots);
        int slot = slotOf[sequence];
        if (slot >= 0 && random.nextInt(4) == 0) {
          cache.end(sequence);
          tokens[slot] = 0;
          slotOf[sequence] = -1;
        } else {
          int count = slot < 0 ? random.nextInt(1, 60) : tokens[slot] + random.nextInt(1, 5);
          int target = slot < 0 ? choose(mapped, tokens, count) : slot;
          boolean fits = map(mapped, tokens, target, count, pages / 4);
          assertEquals(
              fits,
              slot < 0 ? cache.begin(sequence, ANY, 0, count) : cache.grow(sequence, count),
              place);
          if (fits) {
            slotOf[sequence] = target;
            tokens[target] = count;
          }
        }
        int needed = Arrays.stream(tokens).map(each -> (each + 7) / 8).sum();
        assertEquals(needed * 4L * 64, cache.heldBytes(), place);
        assertEquals((Arrays.stream(mapped).sum() - needed) * 4L * 64, cache.spareBytes(), place);
        assertEquals(needed * 256L - 32L * Arrays.stream(tokens).sum(), cache.wastedBytes(), place);
      }
    }
  }

  private static int choose(int[] mapped, int[] tokens, int count) {
    int chosen = -1;
    for (int slot = 0; slot < mapped.length; slot++) {
      if (tokens[slot] == 0
          && (chosen < 0 || mapped[slot] * 8 >= count && mapped[slot] < mapped[chosen])) {
        chosen = slot;
      }
    }
    return chosen;
  }

  private static boolean map(int[] mapped, int[] tokens, int slot, int count, int all) {
    int missing = Math.max(0, (count + 7) / 8 - mapped[slot]);
    int[] after = mapped.clone();
    int free = all - Arrays.stream(mapped).sum();
    for (int other = mapped.length - 1; other >= 0; other--) {
      while (other != slot && free < missing && after[other] > (tokens[other] + 7) / 8) {
        after[other]--;
        free++;
      }
    }
    if (free < missing) {
      return false;
    }
    after[slot] += missing;
    System.arraycopy(after, 0, mapped, 0, mapped.length);
    return true;
  }
}
