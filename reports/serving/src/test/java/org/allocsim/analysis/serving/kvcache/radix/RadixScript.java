package org.allocsim.analysis.serving.kvcache.radix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.analysis.serving.kvcache.PrefixHashes;
import org.allocsim.analysis.serving.kvcache.SequenceStart;
import org.allocsim.workloads.model.LayerGroup;

/**
 * Operations on SGLang's cache as text, and what comes of them.
 *
 * <p>The first line names tokens of a page, pages and the policy of eviction. The others are {@code
 * find TOKEN,...}, {@code begin ROW STEP TOKEN,...}, {@code part ROW STEP} for the next part of a
 * prompt, {@code next ROW TOKEN} for a token of the answer, {@code end ROW,...} and {@code retract
 * ROW}. A row's result is the number of tokens that were found, or {@code no}, and its pages.
 */
final class RadixScript {
  private final RadixCache cache;
  private final int pageTokens;
  private final Map<Integer, List<Long>> tokens = new HashMap<>();
  private final Map<Integer, Integer> computed = new HashMap<>();

  private RadixScript(String[] head) {
    pageTokens = Integer.parseInt(head[1]);
    long pages = Long.parseLong(head[2]) + 1;
    cache =
        new RadixCache(
            List.of(new LayerGroup(1, 16, 0)),
            pages * pageTokens * 16,
            pageTokens,
            EvictionPolicy.named(head[3]));
  }

  /** The result of each line after the first. */
  static List<String> replay(List<String> lines) {
    RadixScript script = new RadixScript(lines.getFirst().split(" "));
    return lines.stream().skip(1).map(line -> script.run(line.split(" "))).toList();
  }

  private String run(String[] words) {
    return switch (words[0]) {
      case "find" -> {
        List<Long> all = numbers(words[1]);
        yield cache.storedTokens(prefix(all), all.size()) + state();
      }
      case "begin" -> begin(Integer.parseInt(words[1]), words);
      case "part" -> part(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "next" -> next(Integer.parseInt(words[1]), Long.parseLong(words[2]));
      case "end" -> {
        cache.startGroup();
        numbers(words[1]).forEach(row -> cache.end(row.intValue(), false));
        cache.endGroup();
        yield state();
      }
      default -> {
        cache.end(Integer.parseInt(words[1]), true);
        yield state();
      }
    };
  }

  private static List<Long> numbers(String text) {
    return Stream.of(text.split(",")).map(Long::valueOf).toList();
  }

  private PrefixHashes prefix(List<Long> all) {
    return page -> {
      int end = (page + 1) * pageTokens;
      return all.subList(0, end).hashCode() * 31L + all.get(end - 1);
    };
  }

  /** Tokens for which the scheduler asks where so many are computed. */
  private int asked(int count) {
    return pageTokens == 1 ? count : count + pageTokens;
  }

  private String begin(int row, String[] words) {
    List<Long> all = new ArrayList<>(numbers(words[3]));
    PrefixHashes prefix = prefix(all);
    int stored = cache.storedTokens(prefix, all.size() - 1);
    int held = cache.hold();
    int step = step(stored, all.size() - stored, Integer.parseInt(words[2]));
    cache.makeRoom(asked(step));
    int count = stored + step;
    SequenceStart start =
        new SequenceStart(prefix, all.size(), all.size(), stored, count, count, true);
    if (cache.availableTokens() < asked(step) || !cache.begin(row, start)) {
      cache.release(held);
      return "no " + stored + state();
    }
    cache.release(held);
    tokens.put(row, all);
    computed.put(row, count);
    cache.share(row, count < all.size());
    return stored + " " + pages(row) + state();
  }

  /** Tokens of the next part of a prompt: all, or whole pages. */
  private int step(int done, int left, int most) {
    return left <= most
        ? left
        : Math.max(pageTokens, (done + most) / pageTokens * pageTokens - done);
  }

  private String part(int row, int most) {
    int done = computed.get(row);
    int step = step(done, tokens.get(row).size() - done, most);
    cache.makeRoom(asked(step));
    if (cache.availableTokens() < asked(step) || !cache.grow(row, done + step)) {
      return "no" + state();
    }
    computed.put(row, done + step);
    cache.share(row, done + step < tokens.get(row).size());
    return "yes " + pages(row) + state();
  }

  private String next(int row, long token) {
    cache.makeRoom(pageTokens);
    if (cache.availableTokens() < pageTokens) {
      return "no" + state();
    }
    tokens.get(row).add(token);
    computed.merge(row, 1, Integer::sum);
    return (cache.grow(row, computed.get(row)) ? "yes " : "no ") + pages(row) + state();
  }

  private String pages(int row) {
    return Arrays.stream(cache.pages(row))
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(","));
  }

  private String state() {
    return " free " + cache.availableTokens() + " kept " + cache.evictableTokens();
  }
}
