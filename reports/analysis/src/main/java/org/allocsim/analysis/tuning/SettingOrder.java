package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The order of settings: those that serve every request before those that do not, then by peak of
 * reserved memory; peaks that differ by little count as equal and rank by driver time, then by the
 * number of settings. Where requests fail, the setting that gets further ranks higher.
 *
 * <p>The one to recommend is {@link #simplest}: a user writes no more options than it takes to get
 * near the lowest peak.
 */
public final class SettingOrder {
  private static final Comparator<Figures> SIMPLICITY =
      Comparator.comparingInt(Figures::settings)
          .thenComparingInt(figures -> figures.conf().length())
          .thenComparing(Figures::conf);

  private SettingOrder() {}

  /**
   * What decides.
   *
   * @param conf configuration string
   * @param passes whether every request is served
   * @param progress how far it gets where one is not
   * @param peakBytes what is reserved at most; only differences between settings count
   * @param driverNanos time of the driver's calls
   */
  public record Figures(
      String conf, boolean passes, long progress, long peakBytes, long driverNanos) {
    /** Number of settings that the string names. */
    private int settings() {
      // The commas of a list stand in brackets.
      String flat = conf.replaceAll("\\[[^]]*]", "");
      return conf.isEmpty() ? 0 : 1 + (int) flat.chars().filter(c -> c == ',').count();
    }

    private boolean isSamePeak(Figures higher, long samePeakBytes) {
      return getsAsFar(higher) && higher.peakBytes - peakBytes <= samePeakBytes;
    }

    private boolean getsAsFar(Figures other) {
      return passes == other.passes && progress == other.progress;
    }
  }

  /**
   * The simplest setting whose peak is near the lowest: that with the fewest options, of equals the
   * one that ranks first.
   *
   * @param ranked settings as {@link #ranked} orders them
   * @param nearBytes how much more than the lowest peak is near it
   * @return empty where there are no settings
   */
  public static <T> Optional<T> simplest(
      List<T> ranked, Function<T, Figures> figures, long nearBytes) {
    if (ranked.isEmpty()) {
      return Optional.empty();
    }
    Figures first = figures.apply(ranked.getFirst());
    List<T> alike = ranked.stream().filter(each -> figures.apply(each).getsAsFar(first)).toList();
    long lowestBytes =
        alike.stream().mapToLong(each -> figures.apply(each).peakBytes()).min().orElseThrow();
    return alike.stream()
        .filter(each -> figures.apply(each).peakBytes() - lowestBytes <= nearBytes)
        .min(Comparator.comparingInt(each -> figures.apply(each).settings()));
  }

  /**
   * How much more than the lowest peak is near it: 2 % of it, or so little that the ranking counts
   * peaks as equal.
   *
   * @param lowestPeakBytes the lowest peak
   * @param samePeakBytes as {@link #ranked} has it
   */
  public static long nearBytes(long lowestPeakBytes, long samePeakBytes) {
    return Math.max(lowestPeakBytes / 100 * Recommendation.MIN_SAVING_PERCENT, samePeakBytes);
  }

  /** The same with the one that is recommended at the front. */
  public static <T> List<T> withFirst(T first, List<T> ranked) {
    List<T> all = new ArrayList<>(ranked);
    all.remove(first);
    all.addFirst(first);
    return all;
  }

  /**
   * Settings, the best first.
   *
   * @param samePeakBytes peaks that differ by no more count as equal
   * @param sameNanos the same of driver time
   */
  public static <T> List<T> ranked(
      Collection<T> settings, Function<T, Figures> figures, long samePeakBytes, long sameNanos) {
    Comparator<T> byCost =
        Comparator.comparingLong((T each) -> figures.apply(each).driverNanos() / sameNanos)
            .thenComparing(figures, SIMPLICITY);
    List<T> byPeak = new ArrayList<>(settings);
    byPeak.sort(
        Comparator.comparing((T each) -> !figures.apply(each).passes())
            .thenComparingLong(each -> -figures.apply(each).progress())
            .thenComparingLong(each -> figures.apply(each).peakBytes())
            .thenComparing(byCost));
    List<T> ranked = new ArrayList<>();
    int from = 0;
    while (from < byPeak.size()) {
      Figures lowest = figures.apply(byPeak.get(from));
      int to = from + 1;
      while (to < byPeak.size()
          && lowest.isSamePeak(figures.apply(byPeak.get(to)), samePeakBytes)) {
        to++;
      }
      List<T> equals = new ArrayList<>(byPeak.subList(from, to));
      equals.sort(byCost);
      ranked.addAll(equals);
      from = to;
    }
    return ranked;
  }
}
