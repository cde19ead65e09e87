package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SectionsTest {
  @Test
  void aSectionIsALargestSetOfBuffersThatLiveTogether() {
    SplittableRandom random = new SplittableRandom(5);
    for (int run = 0; run < 300; run++) {
      Lifetimes lifetimes =
          RandomLifetimes.of(random, random.nextInt(25), 1 + random.nextInt(40), 9);
      int[] some =
          IntStream.range(0, lifetimes.count()).filter(_ -> random.nextInt(4) > 0).toArray();
      Sections sections = new Sections(lifetimes, some);
      List<Set<Integer>> shown = new ArrayList<>();
      for (int s = 0; s < sections.count(); s++) {
        int section = s;
        shown.add(
            IntStream.range(0, some.length)
                .filter(i -> sections.first(i) <= section && section < sections.end(i))
                .boxed()
                .collect(Collectors.toSet()));
      }
      assertEquals(largestSets(lifetimes, some), shown, "run " + run);
    }
  }

  /** By time: who lives when one begins to, where no later set holds them all. */
  private static List<Set<Integer>> largestSets(Lifetimes lifetimes, int[] some) {
    List<Set<Integer>> sets = new ArrayList<>();
    for (long time = 0; time < 100; time++) {
      Set<Integer> alive = new TreeSet<>();
      for (int i = 0; i < some.length; i++) {
        if (lifetimes.lower()[some[i]] <= time && time < lifetimes.upper()[some[i]]) {
          alive.add(i);
        }
      }
      if (!sets.isEmpty() && alive.containsAll(sets.getLast())) {
        sets.removeLast();
      }
      if (!alive.isEmpty() && sets.stream().noneMatch(set -> set.containsAll(alive))) {
        sets.add(alive);
      }
    }
    return sets;
  }
}
