package org.allocsim.analysis.serving.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.junit.jupiter.api.Test;

/** Pages that hold nothing but prefixes, against a search through all of them. */
class KeptPagesTest {
  private final List<Integer> used = new ArrayList<>();

  /** Blocks that keep a prefix, in the order in which they began to. */
  private final List<Integer> kept = new ArrayList<>();

  @Test
  void randomBlocksLeaveTheFewestThatASearchFinds() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int count = random.nextInt(4, 40);
      int perPage = random.nextInt(1, 9);
      ElasticPages pages = new ElasticPages(count, perPage, 1, 2, new DriverWork(DriverCosts.NONE));
      KeptPages keptPages = new KeptPages(pages, count);
      used.clear();
      kept.clear();
      for (int step = 0; step < 1_000; step++) {
        step(random, pages, keptPages);
        // Pages change many times between two questions.
        if (random.nextInt(4) == 0) {
          assertEquals(
              searched(pages, count), keptPages.fewest(), "seed " + seed + ", step " + step);
        }
      }
    }
  }

  private void step(SplittableRandom random, ElasticPages pages, KeptPages keptPages) {
    switch (random.nextInt(5)) {
      case 0 -> {
        int[] taken = new int[random.nextInt(1, 12)];
        if (pages.take(taken.length, taken)) {
          IntStream.of(taken).forEach(used::add);
        }
      }
      case 1, 2 -> {
        if (!used.isEmpty()) {
          int block = used.remove(/* index */ random.nextInt(used.size()));
          kept.add(block);
          keptPages.add(block);
        }
      }
      case 3 -> {
        if (!used.isEmpty()) {
          int block = used.remove(/* index */ random.nextInt(used.size()));
          pages.give(block);
          keptPages.given(block);
        }
      }
      default -> {
        if (!kept.isEmpty()) {
          int block = kept.remove(/* index */ random.nextInt(kept.size()));
          keptPages.remove(block);
          if (random.nextBoolean()) {
            used.add(block);
          } else {
            pages.give(block);
            keptPages.given(block);
          }
        }
      }
    }
  }

  private int searched(ElasticPages pages, int count) {
    return IntStream.range(0, count)
        .filter(page -> keptOf(pages, page) > 0 && keptOf(pages, page) == pages.takenIn(page))
        .boxed()
        .min(
            Comparator.comparingInt((Integer page) -> keptOf(pages, page))
                .thenComparingInt(page -> lastOf(pages, page)))
        .orElse(KeptPages.NONE);
  }

  private int keptOf(ElasticPages pages, int page) {
    return (int) kept.stream().filter(block -> pages.pageOf(block) == page).count();
  }

  private int lastOf(ElasticPages pages, int page) {
    return IntStream.range(0, kept.size())
        .filter(at -> pages.pageOf(kept.get(at)) == page)
        .max()
        .orElseThrow();
  }
}
