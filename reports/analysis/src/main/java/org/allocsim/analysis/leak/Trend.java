package org.allocsim.analysis.leak;

import java.util.Arrays;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/**
 * How a series of byte counts, one per iteration, changes.
 *
 * <p>The slope is the median of the slopes of all pairs (Theil 1950), its interval the one that
 * inverts Kendall's rank test (Sen 1968). Both need no normal errors and stand up to the odd
 * iteration that validates, logs or gets a huge batch, where a least-squares line is bent. With up
 * to {@value #MAX_EXACT} iterations Kendall's distribution is exact, beyond it the usual normal
 * approximation; ties only widen the interval. Iterations that resemble their neighbours, as the
 * quietest moments of two do that share a batch, say less than their number: the interval is
 * widened by the root of {@code 1 + 2 Σ r}, the factor by which correlations r raise the variance
 * of a mean, summed over the lags up to the first that is not positive (Geyer 1992), or by what
 * their {@link Persistence} explains where that is more: short series show too little of it. Where
 * deviations never fade, as those of a cache that wanders, or where it is narrower, Student's
 * interval of the mean change from one iteration to the next takes the place of the latter. More
 * than {@value #MAX_POINTS} iterations are folded into that many groups of equal length, each
 * standing with its lowest value.
 *
 * <p>A slope alone does not make a trend. Memory that {@linkplain #comesBack comes back} is not
 * lost, however steep the last tooth of a sawtooth is; and growth that has {@linkplain #stopped
 * stopped} is no longer growth.
 *
 * @param first iteration with which the series begins, after the warm-up
 * @param slope bytes per iteration
 * @param lower lower end of the slope's interval
 * @param upper upper end of the slope's interval
 * @param confidence minimum probability with which such an interval holds the slope
 * @param comesBack whether the lowest value of the last third is no more than the median of the
 *     first third
 * @param stopped iteration from which on the series is level, or −1 where it is not known to be: a
 *     line that bends into a level fits better than a straight one, and after the bend the interval
 *     of the slope reaches 0 and lies below that of the whole
 */
