package org.allocsim.analysis.serving.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.workloads.model.LayerGroup;
import org.junit.jupiter.api.Test;

/** kvcached's rules: worked by hand, and its pages against a list that is searched. */
class ElasticCacheTest {
  private static final long PAGE = ElasticCache.PAGE_BYTES;

  /** One layer whose keys of 16 tokens are a quarter of a page. */
  private static final List<LayerGroup> LAYERS = List.of(new LayerGroup(1, 2 * (PAGE / 4 / 16), 0));

  private static ElasticCache cache(int pages) {
    return new ElasticCache(LAYERS, pages * 2L * PAGE, 16, new DriverWork(DriverCosts.NONE));
  }

  private static PrefixHashes own(int number) {
    return PagedCacheTest.prefix(0, 0, number);
  }

  /** With vLLM since 0.19 a prompt begins only where all of it has room, though a part does. */
  @Test
  void aPromptBeginsWhereAllOfItHasRoom() {
    List<LayerGroup> layers = List.of(new LayerGroup(1, 1 << 16, 0));
    long bytes = 2 * ElasticCache.PAGE_BYTES;
    DriverWork work = new DriverWork(DriverCosts.NONE);
    ElasticCache first = new ElasticCache(layers, bytes, 16, work);
    ElasticCache whole = new ElasticCache(layers, bytes, 16, work, true);
    // A page has four blocks of 16 tokens, the first of which is never used.
    PrefixHashes prefix = block -> block;
    SequenceStart most = new SequenceStart(prefix, 48, 48, 0, 16, 16, false);
    SequenceStart more = new SequenceStart(prefix, 49, 49, 0, 16, 16, false);
    assertTrue(first.begin(0, more));
    assertFalse(whole.begin(0, more));
    assertTrue(whole.begin(0, most));
  }

  @Test
  void fivePagesAreMappedInReserveAndTenStaySo() {
    ElasticCache cache = cache(40);
    assertEquals(6, cache.driverWork().mapCalls(), "one for block 0 and five in reserve");
    // Twenty pages beside the three blocks that are left of the first one.
    assertTrue(cache.begin(0, own(1), 0, (3 + 80) * 16));
    assertEquals(26, cache.driverWork().mapCalls());
    assertEquals(26 * 2 * PAGE, cache.mappedBytes());
    cache.end(0);
    assertEquals(0, cache.heldBytes());
    assertEquals(83 * PAGE / 2, cache.keptPrefixBytes(), "below 16 000 tokens all are kept");
    assertEquals(0, cache.driverWork().unmapCalls());
  }

  @Test
  void emptiedPagesAreGivenBackBeyondTen() {
    ElasticPages pages = new ElasticPages(40, 4, 1, 8, new DriverWork(DriverCosts.NONE));
    int[] taken = new int[120];
    assertTrue(pages.take(120, taken));
    assertEquals(35, pages.mappedPages(), "thirty in use and five in reserve");
    for (int block : taken) {
      pages.give(block);
    }
    assertEquals(10, pages.reservedPages());
    assertEquals(10, pages.mappedPages());
    assertEquals(0, pages.pagesInUse());
    assertEquals(160, pages.available());
    assertFalse(pages.take(161, new int[161]));
    assertEquals(160, pages.available(), "what was taken in vain is back");
  }

  @Test
  void blocksComeFromTheFullestPageThatHasEnough() {
    ElasticPages pages = new ElasticPages(8, 4, 1, 8, new DriverWork(DriverCosts.NONE));
    int[] first = new int[4];
    int[] second = new int[4];
    int[] third = new int[4];
    assertTrue(pages.take(4, first) && pages.take(4, second) && pages.take(4, third));
    pages.give(first[0]);
    pages.give(second[0]);
    pages.give(second[1]);
    pages.give(third[0]);
    pages.give(third[1]);
    pages.give(third[2]);
    int[] taken = new int[4];
    assertTrue(pages.take(2, taken));
    assertEquals(pages.pageOf(second[0]), pages.pageOf(taken[0]));
    assertEquals(pages.pageOf(second[0]), pages.pageOf(taken[1]));
    assertTrue(pages.take(4, taken), "no page has four: the emptiest is used up first");
    assertEquals(pages.pageOf(third[0]), pages.pageOf(taken[2]));
    assertEquals(pages.pageOf(first[0]), pages.pageOf(taken[3]));
  }

