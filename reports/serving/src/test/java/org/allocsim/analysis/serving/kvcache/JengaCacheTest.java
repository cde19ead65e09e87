package org.allocsim.analysis.serving.kvcache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.workloads.model.LayerGroup;
import org.junit.jupiter.api.Test;

/** Jenga's rules: the paper's sizes, cases worked by hand, and pages against arrays. */
class JengaCacheTest {
  private static final LayerGroup FULL = new LayerGroup(2, 64, 0);
  private static final LayerGroup WINDOW = new LayerGroup(3, 64, 32);

  private static PrefixHashes own(int number) {
    return PagedCacheTest.prefix(0, 0, number);
  }

  /** Summaries of the paper: pages of 2 KiB and 3 KiB lie in large pages of 6 KiB. */
  @Test
  void aLargePageIsTheLeastCommonMultipleOfTheSmallOnes() {
    JengaCache cache = new JengaCache(List.of(FULL, WINDOW), 100 * 6144, 16);
    assertArrayEquals(new long[] {2048, 3072}, cache.smallPageBytes());
    assertEquals(6144, cache.largePageBytes());
  }

  @Test
  void aGroupWithAWindowGivesUpWhatNobodyReads() {
    JengaCache cache = new JengaCache(List.of(FULL, WINDOW), 100 * 6144, 16);
    assertTrue(cache.begin(0, own(1), 0, 64));
    assertEquals(4 * (2048 + 3072), cache.heldBytes());
    assertTrue(cache.grow(0, 65));
    // Token 64 looks back at tokens 33 to 63, those before 33 are read by nobody.
    assertEquals(5 * 2048 + 3 * 3072, cache.heldBytes());
    assertEquals(2 * 3072, cache.keptPrefixBytes(), "they can be evicted, and are kept until then");
    // The last blocks have 15 empty slots; the window's first one has two tokens before token 34.
    assertEquals(15 * (128 + 192) + 2 * 192, cache.wastedBytes());
    cache.end(0);
    assertEquals(0, cache.heldBytes());
    assertEquals(0, cache.wastedBytes());
    assertEquals(4 * (2048 + 3072), cache.keptPrefixBytes());
  }

  @Test
  void aPrefixIsStoredWhereEveryGroupHasWhatItReads() {
    JengaCache cache = new JengaCache(List.of(FULL, WINDOW), 9 * 6144, 16);
    PrefixHashes prompt = PagedCacheTest.prefix(1, 6, 1);
    assertTrue(cache.begin(0, prompt, 0, 96));
    cache.end(0);
    assertEquals(96, cache.storedTokens(prompt, 100));
    assertEquals(80, cache.storedTokens(prompt, 95));
    // The end of the prompt is evicted first: two windows' blocks, then blocks of the others.
    assertTrue(cache.begin(1, own(2), 0, 80));
    int stored = cache.storedTokens(prompt, 100);
    assertTrue(stored < 96, "stored " + stored);
    assertTrue(cache.grow(1, 81));
  }

  @Test
  void aPageIsFoundByTheFiveSteps() {
    List<Integer> evicted = new ArrayList<>();
    LargePages pages = new LargePages(3, new int[] {3, 2}, evicted::add);
    int first = pages.take(0, LargePages.NONE);
    assertEquals(0, pages.largeOf(first), "step 2: a free large page");
    int second = pages.take(0, 0);
    assertEquals(0, pages.largeOf(second), "step 1: the one that the sequence opened");
    int other = pages.take(0, LargePages.NONE);
    assertEquals(1, pages.largeOf(other), "step 2: another sequence opens its own");
    int window = pages.take(1, LargePages.NONE);
    assertEquals(2, pages.largeOf(window));
    pages.release(window, true);
    int third = pages.take(0, LargePages.NONE);
    assertEquals(2, pages.largeOf(third), "step 3: the large page that is unused the longest");
    assertEquals(List.of(window), evicted);
    int beside = pages.take(0, LargePages.NONE);
    assertEquals(0, pages.largeOf(beside), "step 4: an empty one beside another sequence's");
    for (int i = 0; i < 4; i++) {
      pages.take(0, LargePages.NONE);
    }
    assertEquals(LargePages.NONE, pages.take(0, LargePages.NONE));
    pages.release(second, true);
    assertEquals(second, pages.take(0, LargePages.NONE), "step 5: the evictable one");
    assertEquals(List.of(window, second), evicted);
    assertFalse(pages.hasRoom(new int[] {0, 1}));
  }