public record Trend(
    int first,
    double slope,
    double lower,
    double upper,
    double confidence,
    boolean comesBack,
    int stopped) {
  /** Growth per iteration below which nothing is called growth: one block of PyTorch's. */
  public static final long MIN_BYTES = 512;

  /** Fewest iterations of a trend: four grow in order by chance once in 24 times. */
  public static final int MIN_POINTS = 5;

  private static final int MAX_POINTS = 1000;
  private static final int MAX_EXACT = 60;
  private static final int MIN_LEVEL = 5;

  /** A cut must better the line this much, lest it pick the part where noise happens to rise. */
  private static final double CLEARLY = 2;

  /** A fraction of the variance that rounding errors may leave of nothing. */
  private static final double NOTHING = 1e-9;

  /** Whether the series grows, keeps what it gained, and goes on growing. */
  public boolean grows() {
    return rises() && stopped < 0;
  }

  /** Whether the series has grown by more than chance and has not given it back. */
  public boolean rises() {
    return lower > 0 && slope >= MIN_BYTES && !comesBack;
  }

  /**
   * The trend of a series from an iteration on.
   *
   * @param series one value per iteration
   * @param first the first iteration that counts; {@link #MIN_POINTS} must follow
   * @param confidence of the slope's interval, such as 0.95
   */
  static Trend of(long[] series, int first, double confidence) {
    return of(series, first, confidence, true);
  }

  /** The same with an interval that takes deviations to fade quickly, for part of a known trend. */
  static Trend ofPart(long[] series, int first, double confidence) {
    return of(series, first, confidence, false);
  }

  private static Trend of(long[] series, int first, double confidence, boolean mayBend) {
    int fold = fold(series, first);
    double[] values = folded(series, first);
    Slopes whole = Slopes.of(values, confidence);
    int level = level(values, whole, confidence);
    if (mayBend && level < 0) {
      // From a line that bends values deviate for long, which says nothing of chance.
      whole = whole.widened(values, confidence);
    }
    return new Trend(
        first,
        whole.median / fold,
        whole.lower / fold,
        whole.upper / fold,
        confidence,
        comesBack(values),
        level < 0 ? -1 : series.length - (values.length - level) * fold);
  }

  /** The slope of {@link #of} alone. */
  static double slope(long[] series, int first) {
    return Slopes.median(Slopes.ofPairs(folded(series, first))) / fold(series, first);
  }

  /** How many iterations of a series from one on are a group. */
  private static int fold(long[] series, int first) {
    return (series.length - first + MAX_POINTS - 1) / MAX_POINTS;
  }

  /** The lowest value of each group. */
  private static double[] folded(long[] series, int first) {
    int count = series.length - first;
    if (count < MIN_POINTS) {
      throw new IllegalArgumentException(count + " iterations have no trend");
    }
    int fold = fold(series, first);
    double[] values = new double[count / fold];
    int begin = series.length - values.length * fold;
    for (int group = 0; group < values.length; group++) {
      long lowest = Long.MAX_VALUE;
      for (int i = 0; i < fold; i++) {
        lowest = Math.min(lowest, series[begin + group * fold + i]);
      }
      values[group] = lowest;
    }
    return values;
  }

  private static boolean comesBack(double[] values) {
    int third = Math.max(1, values.length / 3);
    double[] early = Arrays.copyOf(values, third);
    Arrays.sort(early);
    double median = (early[(third - 1) / 2] + early[third / 2]) / 2;
    double lowest = Double.POSITIVE_INFINITY;
    for (int i = values.length - third; i < values.length; i++) {
      lowest = Math.min(lowest, values[i]);
    }
    return lowest <= median;
  }

  private static int level(double[] values, Slopes whole, double confidence) {
    int lowest = Math.max(MIN_LEVEL, values.length / 5);
    double bestError = errors(values, values.length) * (1 - NOTHING);
    int bend = -1;
    for (int at = 1; at <= values.length - lowest; at++) {
      double error = errors(values, at);
      if (error < bestError) {
        bestError = error;
        bend = at;
      }
    }
    if (bend < 0) {
      return -1;
    }
    Slopes after = Slopes.of(Arrays.copyOfRange(values, bend, values.length), confidence);
    return after.lower <= 0 && after.upper < whole.lower ? bend : -1;
  }

  /** Sum of squared errors of the best line that is level from {@code bend} on. */
  private static double errors(double[] values, int bend) {
    SimpleRegression line = new SimpleRegression();
    for (int i = 0; i < values.length; i++) {
      line.addData(Math.min(i, bend), values[i]);
    }
    double error = line.getSumSquaredErrors();
    return error <= NOTHING * line.getTotalSumSquares() ? 0 : error;
  }

  /**
   * Iterations at the start that are still warming up: weights, optimizer states and caches appear
   * in them once. The rule is White's (MSER 1997) with a straight line in place of a mean: of all
   * cuts up to one half, the one whose remaining line has the lowest standard error, measured as
   * squared errors over squared count. The earliest cut that is no more than twice as bad is
   * preferred.
   */
  static int warmUp(long[] series) {
    int count = series.length;
    double[] score = new double[count];
    SimpleRegression line = new SimpleRegression();
    for (int cut = count - 1; cut >= 0; cut--) {
      line.addData(cut, series[cut]);
      double error = line.getN() < 2 ? 0 : line.getSumSquaredErrors();
      double kept = count - cut;
      score[cut] = error <= NOTHING * line.getTotalSumSquares() ? 0 : error / (kept * kept);
    }
    int latest = Math.max(0, Math.min(count / 2, count - MIN_POINTS));
    double best = Double.POSITIVE_INFINITY;
    for (int cut = 0; cut <= latest; cut++) {
      best = Math.min(best, score[cut]);
    }
    int cut = 0;
    while (score[cut] > CLEARLY * best) {
      cut++;
    }
    return cut;
  }

  /** Theil's slope and Sen's interval of equidistant values. */
  private record Slopes(double median, double lower, double upper, double[] sorted) {
    /** With the interval that holds where correlations fade quickly. */
    static Slopes of(double[] values, double confidence) {
      int n = values.length;
      double[] slopes = ofPairs(values);
      int pairs = slopes.length;
      double median = median(slopes);
      double width = width(n, confidence) * Math.sqrt(inflation(values, median));
      int rank = Math.max(1, (int) Math.floor((pairs - width) / 2) + 1);
      return new Slopes(median, slopes[rank - 1], slopes[pairs - rank], slopes);
    }

    /** The slopes of all pairs, in ascending order. */
    private static double[] ofPairs(double[] values) {
      int n = values.length;
      double[] slopes = new double[n * (n - 1) / 2];
      int pair = 0;
      for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
          slopes[pair++] = (values[j] - values[i]) / (j - i);
        }
      }
      Arrays.sort(slopes);
      return slopes;
    }

    private static double median(double[] slopes) {
      int pairs = slopes.length;
      return (slopes[(pairs - 1) / 2] + slopes[pairs / 2]) / 2;
    }

    /**
     * The same with an interval that holds where deviations from the line fade slowly or never. The
     * mean change between neighbours gives the slope whatever the persistence, but knows less where
     * deviations do fade, so the narrower one is taken there.
     */
    Slopes widened(double[] values, double confidence) {
      int n = values.length;
      Persistence persistence = Persistence.of(values);
      double explained = persistence.inflation(n);
      if (explained <= inflation(values, median) && !persistence.isWalk()) {
        return this;
      }
      double half = halfWidthOfSteps(values, confidence);
      double mean = (values[n - 1] - values[0]) / (n - 1);
      double low = mean - half;
      double high = mean + half;
      double width = width(n, confidence) * Math.sqrt(explained);
      int rank = Math.max(1, (int) Math.floor((sorted.length - width) / 2) + 1);
      double highest = sorted[sorted.length - rank];
      if (!persistence.isWalk() && highest - sorted[rank - 1] < high - low) {
        low = sorted[rank - 1];
        high = highest;
      }
      return new Slopes(median, Math.min(lower, low), Math.max(upper, high), sorted);
    }

    /** Half of Student's interval of the mean of the differences between neighbours. */
    private static double halfWidthOfSteps(double[] values, double confidence) {
      int steps = values.length - 1;
      SummaryStatistics differences = new SummaryStatistics();
      for (int i = 0; i < steps; i++) {
        differences.addValue(values[i + 1] - values[i]);
      }
      return new TDistribution(steps - 1.0).inverseCumulativeProbability((1 + confidence) / 2)
          * differences.getStandardDeviation()
          / Math.sqrt(steps);
    }

    /** How far Kendall's S may be from 0 by chance: at most so in {@code confidence} of all. */
    private static double width(int n, double confidence) {
      double pairs = n * (n - 1) / 2.0;
      if (n > MAX_EXACT) {
        double deviation = Math.sqrt(n * (n - 1.0) * (2.0 * n + 5) / 18);
        return new NormalDistribution().inverseCumulativeProbability((1 + confidence) / 2)
            * deviation;
      }
      double[] inversions = inversions(n);
      int highest = 0;
      double below = inversions[0];
      while (highest + 1 < inversions.length
          && 1 - 2 * (below + inversions[highest + 1]) >= confidence) {
        below += inversions[++highest];
      }
      return pairs - 2 * highest;
    }

    /** Factor by which correlation between neighbours raises the variance. */
    private static double inflation(double[] values, double slope) {
      int n = values.length;
      double[] rests = new double[n];
      double mean = 0;
      for (int i = 0; i < n; i++) {
        rests[i] = values[i] - values[0] - slope * i;
        mean += rests[i] / n;
      }
      double variance = 0;
      double scale = 0;
      for (int i = 0; i < n; i++) {
        variance += (rests[i] - mean) * (rests[i] - mean);
        scale += (values[i] - values[0]) * (values[i] - values[0]);
      }
      if (variance <= NOTHING * scale) {
        return 1;
      }
      double sum = 0;
      for (int lag = 1; lag <= n / 2; lag++) {
        double product = 0;
        for (int i = lag; i < n; i++) {
          product += (rests[i] - mean) * (rests[i - lag] - mean);
        }
        if (product <= 0) {
          break;
        }
        sum += product / variance;
      }
      return 1 + 2 * sum;
    }

    /** Probability of every number of inversions in a random order of n values. */
    private static double[] inversions(int n) {
      double[] chance = new double[n * (n - 1) / 2 + 1];
      chance[0] = 1;
      int highest = 0;
      for (int size = 2; size <= n; size++) {
        highest += size - 1;
        double[] next = new double[chance.length];
        double window = 0;
        for (int k = 0; k <= highest; k++) {
          window += chance[k];
          if (k >= size) {
            window -= chance[k - size];
          }
          next[k] = Math.max(0, window) / size;
        }
        chance = next;
      }
      return chance;
    }
  }
}
