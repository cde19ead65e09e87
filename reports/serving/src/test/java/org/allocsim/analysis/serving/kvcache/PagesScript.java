package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.simulator.device.cost.DriverCosts;

/**
 * Operations on kvcached's pages as text, and what comes of them. The first line names pages and
 * bytes of a block; the others are {@code take COUNT} and {@code give BLOCK,...}.
 */
final class PagesScript {
  private PagesScript() {}

  /** The result of each line after the first. */
  static List<String> replay(List<String> lines) {
    String[] head = lines.getFirst().split(" ");
    ElasticPages pages =
        new ElasticPages(
            Integer.parseInt(head[1]),
            ElasticCache.PAGE_BYTES,
            Long.parseLong(head[2]),
            2 * ElasticCache.PAGE_BYTES,
            new DriverWork(DriverCosts.NONE));
    return lines.stream().skip(1).map(line -> run(pages, line.split(" "))).toList();
  }

  private static String run(ElasticPages pages, String[] words) {
    String result = "";
    if (words[0].equals("give")) {
      int[] blocks = Stream.of(words[1].split(",")).mapToInt(Integer::parseInt).toArray();
      pages.give(blocks, blocks.length);
    } else {
      int[] taken = new int[Integer.parseInt(words[1])];
      result =
          pages.take(taken.length, taken)
              ? Arrays.stream(taken).mapToObj(String::valueOf).collect(Collectors.joining(","))
              : "no";
    }
    return result + " free " + pages.available() + " mapped " + pages.mappedPages();
  }
}
