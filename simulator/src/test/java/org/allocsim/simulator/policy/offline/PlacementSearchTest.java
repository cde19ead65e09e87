package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.offline.PlacementSearch.Preference;
import org.allocsim.simulator.policy.offline.PlacementSearch.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The search against one that looks at everything anew in every node. */
class PlacementSearchTest {
  @ParameterizedTest
  @CsvSource({
    "1, 6, 8, 4",
    "2, 9, 12, 5",
    "3, 9, 6, 3",
    "4, 12, 20, 9",
    "5, 14, 30, 4",
    "6, 10, 10, 1000000",
    "7, 16, 14, 6",
    "8, 20, 40, 3"
  })
  void everyNodeIsVisitedThatTheRulesLeaveAndNoOther(int seed, int buffers, int times, int sizes) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<Result, Integer> ends = new EnumMap<>(Result.class);
    for (int run = 0; run < 40; run++) {
      Lifetimes lifetimes = RandomLifetimes.of(random, 1 + random.nextInt(buffers), times, sizes);
      Sections sections = new Sections(lifetimes, IntStream.range(0, lifetimes.count()).toArray());
      // Some areas are beyond what a number holds.
      long unit = run % 8 == 0 ? Long.MAX_VALUE / 100 / times / sizes : 1;
      long[] bytes = Arrays.stream(lifetimes.bytes()).map(size -> size * unit).toArray();
      PlacementSearch search = new PlacementSearch(bytes, lifetimes.nanos(), sections);
      NaivePlacementSearch naive = new NaivePlacementSearch(bytes, lifetimes.nanos(), sections);
      for (Preference preference : Preference.values()) {
        long most = lifetimes.maxLiveBytes();
        long capacity = unit * (most - 1 + random.nextLong(2 + most / 4));
        long nodes = random.nextInt(4) == 0 ? random.nextInt(20) : 400;
        Result result = naive.search(capacity, preference, nodes);
        String where = "run " + run + " " + preference;
        assertEquals(result, search.search(capacity, preference, nodes), where);
        assertEquals(naive.nodesLeft(), search.nodesLeft(), where);
        if (result == Result.FOUND) {
          assertArrayEquals(naive.offsets(), search.offsets(), where);
        }
        ends.merge(result, 1, Integer::sum);
      }
    }
    int found = ends.getOrDefault(Result.FOUND, 0);
    assertTrue(found > 50 && ends.getOrDefault(Result.GAVE_UP, 0) > 0 && found < 155, "" + ends);
  }

  @ParameterizedTest
  @CsvSource({"1, 10, 8, 6, 4", "2, 12, 8, 8, 3", "3, 16, 10, 8, 4", "4, 20, 8, 10, 3"})
  void placementsThatFailAreTakenBackWhole(
      int seed, int times, int height, int widest, int highest) {
    SplittableRandom random = new SplittableRandom(seed);
    int hard = 0;
    for (int wall = 0; wall < 2000 && hard < 6; wall++) {
      Lifetimes lifetimes = RandomLifetimes.bricks(random, times, height, widest, highest, 1);
      Sections sections = new Sections(lifetimes, IntStream.range(0, lifetimes.count()).toArray());
      PlacementSearch search = new PlacementSearch(lifetimes.bytes(), lifetimes.nanos(), sections);
      long nodes = 100;
      search.search(height, Preference.CROWD_WIDTH, nodes);
      if (nodes - search.nodesLeft() > lifetimes.count()) {
        hard++;
        NaivePlacementSearch naive =
            new NaivePlacementSearch(lifetimes.bytes(), lifetimes.nanos(), sections);
        for (long capacity = height + 1L; capacity >= height; capacity--) {
          for (Preference preference : Preference.values()) {
            String where = "wall " + wall + " " + preference + " in " + capacity;
            Result result = naive.search(capacity, preference, nodes);
            assertEquals(result, search.search(capacity, preference, nodes), where);
            assertEquals(naive.nodesLeft(), search.nodesLeft(), where);
            if (result == Result.FOUND) {
              assertArrayEquals(naive.offsets(), search.offsets(), where);
            }
          }
        }
      }
    }
    assertEquals(6, hard);
  }

  @ParameterizedTest
  @EnumSource(Preference.class)
  void thatThereIsNoPlacementIsNeverSaidOfAWall(Preference preference) {
    SplittableRandom random = new SplittableRandom(77);
    for (int wall = 0; wall < 1500; wall++) {
      Lifetimes lifetimes = RandomLifetimes.bricks(random, 20, 8, 10, 3, 1);
      Sections sections = new Sections(lifetimes, IntStream.range(0, lifetimes.count()).toArray());
      PlacementSearch search = new PlacementSearch(lifetimes.bytes(), lifetimes.nanos(), sections);
      assertNotEquals(Result.NONE, search.search(8, preference, 20_000), "wall " + wall);
    }
  }
}
