package org.allocsim.simulator.policy.use;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamUsesTest {
  private final StreamUses uses = new StreamUses();

  @Test
  void anOwnerIsReusableWhenItsLastEventIsSeen() {
    uses.add(7, 0, false, 1, 10);
    uses.add(7, 0, false, 2, 20);
    uses.free(7);
    uses.complete(7, 1);
    assertEquals(StreamUses.NONE, uses.pollFinished());
    uses.complete(7, 2);
    assertEquals(7, uses.pollFinished());
    assertEquals(false, uses.has(7));
  }

  @Test
  void anEventWaitsForOlderOnesOfItsStreamOnly() {
    uses.add(1, 0, false, 5, 1);
    uses.add(2, 0, false, 5, 2);
    uses.add(3, 0, false, 6, 3);
    uses.free(1);
    uses.free(2);
    uses.free(3);
    uses.complete(2, 5);
    uses.complete(3, 6);
    assertEquals(3, uses.pollFinished());
    assertEquals(StreamUses.NONE, uses.pollFinished());
    uses.complete(1, 5);
    assertEquals(1, uses.pollFinished());
    assertEquals(2, uses.pollFinished());
  }

  @Test
  void anotherUseOfTheSameStreamBeginsAnew() {
    uses.add(1, 0, false, 5, 1);
    uses.complete(1, 5);
    uses.add(1, 0, false, 5, 2);
    uses.free(1);
    assertEquals(false, uses.anyFinished());
  }

  @Test
  void aForgottenOwnerHoldsNobodyUp() {
    uses.add(1, 0, false, 5, 1);
    uses.add(2, 0, false, 5, 2);
    uses.free(1);
    uses.free(2);
    uses.complete(2, AllocationTrace.ANY_STREAM);
    uses.forget(1);
    assertEquals(2, uses.pollFinished());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void randomUsesEndInTheOrderOfANaiveList(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    NaiveUses naive = new NaiveUses();
    int owners = 1 + random.nextInt(40);
    int streams = 1 + random.nextInt(6);
    boolean[] freed = new boolean[owners];
    for (int step = 0; step < 40_000; step++) {
      int owner = random.nextInt(owners);
      int group = owner % 3;
      int stream = random.nextInt(streams + 1) - 1;
      List<Integer> expected = new ArrayList<>();
      List<Integer> seen = new ArrayList<>();
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> {
          long rank = random.nextLong(50);
          freed[owner] &= naive.has(owner);
          uses.add(owner, group, freed[owner], stream, rank);
          naive.add(owner, group, freed[owner], stream, rank);
        }
        case 4, 5 -> {
          if (naive.has(owner) && !freed[owner]) {
            freed[owner] = true;
            uses.free(owner);
            naive.free(owner);
          }
        }
        case 6, 7, 8 -> {
          uses.complete(owner, stream);
          naive.complete(owner, stream);
        }
        case 9 -> {
          if (random.nextInt(10) == 0) {
            uses.completeAll();
            naive.completeAll();
          }
        }
        case 10 -> {
          int of = random.nextInt(20) == 0 ? random.nextInt(4) - 1 : 4;
          uses.synchronize(of, seen::add);
          naive.synchronize(of, expected);
        }
        default -> {
          if (random.nextInt(10) == 0) {
            uses.forget(owner);
            naive.forget(owner);
          }
          int most = random.nextInt(3);
          for (int i = 0; i < most; i++) {
            seen.add(uses.pollFinished());
            expected.add(naive.pollFinished());
          }
        }
      }
      assertEquals(expected, seen, "step " + step);
      assertEquals(naive.anyFinished(), uses.anyFinished(), "step " + step);
      assertEquals(naive.has(owner), uses.has(owner), "step " + step);
    }
  }

  /** The same by searching lists. */
  private static final class NaiveUses {
    private static final class Use {
      int owner;
      int group;
      int stream;
      long rank;
      boolean complete;
    }

    private final List<Use> marks = new ArrayList<>();
    private final List<Use> events = new ArrayList<>();

    void add(int owner, int group, boolean isFreed, int stream, long rank) {
      Use use = new Use();
      use.owner = owner;
      use.group = group;
      use.stream = stream;
      use.rank = rank;
      events.removeIf(other -> other.owner == owner && other.stream == stream);
      Use known = null;
      for (Use mark : marks) {
        known = mark.owner == owner && mark.stream == stream ? mark : known;
      }
      if (isFreed) {
        events.add(use);
      } else if (known != null) {
        known.rank = rank;
        known.complete = false;
      } else {
        marks.add(use);
      }
    }

    boolean has(int owner) {
      return marks.stream().anyMatch(use -> use.owner == owner)
          || events.stream().anyMatch(use -> use.owner == owner);
    }

    void free(int owner) {
      for (Use mark : marks) {
        if (mark.owner == owner) {
          events.add(mark);
        }
      }
      marks.removeIf(mark -> mark.owner == owner);
    }

    void forget(int owner) {
      marks.removeIf(mark -> mark.owner == owner);
      events.removeIf(event -> event.owner == owner);
    }

    void complete(int owner, int stream) {
      for (List<Use> list : List.of(marks, events)) {
        for (Use use : list) {
          use.complete |=
              use.owner == owner && (stream == AllocationTrace.ANY_STREAM || use.stream == stream);
        }
      }
    }

    void completeAll() {
      marks.forEach(use -> use.complete = true);
      events.forEach(use -> use.complete = true);
    }

    boolean anyFinished() {
      return events.stream().anyMatch(use -> use.complete);
    }

    int pollFinished() {
      while (true) {
        Use best = null;
        for (Use event : events) {
          if (event.complete
              && ahead(event).stream().allMatch(other -> other.complete)
              && (best == null || event.rank < best.rank)) {
            best = event;
          }
        }
        if (best == null) {
          return StreamUses.NONE;
        }
        List<Use> ahead = ahead(best);
        Use seen = ahead.isEmpty() ? best : ahead.getFirst();
        events.remove(seen);
        if (!has(seen.owner)) {
          return seen.owner;
        }
      }
    }

    private List<Use> ahead(Use event) {
      return event.stream < 0
          ? List.of()
          : events.subList(0, events.indexOf(event)).stream()
              .filter(other -> other.stream == event.stream)
              .toList();
    }

    void synchronize(int group, List<Integer> reusable) {
      List<Use> waitedFor = new ArrayList<>(events);
      waitedFor.removeIf(use -> group != StreamUses.ALL_GROUPS && use.group != group);
      waitedFor.sort(Comparator.comparingLong(use -> use.rank));
      for (Use use : waitedFor) {
        events.remove(use);
        if (!has(use.owner)) {
          reusable.add(use.owner);
        }
      }
    }
  }
}
