package org.allocsim.simulator.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** vLLM's rules, on the cases of its own tests and against a list that is searched. */
class PagedCacheTest {
  private static final int TOKEN = 64;
  private static final List<LayerGroup> LAYERS = List.of(new LayerGroup(4, 16, 0));

  private static PagedCache cache(int blocks, double watermark) {
    return new PagedCache(LAYERS, (long) blocks * 16 * TOKEN, 16, watermark);
  }

  /** Tokens that are those of a family up to a block and its own after it. */
  static PrefixHashes prefix(int family, int sharedBlocks, int own) {
    return block -> block < sharedBlocks ? family * 1000L + block : own * 1_000_000L + block;
  }

  @Test
  void aSecondPromptSharesTheFullBlocksOfTheFirst() {
    PagedCache cache = cache(11, 0);
    PrefixHashes first = prefix(1, 3, 10);
    assertEquals(0, cache.storedTokens(first, 54));
    assertTrue(cache.begin(0, first, 0, 55));
    assertEquals(4 * 16 * TOKEN, cache.heldBytes());
    assertEquals(9 * TOKEN, cache.wastedBytes());

    PrefixHashes second = prefix(1, 3, 11);
    assertEquals(48, cache.storedTokens(second, 52));
    assertTrue(cache.begin(1, second, 48, 53));
    assertEquals(5 * 16 * TOKEN, cache.heldBytes(), "three blocks are shared");

    cache.end(0);
    assertEquals(4 * 16 * TOKEN, cache.heldBytes());
    cache.end(1);
    assertEquals(0, cache.heldBytes());
    assertEquals(0, cache.wastedBytes());
    assertEquals(3 * 16 * TOKEN, cache.keptPrefixBytes());
    assertEquals(48, cache.storedTokens(prefix(1, 3, 12), 60));
  }

  @Test
  void theLastTokenIsComputedEvenIfItsBlockIsStored() {
    PagedCache cache = cache(11, 0);
    PrefixHashes prompt = prefix(1, 3, 10);
    assertTrue(cache.begin(0, prompt, 0, 48));
    assertEquals(32, cache.storedTokens(prompt, 47));
  }

  @Test
  void theEndOfAPromptIsForgottenBeforeItsStart() {
    PagedCache cache = cache(7, 0);
    assertTrue(cache.begin(0, prefix(1, 4, 10), 0, 64));
    cache.end(0);
    assertTrue(cache.begin(1, prefix(2, 4, 11), 0, 64));
    assertEquals(32, cache.storedTokens(prefix(1, 4, 10), 64), "two of six blocks were left");
  }

