package org.allocsim.analysis.serving.kvcache.radix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.analysis.serving.kvcache.PrefixHashes;
import org.allocsim.analysis.serving.kvcache.SequenceStart;
import org.allocsim.simulator.policy.RecordedScript;
import org.allocsim.workloads.model.LayerGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SGLang's rules: by hand, as recorded, and against a tree of lists that is searched. */
class RadixCacheTest {
  private static final List<LayerGroup> LAYERS = List.of(new LayerGroup(2, 16, 0));
  private static final int TOKEN = 32;

  /** A cache of so many pages, the one that is never used left out. */
  private static RadixCache cache(int pages, int pageTokens, EvictionPolicy policy) {
    return new RadixCache(LAYERS, (pages + 1L) * pageTokens * TOKEN, pageTokens, policy);
  }

  /** Tokens that are those of a family up to one of them and its own after it. */
  private static PrefixHashes prefix(int family, int shared, int own) {
    return page -> page < shared ? family * 1000L + page : own * 1_000_000L + page;
  }

  private static boolean begin(RadixCache cache, int row, PrefixHashes prefix, int tokens) {
    int stored = cache.storedTokens(prefix, tokens - 1);
    SequenceStart start = new SequenceStart(prefix, tokens, tokens, stored, tokens, tokens, true);
    return cache.begin(row, start);
  }

  @Test
  void tokensAreSharedAndNotBlocksOfThem() {
    RadixCache cache = cache(100, 1, EvictionPolicy.LRU);
    assertTrue(begin(cache, 0, prefix(1, 7, 10), 20));
    cache.share(0, false);
    assertEquals(7, cache.storedTokens(prefix(1, 7, 11), 30));
    assertTrue(begin(cache, 1, prefix(1, 7, 11), 10));
    assertEquals(23 * TOKEN, cache.heldBytes());
    cache.end(0, false);
    assertEquals(10 * TOKEN, cache.heldBytes());
    assertEquals(13 * TOKEN, cache.keptPrefixBytes());
    assertEquals(0, cache.wastedBytes());
  }

  @Test
  void theLastTokenIsComputedEvenIfItIsStored() {
    RadixCache cache = cache(100, 1, EvictionPolicy.LRU);
    assertTrue(begin(cache, 0, prefix(1, 20, 10), 20));
    cache.share(0, false);
    assertEquals(19, cache.storedTokens(prefix(1, 20, 11), 19));
  }

  @Test
  void pagesThatAreNotFullAreNotShared() {
    RadixCache cache = cache(20, 4, EvictionPolicy.LRU);
    assertTrue(begin(cache, 0, prefix(1, 9, 10), 11));
    cache.share(0, false);
    assertEquals(8, cache.storedTokens(prefix(1, 9, 10), 11));
    assertEquals(TOKEN, cache.wastedBytes());
  }

  @Test
  void oneOfTwoThatComputedTheSameGivesItsPagesBack() {
    RadixCache cache = cache(100, 1, EvictionPolicy.LRU);
    assertTrue(begin(cache, 0, prefix(1, 20, 10), 20));
    assertTrue(begin(cache, 1, prefix(1, 20, 11), 20));
    assertEquals(40 * TOKEN, cache.heldBytes());
    cache.share(0, false);
    cache.share(1, false);
    assertEquals(20 * TOKEN, cache.heldBytes());
    assertEquals(80, cache.availableTokens());
  }

  /** The whole of the least used leaf is forgotten, not just the tokens that are missing. */
  @Test
  void leavesAreForgottenWhole() {
    RadixCache cache = cache(60, 1, EvictionPolicy.LRU);
    for (int row = 0; row < 2; row++) {
      assertTrue(begin(cache, row, prefix(row + 1, 25, row), 25));
      cache.end(row, false);
    }
    cache.makeRoom(12);
    assertEquals(35, cache.availableTokens());
    assertEquals(0, cache.storedTokens(prefix(1, 25, 0), 25));
    assertEquals(25, cache.storedTokens(prefix(2, 25, 1), 25));
  }