  /** Room is what counts, not which page: with one group Jenga has what paging has. */
  @Test
  void withOneGroupAsMuchFitsAsWithPages() {
    List<LayerGroup> one = List.of(FULL);
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int blocks = random.nextInt(6, 50);
      JengaCache jenga = new JengaCache(one, blocks * 2048L, 16);
      PagedCache paged = new PagedCache(one, (blocks + 1) * 2048L, 16, 0);
      Map<Integer, Integer> running = new HashMap<>();
      for (int step = 0; step < 300; step++) {
        String place = "seed " + seed + ", step " + step;
        int sequence = random.nextInt(6);
        Integer tokens = running.get(sequence);
        if (tokens == null) {
          PrefixHashes prefix =
              PagedCacheTest.prefix(random.nextInt(3), random.nextInt(5), random.nextInt(1, 9));
          int count = random.nextInt(1, 120);
          boolean begins =
              jenga.begin(sequence, prefix, jenga.storedTokens(prefix, count - 1), count);
          assertEquals(
              paged.begin(sequence, prefix, paged.storedTokens(prefix, count - 1), count),
              begins,
              place);
          if (begins) {
            running.put(sequence, count);
          }
        } else if (random.nextInt(3) > 0) {
          int count = tokens + random.nextInt(1, 20);
          boolean grows = jenga.grow(sequence, count);
          assertEquals(paged.grow(sequence, count), grows, place);
          running.put(sequence, grows ? count : tokens);
        } else {
          jenga.end(sequence);
          paged.end(sequence);
          running.remove(sequence);
        }
        assertEquals(0, jenga.strandedBytes(), place);
      }
    }
  }

  /** Small pages as states in arrays, all of which are looked at. */
  private static final class Naive {
    final int[] slots;
    final int[] group;
    final int[][] references;
    final boolean[][] isKept;

    Naive(int count, int... slots) {
      this.slots = slots;
      group = new int[count];
      references = new int[count][6];
      isKept = new boolean[count][6];
      Arrays.fill(group, -1);
    }

    boolean isInUse(int large) {
      return Arrays.stream(references[large]).anyMatch(each -> each > 0);
    }

    boolean isFree(int large) {
      for (boolean kept : isKept[large]) {
        if (kept) {
          return false;
        }
      }
      return !isInUse(large);
    }

    /** Small pages that a group could have: those of its large pages in use, and all others'. */
    int room(int wanted) {
      int room = 0;
      for (int large = 0; large < group.length; large++) {
        if (!isInUse(large)) {
          room += slots[wanted];
        } else if (group[large] == wanted) {
          for (int i = 0; i < slots[wanted]; i++) {
            room += references[large][i] == 0 ? 1 : 0;
          }
        }
      }
      return room;
    }

    int empty(int wanted) {
      int empty = 0;
      for (int large = 0; large < group.length; large++) {
        for (int i = 0; group[large] == wanted && isInUse(large) && i < slots[wanted]; i++) {
          empty += references[large][i] == 0 && !isKept[large][i] ? 1 : 0;
        }
      }
      return empty;
    }
  }

  @Test
  void randomPagesAreAsInArraysThatAreSearched() {
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int count = random.nextInt(2, 10);
      Naive naive = new Naive(count, 3, 2);
      LargePages pages =
          new LargePages(count, naive.slots, page -> naive.isKept[page / 3][page % 3] = false);
      List<Integer> live = new ArrayList<>();
      for (int step = 0; step < 500; step++) {
        String place = "seed " + seed + ", step " + step;
        int kind = random.nextInt(5);
        if (kind < 2) {
          int group = random.nextInt(2);
          int room = naive.room(group);
          assertEquals(room > 0, pages.hasRoom(group == 0 ? new int[] {1, 0} : new int[] {0, 1}));
          int page = pages.take(group, live.isEmpty() ? -1 : pages.largeOf(live.getLast()));
          assertEquals(room > 0, page >= 0, place);
          if (page >= 0) {
            int large = page / 3;
            assertEquals(0, naive.references[large][page % 3], place);
            assertFalse(naive.isKept[large][page % 3], place + ": its prefix was evicted");
            assertTrue(naive.group[large] == group || naive.isFree(large), place);
            naive.group[large] = group;
            naive.references[large][page % 3] = 1;
            live.add(page);
          }
        } else if (kind == 2 && !live.isEmpty()) {
          int page = live.get(random.nextInt(live.size()));
          naive.references[page / 3][page % 3]++;
          pages.share(page);
          live.add(page);
        } else if (kind == 3) {
          int page = keptPage(naive, random);
          if (page >= 0) {
            naive.isKept[page / 3][page % 3] = false;
            naive.references[page / 3][page % 3] = 1;
            pages.share(page);
            live.add(page);
          }
        } else if (!live.isEmpty()) {
          int page = live.remove(/* index */ random.nextInt(live.size()));
          boolean hasPrefix = page % 5 > 1;
          pages.release(page, hasPrefix);
          if (--naive.references[page / 3][page % 3] == 0) {
            naive.isKept[page / 3][page % 3] = hasPrefix;
          }
        }
        for (int group = 0; group < 2; group++) {
          assertEquals(naive.empty(group), pages.emptyOf(group), place);
          int wanted = group;
          assertEquals(
              live.stream().distinct().filter(page -> naive.group[page / 3] == wanted).count(),
              pages.usedOf(group),
              place);
        }
      }
    }
  }

  private static int keptPage(Naive naive, SplittableRandom random) {
    List<Integer> kept = new ArrayList<>();
    for (int large = 0; large < naive.group.length; large++) {
      for (int i = 0; i < 3; i++) {
        if (naive.isKept[large][i]) {
          kept.add(large * 3 + i);
        }
      }
    }
    return kept.isEmpty() ? -1 : kept.get(random.nextInt(kept.size()));
  }

  @Test
  void whateverRanNothingIsHeldInTheEnd() {
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      JengaCache cache = new JengaCache(List.of(FULL, WINDOW), random.nextInt(8, 60) * 6144L, 16);
      Map<Integer, Integer> running = new HashMap<>();
      for (int step = 0; step < 400; step++) {
        int sequence = random.nextInt(6);
        Integer tokens = running.get(sequence);
        if (tokens == null) {
          PrefixHashes prefix =
              PagedCacheTest.prefix(random.nextInt(3), random.nextInt(5), random.nextInt(1, 9));
          int count = random.nextInt(1, 150);
          if (cache.begin(sequence, prefix, cache.storedTokens(prefix, count - 1), count)) {
            running.put(sequence, count);
          }
        } else if (random.nextInt(4) > 0) {
          int count = tokens + random.nextInt(1, 20);
          running.put(sequence, cache.grow(sequence, count) ? count : tokens);
        } else {
          cache.end(sequence);
          running.remove(sequence);
        }
        long bound = cache.heldBytes() + cache.strandedBytes() + cache.keptPrefixBytes();
        assertTrue(bound <= cache.capacityBytes(), "seed " + seed + ", step " + step);
        assertTrue(cache.wastedBytes() <= cache.heldBytes(), "seed " + seed + ", step " + step);
      }
      running.keySet().forEach(cache::end);
      assertEquals(0, cache.heldBytes(), "seed " + seed);
      assertEquals(0, cache.wastedBytes(), "seed " + seed);
      assertEquals(0, cache.strandedBytes(), "seed " + seed);
    }
  }
}