  @Test
  void theWatermarkHoldsForBeginningsOnly() {
    PagedCache cache = cache(10, 0.2);
    assertEquals(7 * 16, cache.mostTokens(1));
    assertFalse(cache.begin(0, prefix(1, 0, 10), 0, 8 * 16));
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, 7 * 16));
    assertTrue(cache.grow(0, 9 * 16));
    assertFalse(cache.grow(0, 9 * 16 + 1));
    assertEquals(9 * 16 * TOKEN, cache.heldBytes());
  }

  @Test
  void layersWithAWindowKeepTokensThatNobodyReads() {
    PagedCache cache =
        new PagedCache(List.of(new LayerGroup(1, 16, 0), new LayerGroup(3, 16, 20)), 10_240, 16, 0);
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, 32));
    assertEquals(13 * 48, cache.wastedBytes(), "tokens 0 to 12 are out of the next one's sight");
    cache.end(0);
    assertEquals(0, cache.wastedBytes());
    assertTrue(cache.begin(1, prefix(1, 0, 10), 32, 33), "it finds what it stored before");
    assertEquals(14 * 48 + 15 * 64, cache.wastedBytes());
    assertTrue(cache.begin(2, prefix(1, 0, 10), 32, 33));
    assertEquals(14 * 48 + 2 * 15 * 64, cache.wastedBytes(), "what two share counts once");
  }

  @Test
  void aCacheHasTwoBlocksAtLeast() {
    assertThrows(IllegalArgumentException.class, () -> cache(1, 0));
  }

  /** The queue and the sequences as plain lists. */
  private static final class Naive {
    final List<Integer> queue = new ArrayList<>();
    final Map<Integer, Long> hashOf = new LinkedHashMap<>();
    final Map<Integer, List<Integer>> sequences = new HashMap<>();
    final Map<Integer, Integer> tokens = new HashMap<>();

    Naive(int blocks) {
      for (int block = 1; block < blocks; block++) {
        queue.add(block);
      }
    }

    int holder(long hash) {
      return hashOf.entrySet().stream()
          .filter(each -> each.getValue() == hash)
          .mapToInt(Map.Entry::getKey)
          .findFirst()
          .orElse(-1);
    }

    int stored(PrefixHashes prefix, int most) {
      int found = 0;
      while ((found + 1) * 16 <= most && holder(prefix.hash(found)) >= 0) {
        found++;
      }
      return found * 16;
    }

    boolean begin(int sequence, PrefixHashes prefix, int stored, int count) {
      List<Integer> shared = new ArrayList<>();
      for (int i = 0; i < stored / 16; i++) {
        shared.add(holder(prefix.hash(i)));
      }
      int fresh = (count + 15) / 16 - shared.size();
      long free = queue.stream().filter(block -> !shared.contains(block)).count();
      if (fresh > free) {
        return false;
      }
      queue.removeAll(shared);
      sequences.put(sequence, shared);
      return grow(sequence, prefix, count);
    }

    boolean grow(int sequence, PrefixHashes prefix, int count) {
      List<Integer> own = sequences.get(sequence);
      if ((count + 15) / 16 - own.size() > queue.size()) {
        return false;
      }
      while (own.size() * 16 < count) {
        int block = queue.removeFirst();
        hashOf.remove(block);
        own.add(block);
      }
      for (int i = 0; i < count / 16; i++) {
        hashOf.putIfAbsent(own.get(i), prefix.hash(i));
      }
      tokens.put(sequence, count);
      return true;
    }

    void end(int sequence) {
      List<Integer> own = sequences.remove(sequence);
      tokens.remove(sequence);
      for (int block : own.reversed()) {
        if (sequences.values().stream().noneMatch(each -> each.contains(block))) {
          queue.add(block);
        }
      }
    }
  }

  @Test
  void randomSequencesAreServedAsByAListThatIsSearched() {
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int blocks = random.nextInt(8, 60);
      PagedCache cache = cache(blocks, 0);
      Naive naive = new Naive(blocks);
      Map<Integer, PrefixHashes> running = new HashMap<>();
      for (int step = 0; step < 400; step++) {
        String place = "seed " + seed + ", step " + step;
        int sequence = random.nextInt(8);
        PrefixHashes known = running.get(sequence);
        if (known == null) {
          PrefixHashes prefix = prefix(random.nextInt(4), random.nextInt(6), random.nextInt(1, 9));
          int count = random.nextInt(1, 150);
          int stored = cache.storedTokens(prefix, count - 1);
          assertEquals(naive.stored(prefix, count - 1), stored, place);
          boolean begins = cache.begin(sequence, prefix, stored, count);
          assertEquals(naive.begin(sequence, prefix, stored, count), begins, place);
          if (begins) {
            running.put(sequence, prefix);
          }
        } else if (random.nextInt(3) > 0) {
          int count = naive.tokens.get(sequence) + random.nextInt(1, 20);
          assertEquals(naive.grow(sequence, known, count), cache.grow(sequence, count), place);
        } else {
          cache.end(sequence);
          naive.end(sequence);
          running.remove(sequence);
        }
        long held = blocks - 1L - naive.queue.size();
        assertEquals(held * 16 * TOKEN, cache.heldBytes(), place);
        long kept = naive.queue.stream().filter(naive.hashOf::containsKey).count();
        assertEquals(kept * 16 * TOKEN, cache.keptPrefixBytes(), place);
        long empty =
            running.keySet().stream()
                .mapToLong(each -> naive.sequences.get(each).size() * 16L - naive.tokens.get(each))
                .sum();
        assertEquals(empty * TOKEN, cache.wastedBytes(), place);
      }
    }
  }
}
