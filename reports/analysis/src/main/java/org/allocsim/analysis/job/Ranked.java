package org.allocsim.analysis.job;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * A rank and what was found of it.
 *
 * @param <R> what was found; it keeps no recording, so that a job needs the memory of one rank
 * @param rank the rank
 * @param found what was found
 */
public record Ranked<R>(Rank rank, R found) {
  /** A part of what was found of each rank. */
  public static <R, P> List<Ranked<P>> map(List<Ranked<R>> ranks, Function<R, P> part) {
    return ranks.stream().map(each -> new Ranked<>(each.rank, part.apply(each.found))).toList();
  }

  /** The rank of which a figure is the highest, the first of equals; there is one rank at least. */
  public static <R> Ranked<R> highest(List<Ranked<R>> ranks, ToLongFunction<R> figure) {
    long highest =
        ranks.stream().mapToLong(each -> figure.applyAsLong(each.found)).max().orElseThrow();
    return ranks.stream()
        .filter(each -> figure.applyAsLong(each.found) == highest)
        .findFirst()
        .orElseThrow();
  }

  /** The ranks of which something is true. */
  public static <R> List<Rank> where(List<Ranked<R>> ranks, Predicate<R> condition) {
    return ranks.stream().filter(each -> condition.test(each.found)).map(Ranked::rank).toList();
  }

  /**
   * What was tried on every rank, in the order of the first one.
   *
   * @param tried what was tried on a rank, under what the ranks have in common, such as a setting
   */
  public static <R, K, V> SequencedMap<K, List<Ranked<V>>> onAll(
      List<Ranked<R>> ranks, Function<R, ? extends Map<K, V>> tried) {
    SequencedMap<K, List<Ranked<V>>> onSome = new LinkedHashMap<>();
    for (Ranked<R> rank : ranks) {
      tried
          .apply(rank.found)
          .forEach((key, value) ->
              onSome
                  .computeIfAbsent(key, _ -> new ArrayList<>())
                  .add(new Ranked<>(rank.rank, value)));
    }
    onSome.values().removeIf(each -> each.size() < ranks.size());
    return onSome;
  }
}
