package org.allocsim.analysis.job;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How evenly the ranks of a job use memory.
 *
 * @param highest the rank that reserves the most; of several the first
 * @param lowest the rank that reserves the least
 * @param medianBytes median of what the ranks reserve at most; of an even number the lower one of
 *     the two in the middle
 * @param slope whether peaks rise or fall with the rank
 * @param varying the rank whose peaks vary from step to step more than those of the others, though
 *     it holds as many parameters
 */
public record JobBalance(
    Ranked<RankPeak> highest,
    Ranked<RankPeak> lowest,
    long medianBytes,
    Optional<Slope> slope,
    Optional<Ranked<RankPeak>> varying) {
  /** Steps that show how peaks vary, the first aside. */
  static final int FEWEST_STEPS = 4;

  /** Peaks that differ by less are equal. */
  private static final double SAME = 0.02;

  /** Levels of peaks that show a slope: three that every step repeats, or four. */
  private static final int FEWEST_LEVELS = 3;

  private static final double VARIES = 1.1;

  /** One high step is ignored: DDP may have rebuilt its buckets in it. */
  private static final int FEWEST_HIGH_STEPS = 2;

  /** How many times as much as the median rank's a rank's peaks must vary. */
  private static final double VARIES_MORE = 3;

  private static final double SAME_PARAMETERS = 0.01;

  /** Whether peaks rise or fall with the rank. */
  public enum Slope {
    /** Each rank takes as much as the one before or more. */
    RISING,
    /** Each rank takes as much as the one before or less. */
    FALLING
  }

  /**
   * The balance of ranks.
   *
   * @param ranks in their order; there is one at least
   */
  public static JobBalance of(List<Ranked<RankPeak>> ranks) {
    Comparator<Ranked<RankPeak>> byPeak =
        Comparator.comparingLong(each -> each.found().reservedBytes());
    List<Ranked<RankPeak>> sorted = ranks.stream().sorted(byPeak).toList();
    long highestBytes = sorted.getLast().found().reservedBytes();
    return new JobBalance(
        ranks.stream()
            .filter(each -> each.found().reservedBytes() == highestBytes)
            .findFirst()
            .orElseThrow(),
        sorted.getFirst(),
        sorted.get((sorted.size() - 1) / 2).found().reservedBytes(),
        slope(ranks),
        varying(ranks));
  }

  /** The highest peak over the median, 1 where all ranks are alike. */
  public double ratio() {
    return medianBytes == 0 ? 1 : (double) highest.found().reservedBytes() / medianBytes;
  }

  /** Whether all ranks reserve nearly the same. */
  public boolean isEven() {
    long highestBytes = highest.found().reservedBytes();
    return highestBytes - lowest.found().reservedBytes() <= SAME * highestBytes;
  }

  private static Optional<Slope> slope(List<Ranked<RankPeak>> ranks) {
    List<Integer> numbers = ranks.stream().map(each -> each.rank().number()).toList();
    boolean areGlobal =
        numbers.stream().allMatch(Objects::nonNull)
            && numbers.stream().distinct().count() == numbers.size();
    if (!areGlobal || ranks.size() < FEWEST_LEVELS) {
      return Optional.empty();
    }
    long[] peaks = ranks.stream().mapToLong(each -> each.found().allocatedBytes()).toArray();
    for (Slope slope : Slope.values()) {
      int levels = levels(peaks, slope);
      if (levels > FEWEST_LEVELS || levels == FEWEST_LEVELS && everyStep(ranks, slope)) {
        return Optional.of(slope);
      }
    }
    return Optional.empty();
  }

  /** Number of distinct levels of what rises or falls; 0 where it does not. */
  private static int levels(long[] peaks, Slope slope) {
    int levels = 1;
    for (int i = 1; i < peaks.length; i++) {
      double before = peaks[slope == Slope.RISING ? i - 1 : i];
      double after = peaks[slope == Slope.RISING ? i : i - 1];
      if (after < before * (1 - SAME)) {
        return 0;
      }
      levels += after > before * (1 + SAME) ? 1 : 0;
    }
    return levels;
  }

  private static boolean everyStep(List<Ranked<RankPeak>> ranks, Slope slope) {
    int steps = ranks.getFirst().found().stepPeakBytes().length;
    if (steps < FEWEST_STEPS
        || ranks.stream().anyMatch(each -> each.found().stepPeakBytes().length != steps)) {
      return false;
    }
    for (int step = 1; step < steps; step++) {
      int at = step;
      long[] peaks = ranks.stream().mapToLong(each -> each.found().stepPeakBytes()[at]).toArray();
      if (levels(peaks, slope) < FEWEST_LEVELS) {
        return false;
      }
    }
    return true;
  }

  private static Optional<Ranked<RankPeak>> varying(List<Ranked<RankPeak>> ranks) {
    if (ranks.size() < 2) {
      return Optional.empty();
    }
    long parameterBytes =
        median(ranks.stream().mapToLong(each -> each.found().parameterBytes()).sorted().toArray());
    double[] variations =
        ranks.stream().mapToDouble(each -> each.found().variation() - 1).sorted().toArray();
    double usual = variations[(variations.length - 1) / 2];
    return ranks.stream()
        .filter(each -> each.found().stepsAbove(VARIES) >= FEWEST_HIGH_STEPS)
        .filter(each -> each.found().variation() - 1 >= VARIES_MORE * usual)
        .filter(each ->
            parameterBytes > 0
                && Math.abs(each.found().parameterBytes() - parameterBytes)
                    <= SAME_PARAMETERS * parameterBytes)
        .max(Comparator.comparingDouble(each -> each.found().variation()));
  }

  private static long median(long[] sorted) {
    return sorted[(sorted.length - 1) / 2];
  }
}
