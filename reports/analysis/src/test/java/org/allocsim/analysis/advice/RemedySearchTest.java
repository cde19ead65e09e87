package org.allocsim.analysis.advice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemedySearchTest {
  private static final long GIB = 1L << 30;
  private static final long BASE_NANOS = 1_000_000_000;

  /** What a program reserves with some remedies, in GiB; below 0 where it fails. */
  private interface Need extends Function<Set<String>, Double> {}

  private static Remedy remedy(String name) {
    return new Remedy(
        name, "do " + name, "none", false, name, null, false, null, null, 1, List.of());
  }

  private static Remedy of(Remedy it, boolean changes, String group, String after, Long most) {
    return new Remedy(
        it.name(), it.title(), it.cost(), changes, group, after, false, null, most, 1, List.of());
  }

  private static Trials trials(
      double goal, boolean all, List<String> chosen, List<Remedy> remedies, List<Trial> trials) {
    return new Trials(
        "train.py",
        ShippedProfiles.named("h200"),
        new Goal((long) (goal * GIB), true, 0),
        all,
        chosen,
        false,
        remedies,
        trials);
  }

  /** A run whose step takes so much longer, by memory that is read. */
  private static Trial trial(List<String> names, double reserved, double added) {
    ComputeProfile gpu = ShippedProfiles.named("h200").compute();
    long bytes = (long) ((1 + added) * BASE_NANOS / 1e9 * gpu.memoryBytesPerSecond());
    StepWork work = new StepWork(1, List.of(new StepWork.Operation(null, 0, bytes, 1)), 0, 0, 0);
    long size = (long) (reserved * GIB);
    return reserved < 0
        ? new Trial(names, new Trial.Problem("it fails"), work, null, 1)
        : new Trial(
            names, new Trial.Outcome(size, size, size, size, "", "", size, null), work, null, 1);
  }

  /** Runs all that the search asks for, and returns what was run, in its order. */
  private static Trials searched(
      double goal, boolean all, List<Remedy> remedies, Need need, Map<String, Double> costs) {
    List<Trial> run = new ArrayList<>();
    for (int round = 0; round < 100; round++) {
      Trials found = trials(goal, all, null, remedies, run);
      List<List<String>> next = new RemedySearch(found).next();
      if (next.isEmpty()) {
        return found;
      }
      for (List<String> names : next) {
        assertTrue(found.with(names).isEmpty(), () -> names + " was run before");
        double added = names.stream().mapToDouble(each -> costs.getOrDefault(each, 0.0)).sum();
        run.add(trial(names, need.apply(new HashSet<>(names)), added));
      }
    }
    throw new AssertionError("the search does not end");
  }

  private static Need sum(double base, Map<String, Double> saved) {
    return names -> base - names.stream().mapToDouble(each -> saved.getOrDefault(each, 0.0)).sum();
  }

  private static Set<List<String>> names(Trials found) {
    Set<List<String>> names = new HashSet<>();
    found.trials().forEach(each -> names.add(each.remedies()));
    return names;
  }

  @Test
  void aProgramThatFitsIsLeftAsItIs() {
    Trials found = searched(20, false, List.of(remedy("a")), sum(10, Map.of("a", 5.0)), Map.of());
    assertEquals(Set.of(List.of()), names(found));
    assertTrue(new RemedySearch(found).best().orElseThrow().remedies().isEmpty());
    assertEquals("the program fits without it", new RemedySearch(found).reasonAgainst(remedy("a")));
    Trials all = searched(20, true, List.of(remedy("a")), sum(10, Map.of("a", 5.0)), Map.of());
    assertEquals(Set.of(List.of(), List.of("a")), names(all));
  }

  @Test
  void aSecondGpuCostsMoreThanWhatMakesAStepHalfAsLongAgain() {
    Remedy sharded =
        new Remedy("s", "shard", "2 GPUs", false, "s", null, false, null, null, 2, List.of());
    Trials found =
        searched(
            8,
            true,
            List.of(sharded, remedy("b")),
            sum(10, Map.of("s", 4.0, "b", 3.0)),
            Map.of("b", 0.5));
    assertEquals(List.of("b"), new RemedySearch(found).best().orElseThrow().remedies());
  }

  @Test
  void oneRemedyThatIsEnoughIsNotCombined() {
    List<Remedy> remedies = List.of(remedy("a"), remedy("b"));
    Trials found =
        searched(8, false, remedies, sum(10, Map.of("a", 3.0, "b", 1.0)), Map.of("a", 0.5));
    assertEquals(Set.of(List.of(), List.of("a"), List.of("b")), names(found));
    assertEquals(List.of("a"), new RemedySearch(found).best().orElseThrow().remedies());
  }

  @Test
  void theCheapestOfThoseThatFitIsChosen() {
    List<Remedy> remedies =
        List.of(remedy("a"), remedy("b"), of(remedy("c"), true, "c", null, null));
    Need need = sum(10, Map.of("a", 5.0, "b", 3.0, "c", 6.0));
    Trials found = searched(8, false, remedies, need, Map.of("a", 0.4, "b", 0.1));
    assertEquals(List.of("b"), new RemedySearch(found).best().orElseThrow().remedies());
    // Others results are taken where all else costs more.
    Trials dear = searched(8, false, remedies, need, Map.of("a", 0.4, "b", 0.35));
    assertEquals(List.of("c"), new RemedySearch(dear).best().orElseThrow().remedies());
  }

  @Test
  void whatIsNotEnoughAloneIsCombinedAndWhatTurnsOutNeedlessIsLeftOut() {
    List<Remedy> remedies = List.of(remedy("a"), remedy("b"), remedy("c"));
    Map<String, Double> saved = Map.of("a", 1.0, "b", 1.5, "c", 3.0);
    Trials found = searched(6, false, remedies, sum(10, saved), Map.of("b", 0.02, "c", 0.3));
    // a and c cost least of what may fit; all three were not needed.
    assertEquals(
        Set.of("a", "c"), Set.copyOf(new RemedySearch(found).best().orElseThrow().remedies()));
  }

  @Test
  void ofAGroupOneIsTakenAtMost() {
    List<Remedy> remedies =
        List.of(
            of(remedy("a"), false, "g", null, null),
            of(remedy("b"), false, "g", null, null),
            remedy("c"));
    Trials found =
        searched(5, false, remedies, sum(10, Map.of("a", 2.0, "b", 1.9, "c", 1.0)), Map.of());
    for (Trial each : found.trials()) {
      assertFalse(each.remedies().containsAll(List.of("a", "b")), each.remedies()::toString);
    }
    assertTrue(new RemedySearch(found).best().isEmpty());
    assertEquals(
        Set.of("a", "c"), Set.copyOf(new RemedySearch(found).least().orElseThrow().remedies()));
  }

  @Test
  void moreOfTheSameIsTriedWhereTheFirstHelpsAndIsNotEnough() {
    List<Remedy> remedies =
        List.of(
            of(remedy("two"), false, "g", null, null),
            of(remedy("four"), false, "g", "two", null),
            of(remedy("eight"), false, "g", "four", null));
    Need need =
        names ->
            names.contains("eight")
                ? 4
                : names.contains("four") ? 5.0 : names.contains("two") ? 7 : 10;
    assertEquals(4, names(searched(4.5, false, remedies, need, Map.of())).size());
    Trials enough = searched(6, false, remedies, need, Map.of());
    assertEquals(Set.of(List.of(), List.of("two"), List.of("four")), names(enough));
    RemedySearch search = new RemedySearch(enough);
    assertEquals("four is enough", search.reasonAgainst(remedies.get(2)));
    assertEquals(
        "two is enough",
        new RemedySearch(searched(8, false, remedies, need, Map.of()))
            .reasonAgainst(remedies.get(2)));
    Trials useless = searched(6, false, remedies, sum(10, Map.of()), Map.of());
    assertEquals("two does not help", new RemedySearch(useless).reasonAgainst(remedies.get(1)));
  }

  @Test
  void whatCanSaveLittleIsNotRunUnlessItIsAskedFor() {
    Remedy small = of(remedy("small"), false, "small", null, GIB / 100);
    Trials found = searched(5, false, List.of(small), sum(10, Map.of()), Map.of());
    assertEquals(Set.of(List.of()), names(found));
    assertEquals("it can save 10.24 MiB at most", new RemedySearch(found).reasonAgainst(small));
    Trials asked =
        trials(5, false, List.of("small"), List.of(small), List.of(trial(List.of(), 10, 0)));
    assertEquals(List.of(List.of("small")), new RemedySearch(asked).next());
  }

  @Test
  void whatFailsIsNoPartOfACombination() {
    List<Remedy> remedies = List.of(remedy("a"), remedy("b"), remedy("c"));
    Need need =
        names -> names.contains("a") ? -1 : sum(10, Map.of("b", 2.0, "c", 2.0)).apply(names);
    Trials found = searched(6.5, false, remedies, need, Map.of());
    assertTrue(
        found.trials().stream()
            .noneMatch(each -> each.remedies().size() > 1 && each.remedies().contains("a")));
    assertEquals(
        Set.of("b", "c"), Set.copyOf(new RemedySearch(found).best().orElseThrow().remedies()));
    assertNull(new RemedySearch(found).reasonAgainst(remedies.getFirst()));
  }

  @Test
  void aProgramThatFailsAsItIsIsNotTriedFurther() {
    Trials found = searched(5, false, List.of(remedy("a")), names -> -1.0, Map.of());
    assertEquals(Set.of(List.of()), names(found));
    assertTrue(new RemedySearch(found).best().isEmpty());
  }

  @Test
  void twoThatCostLittleAreTakenBeforeOneThatCostsMuch() {
    List<Remedy> remedies = List.of(remedy("a"), remedy("b"), remedy("c"));
    Map<String, Double> saved = Map.of("a", 5.0, "b", 3.0, "c", 2.5);
    Trials found =
        searched(6, false, remedies, sum(10, saved), Map.of("a", 5.0, "b", 0.1, "c", 0.1));
    assertEquals(
        Set.of("b", "c"), Set.copyOf(new RemedySearch(found).best().orElseThrow().remedies()));
    assertEquals(5, found.trials().size());
  }

  @Test
  void whatRunsOfSeveralShowCorrectsWhatIsExpectedOfMore() {
    List<Remedy> remedies = List.of(remedy("a"), remedy("b"), remedy("c"), remedy("d"));
    Map<String, Double> saved = Map.of("a", 3.0, "b", 3.0, "c", 2.0, "d", 2.0);
    // a and b save the same memory, so that what has both saves as one of them.
    Need need =
        names -> sum(10, saved).apply(names) + (names.containsAll(Set.of("a", "b")) ? 3.0 : 0.0);
    Trials found = searched(5.5, false, remedies, need, Map.of("c", 0.2, "d", 0.3));
    Set<String> best = Set.copyOf(new RemedySearch(found).best().orElseThrow().remedies());
    assertTrue(Set.of(Set.of("a", "c"), Set.of("b", "c")).contains(best), best::toString);
  }

  @Test
  void whatFailsTogetherIsNotTriedWithMore() {
    List<Remedy> remedies = List.of(remedy("a"), remedy("b"), remedy("c"), remedy("d"));
    Map<String, Double> saved = Map.of("a", 3.0, "b", 2.0, "c", 2.0, "d", 2.0);
    Need need =
        names ->
            names.containsAll(Set.of("a", "b"))
                ? -1
                : sum(10, saved).apply(names) + (names.containsAll(Set.of("a", "c")) ? 2.0 : 0.0);
    Trials found = searched(5.4, false, remedies, need, Map.of("c", 0.5, "d", 0.6));
    assertEquals(
        Set.of("a", "d"), Set.copyOf(new RemedySearch(found).best().orElseThrow().remedies()));
    assertTrue(
        found.trials().stream()
            .noneMatch(each ->
                each.remedies().size() > 2 && each.remedies().containsAll(List.of("a", "b"))));
  }

  /** Where savings add up, the greedy search finds a combination wherever there is one. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aCombinationIsFoundWhereverAllTogetherFit(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      Map<String, Double> saved = new TreeMap<>();
      Map<String, Double> costs = new TreeMap<>();
      List<Remedy> remedies = new ArrayList<>();
      for (int i = 0; i < 2 + random.nextInt(5); i++) {
        String name = "r" + i;
        saved.put(name, 0.2 + 2 * random.nextDouble());
        costs.put(name, random.nextDouble());
        remedies.add(remedy(name));
      }
      double goal = 5 + 6 * random.nextDouble();
      double all = saved.values().stream().mapToDouble(Double::doubleValue).sum();
      Trials found = searched(goal, false, remedies, sum(11, saved), costs);
      assertEquals(
          11 - all <= goal,
          new RemedySearch(found).best().isPresent(),
          () -> saved + " to " + goal);
      // Each alone, those that are expected to fit, and one for each that is added or left out.
      assertTrue(found.trials().size() <= 1 + 3 * remedies.size() + 9);
      // Nothing that is left in is needless.
      new RemedySearch(found)
          .best()
          .filter(best -> best.remedies().size() > 1)
          .ifPresent(best -> {
            for (String each : best.remedies()) {
              Set<String> without = new HashSet<>(best.remedies());
              without.remove(each);
              assertTrue(
                  sum(11, saved).apply(without) > goal, () -> each + " of " + best.remedies());
            }
          });
    }
  }
}
