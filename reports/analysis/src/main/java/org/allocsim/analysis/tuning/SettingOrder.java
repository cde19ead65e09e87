package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The order of settings: those that serve every request before those that do not, then by peak of
 * reserved memory; peaks that differ by little count as equal and rank by driver time, then by the
 * number of settings. Where requests fail, the setting that gets further ranks higher.
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
      return passes == higher.passes
          && progress == higher.progress
          && higher.peakBytes - peakBytes <= samePeakBytes;
    }
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
