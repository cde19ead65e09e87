package org.allocsim.analysis.serving.kvcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.PageSharing;

/**
 * Operations on a paged cache as text, and what comes of them.
 *
 * <p>The first line names the cache: {@code paged}, the rules, and numbers of tokens of a block,
 * blocks, blocks of the watermark, tokens in flight and the windows of its groups. The others are
 * {@code begin ROW BESIDE PROMPT STEP TOKEN,...}, {@code grow ROW STEP TOKEN,...} (the tokens are
 * new ones of the answer; {@code -} for none), {@code preempt ROW} and {@code end ROW}. A row's
 * result is the number of tokens that were found stored, or {@code no}, and its blocks by group.
 */
final class PagedScript {
  private final PagedCache cache;
  private final int groups;
  private final Map<Integer, List<Long>> tokens = new HashMap<>();
  private final Map<Integer, Integer> computed = new HashMap<>();
  private final int blockTokens;

  private PagedScript(String[] head) {
    blockTokens = Integer.parseInt(head[2]);
    List<LayerGroup> kinds = Stream.of(head[6].split(",")).map(PagedScript::layers).toList();
    groups = kinds.size();
    int blocks = Integer.parseInt(head[3]);
    double watermark = (Integer.parseInt(head[4]) + 0.5) / blocks;
    cache =
        new PagedCache(
            kinds,
            blocks * 16L * blockTokens,
            blockTokens,
            watermark,
            rules(head[1]),
            Integer.parseInt(head[5]),
            false);
  }

  /**
   * Layers by what they look back at: 0, a window, a chunk as in {@code c64}, or {@code s} for a
   * state.
   */
  private static LayerGroup layers(String window) {
    if (window.equals("s")) {
      return LayerGroup.state(1, 16, 1);
    }
    boolean isChunked = window.startsWith("c");
    return new LayerGroup(
        1, 16, Integer.parseInt(isChunked ? window.substring(1) : window), isChunked);
  }

  /** Rules by the letters of those that hold: w or r, f, c, o, l, s and t. */
  private static PagedRules rules(String letters) {
    PagedRules.Reuse reuse =
        letters.contains("w")
            ? PagedRules.Reuse.WINDOWS
            : letters.contains("r") ? PagedRules.Reuse.ALL : PagedRules.Reuse.NONE;
    return new PagedRules(
        PageSharing.Padding.QUARTER,
        reuse,
        letters.contains("f"),
        letters.contains("c"),
        letters.contains("o"),
        letters.contains("l"),
        letters.contains("s"),
        letters.contains("t"));
  }

  /** The result of each line after the first. */
  static List<String> replay(List<String> lines) {
    PagedScript script = new PagedScript(lines.getFirst().split(" "));
    return lines.stream().skip(1).map(line -> script.run(line.split(" "))).toList();
  }

  private String run(String[] words) {
    int row = Integer.parseInt(words[1]);
    return switch (words[0]) {
      case "step" -> {
        cache.startStep();
        yield "";
      }
      case "begin" -> begin(row, words);
      case "grow" -> grow(row, words);
      default -> {
        cache.end(row, words[0].equals("preempt"));
        yield state();
      }
    };
  }

  private static List<Long> numbers(String text) {
    return text.equals("-") ? List.of() : Stream.of(text.split(",")).map(Long::valueOf).toList();
  }

  private String begin(int row, String[] words) {
    List<Long> own = new ArrayList<>(numbers(words[5]));
    PrefixHashes prefix =
        block ->
            own.subList(0, (block + 1) * blockTokens).hashCode() * 31L
                + own.get((block + 1) * blockTokens - 1);
    int stored = cache.storedTokens(prefix, own.size() - 1);
    int count = Math.min(own.size(), stored + Integer.parseInt(words[4]));
    SequenceStart start =
        new SequenceStart(
            prefix,
            Integer.parseInt(words[3]),
            own.size(),
            stored,
            count,
            count,
            words[2].equals("beside"));
    if (!cache.begin(row, start)) {
      return "no " + stored + state();
    }
    tokens.put(row, own);
    computed.put(row, count);
    return stored + blocks(row) + state();
  }

  private String grow(int row, String[] words) {
    tokens.get(row).addAll(numbers(words[3]));
    int count = computed.get(row) + Integer.parseInt(words[2]);
    if (!cache.grow(row, count)) {
      return "no" + blocks(row) + state();
    }
    computed.put(row, count);
    return "yes" + blocks(row) + state();
  }

  private String blocks(int row) {
    return IntStream.range(0, groups)
        .mapToObj(group ->
            IntStream.range(0, cache.lists[group].count(row))
                .mapToObj(block ->
                    block < cache.skipped[group][row] || cache.lists[group].get(row, block) < 0
                        ? "0"
                        : String.valueOf(cache.lists[group].get(row, block)))
                .collect(Collectors.joining(",")))
        .collect(Collectors.joining("/", " ", ""));
  }

  private String state() {
    long block = 16L * blockTokens;
    return " held " + cache.heldBytes() / block + " kept " + cache.keptPrefixBytes() / block;
  }
}