  @Test
  void aBlockThatTwoPagesShareIsNeverUsed() {
    ElasticPages pages = new ElasticPages(3, 10, 4, 20, new DriverWork(DriverCosts.NONE));
    assertEquals(0, pages.startBlock(0));
    assertEquals(2, pages.endBlock(0));
    assertEquals(3, pages.startBlock(1));
    assertEquals(5, pages.endBlock(1));
    int[] taken = new int[6];
    assertTrue(pages.take(6, taken));
    for (int block : taken) {
      assertTrue(block != 2, "bytes 8 to 11 lie in two pages");
    }
  }

  @Test
  void prefixesMakeRoomForSequencesTheLongestUnusedFirst() {
    ElasticCache cache = cache(3);
    assertEquals(11 * 16, cache.mostTokens(1));
    assertTrue(cache.begin(0, PagedCacheTest.prefix(1, 4, 1), 0, 64));
    cache.end(0);
    assertTrue(cache.begin(0, PagedCacheTest.prefix(2, 4, 2), 0, 64));
    cache.end(0);
    assertEquals(64, cache.storedTokens(PagedCacheTest.prefix(1, 4, 1), 80));
    assertTrue(cache.begin(0, own(3), 0, 80));
    assertEquals(32, cache.storedTokens(PagedCacheTest.prefix(1, 4, 1), 80));
    assertEquals(64, cache.storedTokens(PagedCacheTest.prefix(2, 4, 2), 80));
    assertFalse(cache.grow(0, 12 * 16));
    assertTrue(cache.grow(0, 11 * 16));
    assertEquals(0, cache.keptPrefixBytes());
  }

  @Test
  void aBlockMustFitAPage() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new ElasticCache(
                List.of(new LayerGroup(1, PAGE, 0)),
                40 * PAGE,
                16,
                new DriverWork(DriverCosts.NONE)));
  }

  @Test
  void randomBlocksComeFromThePagesThatASearchFinds() {
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int count = random.nextInt(4, 24);
      int perPage = random.nextInt(1, 7);
      ElasticPages pages = new ElasticPages(count, perPage, 1, 2, new DriverWork(DriverCosts.NONE));
      List<Integer> touched = new ArrayList<>();
      int[] free = new int[count];
      List<Integer> live = new ArrayList<>();
      for (int step = 0; step < 400; step++) {
        String place = "seed " + seed + ", step " + step;
        if (random.nextBoolean() && !live.isEmpty()) {
          int block = live.remove(/* index */ random.nextInt(live.size()));
          int page = pages.pageOf(block);
          pages.give(block);
          touched.remove(/* element */ (Integer) page);
          if (++free[page] < perPage) {
            touched.add(page);
          }
        } else {
          int wanted = random.nextInt(1, 2 * perPage + 1);
          int[] taken = new int[wanted];
          boolean fits = wanted <= (long) count * perPage - live.size();
          assertEquals(fits, pages.take(wanted, taken), place);
          for (int done = 0; fits && done < wanted; ) {
            int page = pages.pageOf(taken[done]);
            int expected = pick(touched, free, wanted - done);
            if (expected >= 0) {
              assertEquals(expected, page, place);
            } else {
              free[page] = perPage;
            }
            touched.remove(/* element */ (Integer) page);
            while (done < wanted && free[page] > 0) {
              assertEquals(page, pages.pageOf(taken[done]), place);
              live.add(taken[done++]);
              free[page]--;
            }
            if (free[page] > 0) {
              touched.add(page);
            }
          }
        }
        assertEquals((long) count * perPage - live.size(), pages.available(), place);
        assertEquals(
            live.stream().map(pages::pageOf).distinct().count(), pages.pagesInUse(), place);
        assertTrue(pages.reservedPages() <= ElasticPages.MOST_RESERVED, place);
      }
    }
  }

  /** The page that has just enough, else the emptiest; of equals the one touched longest ago. */
  private static int pick(List<Integer> touched, int[] free, int wanted) {
    int chosen = -1;
    for (int page : touched) {
      boolean isEnough = free[page] >= wanted;
      boolean wasEnough = chosen >= 0 && free[chosen] >= wanted;
      if (chosen < 0
          || isEnough && !wasEnough
          || isEnough && free[page] < free[chosen]
          || !isEnough && !wasEnough && free[page] > free[chosen]) {
        chosen = page;
      }
    }
    return chosen;
  }
}
