package org.allocsim.analysis.serving.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.PageSharing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** Since 0.24 a sequence that is alone may take what the watermark keeps free. */
  @Test
  void theWatermarkHoldsBesideOthersOnly() {
    PagedCache cache =
        new PagedCache(LAYERS, 10 * 16 * TOKEN, 16, 0.2, PagedRules.NEWEST, 8, false);
    PrefixHashes prefix = prefix(1, 0, 10);
    assertFalse(cache.begin(0, new SequenceStart(prefix, 128, 128, 0, 128, 128, true)));
    assertTrue(cache.begin(0, new SequenceStart(prefix, 128, 128, 0, 128, 128, false)));
    assertEquals(9 * 16, cache.mostTokens(1));
  }

  /** Since 0.19 a prompt begins only where all of it has room, though a part does. */
  @Test
  void aPromptBeginsWhereAllOfItHasRoom() {
    SequenceStart start = new SequenceStart(prefix(1, 0, 10), 161, 161, 0, 32, 32, false);
    assertTrue(cache(11, 0).begin(0, start));
    PagedRules rules =
        new PagedRules(
            PageSharing.Padding.QUARTER,
            PagedRules.Reuse.NONE,
            true,
            false,
            false,
            false,
            false,
            false);
    assertFalse(new PagedCache(LAYERS, 11 * 16 * TOKEN, 16, 0, rules, 8, false).begin(0, start));
    assertTrue(new PagedCache(LAYERS, 12 * 16 * TOKEN, 16, 0, rules, 8, false).begin(0, start));
  }

  /** Since 0.29 a window keeps its blocks before the end of the prompt, and no others. */
  @Test
  void aWindowRemembersTheEndOfThePrompt() {
    List<LayerGroup> window = List.of(new LayerGroup(4, 16, 20));
    PagedCache cache = new PagedCache(window, 40 * 16 * TOKEN, 16, 0, PagedRules.NEWEST, 99, false);
    assertTrue(cache.begin(0, new SequenceStart(prefix(1, 9, 10), 100, 100, 0, 100, 100, false)));
    cache.end(0);
    assertEquals(2 * 16 * TOKEN, cache.keptPrefixBytes());
    assertEquals(96, cache.storedTokens(prefix(1, 9, 10), 99));
    assertEquals(0, cache.storedTokens(prefix(1, 9, 10), 80));
  }

  /**
   * Which blocks of a window of four tokens, two to a block, make a prefix: the cases of vLLM's
   * {@code test_sliding_window_possible_cached_prefix}.
   */
  @ParameterizedTest
  @CsvSource({
    "0000000000, 0",
    "1, 1",
    "10, 1",
    "11, 2",
    "110, 2",
    "111, 3",
    "1110, 3",
    "110100110111, 12",
    "11010011000, 8",
    "110100110001, 8",
  })
  void aWindowsPrefixIsTheLastThatIsWhole(String stored, int blocks) {
    LayerGroup[] window = {new LayerGroup(1, 2, 4)};
    assertEquals(
        blocks,
        new StoredPrefix(window, 2)
            .blocks(stored.length(), (block, _) -> stored.charAt(block) == '1'));
  }

  /** The cases of vLLM's {@code test_sliding_window_remove_skipped_blocks}. */
  @ParameterizedTest
  @CsvSource({"4, 0", "5, 1", "6, 1", "7, 2", "8, 2", "11, 4"})
  void blocksThatNoWindowReachesAreGivenUp(int tokens, int blocks) {
    PagedCache cache = new PagedCache(List.of(new LayerGroup(1, 16, 4)), 100 * 32, 2, 0);
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, tokens));
    assertTrue(cache.grow(0, 22));
    assertEquals((11 - blocks) * 32L, cache.heldBytes());
    assertEquals(blocks * 32L, cache.keptPrefixBytes(), "they keep their prefix until then");
  }

  /** 2 layers that see everything and 3 with a window: groups of 2, the last with a layer less. */
  @Test
  void layersOfSeveralKindsTakeBlocksOfOnePool() {
    PagedCache cache =
        new PagedCache(
            List.of(new LayerGroup(2, 16, 0), new LayerGroup(3, 16, 20)), 100 * 512, 16, 0);
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, 40));
    assertEquals(9 * 512, cache.heldBytes());
    // 8 empty slots of 5 layers, 21 tokens out of the sight of 3, and a layer of 3 blocks.
    assertEquals(8 * 80 + 21 * 48 + 3 * 256, cache.wastedBytes());
    assertTrue(cache.grow(0, 48));
    assertEquals(
        7 * 512, cache.heldBytes(), "the first block of both groups with a window is gone");
    assertEquals((29 - 16) * 48 + 2 * 256, cache.wastedBytes());
    cache.end(0);
    assertEquals(0, cache.wastedBytes());
    assertEquals(9 * 512, cache.keptPrefixBytes());

    assertEquals(48, cache.storedTokens(prefix(1, 0, 10), 60));
    assertTrue(cache.begin(1, prefix(1, 0, 10), 48, 49));
    assertEquals((3 + 2 + 2 + 3) * 512, cache.heldBytes(), "shared ones, and a new one for each");
  }

  /** Alone, a sequence has room as long as its window and a step do. */
  @Test
  void theLongestSequenceIsOneThatFitsWhateverItsWindows() {
    List<LayerGroup> kinds = List.of(new LayerGroup(1, 16, 0), new LayerGroup(1, 16, 40));
    for (int step : new int[] {1, 5, 16, 70}) {
      PagedCache cache = new PagedCache(kinds, 31 * 256, 16, 0);
      int most = cache.mostTokens(step);
      assertTrue(cache.begin(0, prefix(1, 0, 10), 0, step));
      for (int count = step; count < most; count = Math.min(most, count + step)) {
        assertTrue(cache.grow(0, Math.min(most, count + step)), step + " at " + count);
      }
    }
  }

  @Test
  void guessesHaveRoomAndLeaveNoPrefix() {
    PagedCache cache = cache(11, 0);
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, 15, 33));
    assertEquals(3 * 16 * TOKEN, cache.heldBytes());
    assertEquals(33 * TOKEN, cache.wastedBytes());
    assertEquals(0, cache.storedTokens(prefix(1, 0, 10), 64));
    assertTrue(cache.grow(0, 32));
    assertEquals(32, cache.storedTokens(prefix(1, 0, 10), 64), "the guesses were right");
    assertEquals(3 * 16 * TOKEN, cache.heldBytes());
    cache.end(0);
    assertEquals(0, cache.wastedBytes());
  }

  @Test
  void layersThatStoreDifferentlyKeepAllTokens() {
    PagedCache cache =
        new PagedCache(List.of(new LayerGroup(1, 16, 0), new LayerGroup(1, 32, 4)), 4800, 4, 0);
    assertEquals(2, cache.layout().rangeBytes().size());
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, 16));
    assertTrue(cache.grow(0, 17));
    assertEquals(5 * 4 * 48, cache.heldBytes());
  }

  /** Chunks of 32 tokens: with the 33rd the two blocks of the first chunk are given up. */
  @Test
  void aChunkThatIsOverGivesUpItsBlocks() {
    LayerGroup chunks = new LayerGroup(1, 16, 32, true);
    PagedCache cache = new PagedCache(List.of(chunks), 20 * 256, 16, 0);
    assertTrue(cache.begin(0, prefix(1, 0, 10), 0, 32));
    assertEquals(2 * 256, cache.heldBytes());
    assertEquals(2 * 256, cache.wastedBytes(), "the next token looks back at none of them");
    assertTrue(cache.grow(0, 33));
    assertEquals(256, cache.heldBytes());
    assertTrue(cache.grow(0, 63));
    assertEquals(2 * 256, cache.heldBytes());
  }

  private static final List<LayerGroup> STATEFUL =
      List.of(new LayerGroup(2, 16, 0), LayerGroup.state(4, 16, 200));

  private static PagedCache stateful(PagedRules rules) {
    return new PagedCache(STATEFUL, 40 * 512L, 16, 0, rules, IN_FLIGHT, false);
  }

  /** Four layers with a state and two others are three groups; a block has 512 bytes. */
  @Test
  void aStateTakesOneBlockOfEachGroupWithoutPrefixes() {
    PagedCache cache = stateful(PagedRules.FIRST);
    assertTrue(cache.begin(0, prefix(1, 2, 10), 0, 40));
    assertEquals((3 + 2) * 512, cache.heldBytes());
    assertEquals(8 * 32 + 2 * (512 - 400), cache.wastedBytes());
    assertTrue(cache.grow(0, 100));
    assertEquals((7 + 2) * 512, cache.heldBytes());
    cache.end(0);
    assertEquals(0, cache.heldBytes());
    assertEquals(0, cache.wastedBytes());
    assertEquals(0, cache.keptPrefixBytes());
    assertEquals(0, cache.storedTokens(prefix(1, 2, 11), 64));
  }

  /** A part of a prompt leaves its state; the one before it is given up a step later. */
  @Test
  void aStateIsKeptAtTheEndOfEachPart() {
    PagedCache cache =
        stateful(
            new PagedRules(
                PageSharing.Padding.QUARTER,
                PagedRules.Reuse.ALL,
                true,
                true,
                true,
                false,
                true,
                false));
    assertTrue(cache.begin(0, prefix(1, 9, 10), 0, 32));
    assertTrue(cache.grow(0, 64));
    assertEquals((4 + 2 * 2) * 512, cache.heldBytes());
    assertTrue(cache.grow(0, 65));
    assertEquals((5 + 2 * 2) * 512, cache.heldBytes(), "those of 64 and 65 tokens");
    assertEquals(64, cache.storedTokens(prefix(1, 9, 11), 70));
    assertEquals(32, cache.storedTokens(prefix(1, 9, 11), 63), "no state at 48");
  }

  @Test
  void aStateOfThisStepIsFoundInTheNext() {
    PagedCache cache = stateful(PagedRules.NEWEST);
    cache.startStep();
    PrefixHashes first = prefix(1, 9, 10);
    assertTrue(cache.begin(0, new SequenceStart(first, 33, 33, 0, 32, 32, false)));
    PrefixHashes second = prefix(1, 9, 11);
    assertEquals(32, cache.storedTokens(second, 63));
    SequenceStart start = new SequenceStart(second, 64, 64, 32, 64, 64, true);
    assertFalse(cache.begin(1, start));
    assertTrue(cache.mayHaveMoreRoom());
    cache.startStep();
    assertTrue(cache.begin(1, start));
  }

  /** Where layers without a state have more of a prompt, a later one like it stops there. */
  @Test
  void aJunctionIsWhereStatesAreMissing() {
    PagedCache cache = stateful(PagedRules.NEWEST);
    assertTrue(cache.begin(0, prefix(1, 4, 10), 0, 150));
    PrefixHashes second = prefix(1, 4, 11);
    assertEquals(0, cache.storedTokens(second, 99));
    assertEquals(64, cache.junctionTokens(second, 100, 0));
    assertTrue(cache.begin(1, new SequenceStart(second, 100, 100, 0, 64, 64, true)));
    assertEquals(64, cache.storedTokens(prefix(1, 4, 12), 99));
    assertEquals(0, cache.junctionTokens(prefix(1, 4, 12), 100, 64));
  }

  @Test
  void aModelOfStatesAloneIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new PagedCache(List.of(STATEFUL.getLast()), 40 * 512L, 16, 0));
  }

  @Test
  void chunksAreWholeBlocks() {
    LayerGroup chunks = new LayerGroup(1, 16, 40, true);
    assertEquals(
        "chunks of 40 tokens that layers look back at are not whole blocks of 16",
        assertThrows(
                IllegalArgumentException.class,
                () -> new PagedCache(List.of(chunks), 20 * 256, 16, 0))
            .getMessage());
  }

  /** What it says must hold for any first step, and it must say something. */
  @Test
  void aCacheThatIsStillFullRefusesWhateverTheStep() {
    List<LayerGroup> model = List.of(new LayerGroup(2, 16, 0), new LayerGroup(2, 16, 40));
    int stillFull = 0;
    int mayFit = 0;
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      PagedCache cache =
          new PagedCache(model, 60 * 512L, 16, 0, PagedRules.NEWEST, IN_FLIGHT, false);
      int[] counts = new int[6];
      for (int row = 0; row < 5; row++) {
        PrefixHashes own = prefix(random.nextInt(2), random.nextInt(6), row);
        int stored = cache.storedTokens(own, 69);
        counts[row] = cache.begin(row, own, stored, 70) ? 70 : 0;
      }
      PrefixHashes next = prefix(random.nextInt(2), random.nextInt(6), 9);
      int whole = random.nextInt(60, 300);
      boolean isRefused = false;
      for (int step = 0; step < 60; step++) {
        if (isRefused && cache.isStillFull()) {
          stillFull++;
          assertFalse(begins(cache, next, whole, 1), "seed " + seed + ", step " + step);
        } else {
          mayFit++;
          isRefused = !begins(cache, next, whole, 1 + random.nextInt(whole));
        }
        if (!isRefused) {
          break;
        }
        int row = random.nextInt(5);
        int count = counts[row] + random.nextInt(1, 20);
        counts[row] = counts[row] > 0 && cache.grow(row, count) ? count : counts[row];
      }
    }
    assertTrue(stillFull > 100 && mayFit > 100, stillFull + " and " + mayFit);
  }

  private static boolean begins(PagedCache cache, PrefixHashes prefix, int whole, int step) {
    int stored = cache.storedTokens(prefix, whole - 1);
    int count = Math.min(whole, stored + step);
    return cache.begin(5, new SequenceStart(prefix, whole, whole, stored, count, count, true));
  }

  @Test
  void aCacheHasTwoBlocksAtLeast() {
    assertThrows(IllegalArgumentException.class, () -> cache(1, 0));
  }

  private static final int IN_FLIGHT = 40;

  /** Groups of layers and one pool, as plain lists. */
  private static final class Naive {
    /** Layers of groups of two, and what they look back at. */
    final List<LayerGroup> groups;

    final List<Integer> queue = new ArrayList<>();
    final Map<Integer, String> nameOf = new LinkedHashMap<>();

    /** By sequence and group: blocks, or -1 for those given up. */
    final Map<Integer, List<List<Integer>>> sequences = new HashMap<>();

    final Map<Integer, Integer> tokens = new HashMap<>();
    final Map<Integer, Integer> earlier = new HashMap<>();
    final Map<Integer, List<Integer>> ends = new HashMap<>();
    final PagedRules rules;

    Naive(int blocks, List<LayerGroup> groups, PagedRules rules) {
      this.groups = groups;
      this.rules = rules;
      for (int block = 1; block < blocks; block++) {
        queue.add(block);
      }
    }

    int holder(PrefixHashes prefix, int block, int group) {
      String name = prefix.hash(block) + " of " + group;
      return nameOf.entrySet().stream()
          .filter(each -> each.getValue().equals(name))
          .mapToInt(Map.Entry::getKey)
          .findFirst()
          .orElse(-1);
    }

    /** Whether a token, of so many, is read by the next ones. */
    boolean isRead(int token, int count, int group) {
      int window = groups.get(group).windowTokens();
      if (groups.get(group).isChunked()) {
        return token >= count / window * window;
      }
      return window == 0 || token > count - window;
    }

    boolean isNeeded(int block, int count, int group) {
      return isRead(block * 16 + 15, count, group);
    }

    int stored(PrefixHashes prefix, int most) {
      return stored(prefix, most, _ -> true);
    }

    /** What layers with some windows have stored. */
    int stored(PrefixHashes prefix, int most, IntPredicate windows) {
      for (int count = most / 16; count > 0; count--) {
        boolean isWhole = true;
        for (int block = 0; block < count; block++) {
          for (int group = 0; group < groups.size(); group++) {
            if (!windows.test(groups.get(group).windowTokens())) {
              continue;
            }
            isWhole &= !isNeeded(block, count * 16, group) || holder(prefix, block, group) >= 0;
          }
        }
        if (isWhole) {
          return count * 16;
        }
      }
      return 0;
    }

    /** Blocks that all tokens need, where it must be there at once. */
    int wholeBlocks(int whole, int stored) {
      int needed = 0;
      for (LayerGroup group : groups) {
        int own = (whole + 15) / 16;
        if (rules.capsWindows() && group.windowTokens() > 0) {
          int most = group.windowTokens() + IN_FLIGHT;
          own = Math.min(own, group.isChunked() ? (most + 15) / 16 : (most - 1 + 15) / 16 + 1);
        }
        needed += Math.max(0, own - stored / 16);
      }
      return rules.fitsWhole() ? needed : 0;
    }

    /** The ends of the prompt and of what others have of it. */
    List<Integer> ends(PrefixHashes prefix, int whole, int stored) {
      int first =
          groups.stream()
              .mapToInt(LayerGroup::windowTokens)
              .filter(each -> each == 0)
              .findFirst()
              .orElse(groups.getFirst().windowTokens());
      int longest = groups.size() == 1 ? 0 : stored(prefix, whole - 1, window -> window == first);
      return longest > stored ? List.of(whole - 1, longest) : List.of(whole - 1);
    }

    boolean isRemembered(int sequence, int block, int group) {
      int window = groups.get(group).windowTokens();
      int back = (window - 1 + 15) / 16;
      return !rules.keepsTails()
          || window == 0
          || groups.get(group).isChunked()
          || ends.get(sequence).stream()
              .anyMatch(end -> block < end / 16 && block >= end / 16 - back);
    }

    boolean begin(int sequence, PrefixHashes prefix, int whole, int stored, int count) {
      List<List<Integer>> own = new ArrayList<>();
      List<Integer> shared = new ArrayList<>();
      for (int group = 0; group < groups.size(); group++) {
        own.add(new ArrayList<>());
        for (int block = 0; block < stored / 16; block++) {
          int found = isNeeded(block, stored, group) ? holder(prefix, block, group) : -1;
          own.get(group).add(found);
          shared.add(found);
        }
      }
      int fresh = ((count + 15) / 16 - stored / 16) * groups.size();
      int asked = Math.max(fresh, wholeBlocks(whole, stored));
      if (asked > queue.stream().filter(block -> !shared.contains(block)).count()) {
        return false;
      }
      ends.put(sequence, ends(prefix, whole, stored));
      queue.removeAll(shared);
      sequences.put(sequence, own);
      tokens.put(sequence, stored);
      earlier.put(sequence, stored);
      return grow(sequence, prefix, count);
    }

    boolean grow(int sequence, PrefixHashes prefix, int count) {
      List<List<Integer>> own = sequences.get(sequence);
      for (int group = 0; group < own.size(); group++) {
        List<Integer> blocks = own.get(group);
        List<Integer> released = new ArrayList<>();
        int settled = rules.settlesLate() ? earlier.get(sequence) : tokens.get(sequence);
        for (int block = blocks.size() - 1; block >= 0; block--) {
          if (!isNeeded(block, settled, group)) {
            released.add(blocks.set(block, -1));
          }
        }
        release(released, group, false);
      }
      if (((count + 15) / 16 - own.getFirst().size()) * own.size() > queue.size()) {
        return false;
      }
      for (List<Integer> blocks : own) {
        while (blocks.size() * 16 < count) {
          int block = queue.removeFirst();
          nameOf.remove(block);
          blocks.add(block);
        }
      }
      for (int group = 0; group < own.size(); group++) {
        for (int block = 0; block < count / 16; block++) {
          boolean isNew = block >= tokens.get(sequence) / 16;
          if (isNew && own.get(group).get(block) >= 0 && isRemembered(sequence, block, group)) {
            nameOf.putIfAbsent(own.get(group).get(block), prefix.hash(block) + " of " + group);
          }
        }
      }
      earlier.put(sequence, tokens.get(sequence));
      tokens.put(sequence, count);
      return true;
    }

    void release(List<Integer> released, int group, boolean isEnd) {
      boolean isReusedFirst =
          rules.reuse() == PagedRules.Reuse.ALL
              || (rules.reuse() == PagedRules.Reuse.WINDOWS
                  && groups.get(group).windowTokens() > 0
                  && !(groups.get(group).isChunked() && isEnd));
      int front = 0;
      for (int block : released) {
        boolean isHeld =
            sequences.values().stream()
                .flatMap(List::stream)
                .anyMatch(blocks -> blocks.contains(block));
        if (block >= 0 && !isHeld) {
          boolean isFirst = isReusedFirst && !nameOf.containsKey(block);
          queue.add(isFirst ? front++ : queue.size(), block);
        }
      }
    }

    void end(int sequence) {
      List<List<Integer>> own = sequences.remove(sequence);
      tokens.remove(sequence);
      for (int group = 0; group < own.size(); group++) {
        release(own.get(group).reversed(), group, true);
      }
    }

    long wastedBytes() {
      long wasted = 0;
      for (int group = 0; group < groups.size(); group++) {
        Set<Integer> held = new HashSet<>();
        for (int sequence : sequences.keySet()) {
          List<Integer> blocks = sequences.get(sequence).get(group);
          for (int token = 0; token < blocks.size() * 16; token++) {
            boolean isUseful =
                token < tokens.get(sequence) && isRead(token, tokens.get(sequence), group);
            wasted +=
                blocks.get(token / 16) < 0 || isUseful ? 0 : groups.get(group).bytesPerToken();
          }
          held.addAll(blocks);
        }
        held.remove(-1);
        wasted += held.size() * 16L * (32 - groups.get(group).bytesPerToken());
      }
      return wasted;
    }
  }

  private static List<LayerGroup> groups(int... windows) {
    return Arrays.stream(windows).mapToObj(window -> new LayerGroup(2, 16, window)).toList();
  }

  @Test
  void randomSequencesAreServedAsByAListThatIsSearched() {
    List<List<LayerGroup>> kinds =
        List.of(
            groups(0),
            groups(0, 40),
            groups(17),
            groups(0, 40, 16),
            List.of(new LayerGroup(2, 16, 48, true)),
            List.of(
                new LayerGroup(2, 16, 0),
                new LayerGroup(2, 16, 32, true),
                new LayerGroup(2, 16, 17)),
            List.of(new LayerGroup(2, 16, 0), new LayerGroup(3, 16, 33)));
    List<PagedRules> releases =
        List.of(
            PagedRules.FIRST,
            new PagedRules(
                PageSharing.Padding.QUARTER,
                PagedRules.Reuse.NONE,
                true,
                false,
                false,
                false,
                false,
                false),
            new PagedRules(
                PageSharing.Padding.QUARTER,
                PagedRules.Reuse.WINDOWS,
                true,
                true,
                false,
                false,
                false,
                false),
            PagedRules.NEWEST);
    for (long seed = 0; seed < 280; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      PagedRules rules = releases.get((int) (seed / kinds.size() % releases.size()));
      List<LayerGroup> model = kinds.get((int) (seed % kinds.size()));
      List<LayerGroup> dealt = new ArrayList<>(model);
      if (model.getLast().layers() == 3) {
        dealt.set(1, new LayerGroup(2, 16, 33));
        dealt.add(new LayerGroup(1, 16, 33));
      }
      int blocks = random.nextInt(8, 60) * dealt.size();
      PagedCache cache = new PagedCache(model, blocks * 512L, 16, 0, rules, IN_FLIGHT, false);
      Naive naive = new Naive(blocks, dealt, rules);
      Map<Integer, PrefixHashes> running = new HashMap<>();
      for (int step = 0; step < 300; step++) {
        String place = "seed " + seed + ", step " + step;
        int sequence = random.nextInt(8);
        PrefixHashes known = running.get(sequence);
        if (known == null) {
          PrefixHashes prefix = prefix(random.nextInt(4), random.nextInt(6), random.nextInt(1, 9));
          int whole = random.nextInt(1, 150);
          int stored = cache.storedTokens(prefix, whole - 1);
          assertEquals(naive.stored(prefix, whole - 1), stored, place);
          int count = random.nextInt(stored + 1, whole + 1);
          boolean begins =
              cache.begin(
                  sequence, new SequenceStart(prefix, whole, whole, stored, count, count, true));
          assertEquals(naive.begin(sequence, prefix, whole, stored, count), begins, place);
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
        assertEquals(held * 512, cache.heldBytes(), place);
        long kept = naive.queue.stream().filter(naive.nameOf::containsKey).count();
        assertEquals(kept * 512, cache.keptPrefixBytes(), place);
        assertEquals(naive.wastedBytes(), cache.wastedBytes(), place);
      }
    }
  }
}