  @Test
  void whatASequenceUsesIsNotForgotten() {
    RadixCache cache = cache(30, 1, EvictionPolicy.LRU);
    assertTrue(begin(cache, 0, prefix(1, 20, 10), 20));
    cache.share(0, false);
    assertFalse(begin(cache, 1, prefix(2, 0, 11), 11));
    assertEquals(10, cache.availableTokens());
    assertTrue(begin(cache, 1, prefix(2, 0, 11), 10));
    assertFalse(cache.grow(1, 11));
  }

  @Test
  void whoIsThrownOutLeavesNothing() {
    RadixCache cache = cache(40, 1, EvictionPolicy.LRU);
    assertTrue(begin(cache, 0, prefix(1, 20, 10), 20));
    cache.end(0, true);
    assertEquals(40, cache.availableTokens());
    assertEquals(0, cache.storedTokens(prefix(1, 20, 10), 20));
  }

  @Test
  void aCacheHasTwoPagesAtLeast() {
    assertThrows(IllegalArgumentException.class, () -> cache(0, 4, EvictionPolicy.LRU));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lru", "slru", "lfu", "fifo", "mru", "filo"})
  void aRecordedScriptHasItsResults(String policy) {
    RecordedScript.check(RadixScript.class, "radix-" + policy + ".txt", RadixScript::replay);
  }

  /** A tree of objects whose leaves are searched. */
  private static final class Naive {
    /** A run of pages. */
    private static final class Node {
      final List<Long> key = new ArrayList<>();
      final List<Node> children = new ArrayList<>();
      Node parent;
      int locks;
      int hits;
      long accessed;
      long created;
    }

    final Node root = new Node();
    final EvictionPolicy policy;
    long clock;
    int free;
    Node last = root;

    Naive(int pages, EvictionPolicy policy) {
      this.policy = policy;
      free = pages;
      root.locks = 1;
    }

    Node node(Node parent) {
      Node node = new Node();
      node.parent = parent;
      node.accessed = clock++;
      node.created = clock++;
      parent.children.add(node);
      return node;
    }

    /** How many pages are there of a path; nodes are cut where it leaves them. */
    int walk(List<Long> path, boolean counts) {
      long time = clock++;
      Node at = root;
      int done = 0;
      while (done < path.size()) {
        long wanted = path.get(done);
        Node child =
            at.children.stream()
                .filter(each -> each.key.getFirst() == wanted)
                .findFirst()
                .orElse(null);
        if (child == null) {
          break;
        }
        child.accessed = time;
        int same = 0;
        while (same < child.key.size()
            && done + same < path.size()
            && child.key.get(same).equals(path.get(done + same))) {
          same++;
        }
        done += same;
        at = same < child.key.size() ? cut(child, same) : child;
        at.hits += counts ? 1 : 0;
      }
      last = at;
      return done;
    }

    Node cut(Node child, int length) {
      child.parent.children.remove(child);
      Node upper = node(child.parent);
      upper.key.addAll(child.key.subList(0, length));
      upper.hits = child.hits;
      upper.locks = child.locks;
      child.key.subList(0, length).clear();
      child.parent = upper;
      upper.children.add(child);
      return upper;
    }

    /** Inserts a path, and answers how much of it was there. */
    int insert(List<Long> path, boolean counts) {
      int there = walk(path, counts);
      if (there < path.size()) {
        last = node(last);
        last.key.addAll(path.subList(there, path.size()));
        last.hits = counts ? 1 : 0;
      }
      return there;
    }

    void lock(Node node, int more) {
      for (Node at = node; at != root; at = at.parent) {
        at.locks += more;
      }
    }

    List<Node> all(Node from) {
      List<Node> nodes = new ArrayList<>(from.children);
      from.children.forEach(child -> nodes.addAll(all(child)));
      return nodes;
    }

    int evictable() {
      return all(root).stream()
          .filter(each -> each.locks == 0)
          .mapToInt(each -> each.key.size())
          .sum();
    }

    void makeRoom(int pages) {
      int missing = pages - free;
      while (missing > 0) {
        Node leaf =
            all(root).stream()
                .filter(each -> each.locks == 0 && each.children.isEmpty())
                .min(
                    Comparator.comparingLong((Node each) -> policy.rank(each.hits, 0))
                        .thenComparingLong(each -> policy.age(each.accessed, each.created)))
                .orElse(null);
        if (leaf == null) {
          return;
        }
        leaf.parent.children.remove(leaf);
        free += leaf.key.size();
        missing -= leaf.key.size();
      }
    }
  }

  private static List<Long> path(PrefixHashes prefix, int pages) {
    List<Long> path = new ArrayList<>();
    for (int page = 0; page < pages; page++) {
      path.add(prefix.hash(page));
    }
    return path;
  }

  @ParameterizedTest
  @EnumSource(EvictionPolicy.class)
  void randomSequencesAreServedAsByATreeThatIsSearched(EvictionPolicy policy) {
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int pageTokens = seed % 2 == 0 ? 1 : 4;
      int pages = random.nextInt(30, 120);
      RadixCache cache = cache(pages, pageTokens, policy);
      Naive naive = new Naive(pages, policy);
      Map<Integer, PrefixHashes> running = new HashMap<>();
      Map<Integer, Integer> tokens = new HashMap<>();
      Map<Integer, Integer> shared = new HashMap<>();
      Map<Integer, Naive.Node> nodes = new HashMap<>();
      for (int step = 0; step < 300; step++) {
        String place = "seed " + seed + ", step " + step;
        int row = random.nextInt(6);
        PrefixHashes known = running.get(row);
        if (known == null) {
          PrefixHashes prefix = prefix(random.nextInt(4), random.nextInt(20), random.nextInt(1, 9));
          int count = random.nextInt(1, 30 * pageTokens);
          int stored = cache.storedTokens(prefix, count - 1);
          assertEquals(
              naive.walk(path(prefix, (count - 1) / pageTokens), false) * pageTokens,
              stored,
              place);
          Naive.Node node = naive.last;
          naive.lock(node, 1);
          int needed = (count + pageTokens - 1) / pageTokens - stored / pageTokens;
          naive.makeRoom(needed);
          boolean fits = naive.free >= needed;
          SequenceStart start = new SequenceStart(prefix, count, count, stored, count, count, true);
          assertEquals(fits, cache.begin(row, start), place);
          if (fits) {
            naive.free -= needed;
            running.put(row, prefix);
            tokens.put(row, count);
            boolean isPart = random.nextBoolean();
            cache.share(row, isPart);
            int full = count / pageTokens;
            naive.free += naive.insert(path(prefix, full), !isPart) - stored / pageTokens;
            naive.walk(path(prefix, full), false);
            naive.lock(naive.last, 1);
            naive.lock(node, -1);
            nodes.put(row, naive.last);
            shared.put(row, full);
          } else {
            naive.lock(node, -1);
          }
        } else if (random.nextInt(3) > 0) {
          int count = tokens.get(row) + random.nextInt(1, 4);
          int needed =
              (count + pageTokens - 1) / pageTokens
                  - (tokens.get(row) + pageTokens - 1) / pageTokens;
          if (needed > 0) {
            naive.makeRoom(needed);
          }
          boolean fits = naive.free >= needed;
          assertEquals(fits, cache.grow(row, count), place);
          if (fits) {
            naive.free -= needed;
            tokens.put(row, count);
          }
        } else {
          boolean comesBack = random.nextBoolean();
          cache.end(row, comesBack);
          int count = tokens.get(row);
          int full = count / pageTokens;
          int there = comesBack ? full : naive.insert(path(known, full), true);
          naive.free += there - shared.get(row);
          naive.free += (count + pageTokens - 1) / pageTokens - full;
          naive.lock(nodes.get(row), -1);
          running.remove(row);
        }
        assertEquals((long) naive.free * pageTokens, cache.availableTokens(), place);
        assertEquals((long) naive.evictable() * pageTokens, cache.evictableTokens(), place);
      }
    }
  }
}
