package org.allocsim.analysis.leak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrendTest {
  @Test
  void aStraightLineHasItsSlopeAndNoWidth() {
    Trend trend = Trend.of(line(20, 1000, 700), 0, 0.95);
    assertEquals(700, trend.slope());
    assertEquals(700, trend.lower());
    assertEquals(700, trend.upper());
    assertTrue(trend.grows());
    assertEquals(-1, trend.stopped());
  }

  @Test
  void aFewWildIterationsDoNotBendTheSlope() {
    long[] series = line(30, 0, 1000);
    series[7] += 1L << 40;
    series[22] += 1L << 41;
    Trend trend = Trend.of(series, 0, 0.95);
    assertEquals(1000, trend.slope());
  }

  /** The interval is a rank test: over all orders it may miss the slope 0 this often. */
  @ParameterizedTest
  @CsvSource({"5, 0.95", "6, 0.95", "7, 0.95", "8, 0.95", "7, 0.975", "8, 0.8"})
  void theIntervalHasItsConfidenceOverAllOrders(int count, double confidence) {
    long[] values = line(count, 0, 1024);
    int[] tally = new int[2];
    permute(values, 0, confidence, tally);
    double missed = (double) tally[0] / tally[1];
    assertTrue(missed <= 1 - confidence + 1e-12, "misses " + missed);
    assertTrue(missed > 0, "never misses, so it is too wide");
  }

  private static void permute(long[] values, int from, double confidence, int[] tally) {
    if (from == values.length) {
      Trend trend = Trend.of(values, 0, confidence);
      tally[0] += trend.lower() > 0 || trend.upper() < 0 ? 1 : 0;
      tally[1]++;
      return;
    }
    for (int i = from; i < values.length; i++) {
      swap(values, from, i);
      permute(values, from + 1, confidence, tally);
      swap(values, from, i);
    }
  }

  private static void swap(long[] values, int i, int j) {
    long value = values[i];
    values[i] = values[j];
    values[j] = value;
  }

  /** Ten values: Kendall's table has 23 as the critical S, so the 12th slope from either end. */
  @Test
  void theRanksAreThoseOfKendallsTable() {
    long[] series = new long[10];
    Random random = new Random(3);
    for (int i = 0; i < 10; i++) {
      series[i] = random.nextInt(1 << 20);
    }
    double[] slopes = new double[45];
    int next = 0;
    for (int i = 0; i < 10; i++) {
      for (int j = i + 1; j < 10; j++) {
        slopes[next++] = (double) (series[j] - series[i]) / (j - i);
      }
    }
    java.util.Arrays.sort(slopes);
    Trend trend = Trend.of(series, 0, 0.95);
    assertEquals(slopes[11], trend.lower());
    assertEquals(slopes[33], trend.upper());
  }

  @ParameterizedTest
  @CsvSource({"20", "60", "61", "200", "1500"})
  void theIntervalMissesARandomSlopeAboutAsOftenAsItMay(int count) {
    Random random = new Random(count);
    int missed = 0;
    int runs = count > 1000 ? 40 : 400;
    for (int run = 0; run < runs; run++) {
      long[] series = line(count, 1 << 30, 5000);
      for (int i = 0; i < count; i++) {
        series[i] += (long) (random.nextGaussian() * (1 << 20));
      }
      Trend trend = Trend.of(series, 0, 0.95);
      missed += trend.lower() > 5000 || trend.upper() < 5000 ? 1 : 0;
    }
    assertTrue(missed <= 0.09 * runs, missed + " of " + runs);
    assertTrue(count > 1000 || missed >= 0.01 * runs, missed + " of " + runs);
  }

  @Test
  void whatFallsBackComesBack() {
    long[] saw = LongStream.range(0, 25).map(i -> i % 10 * 4096).toArray();
    assertTrue(Trend.of(saw, 0, 0.95).comesBack());
    assertFalse(Trend.of(saw, 0, 0.95).grows());
    assertFalse(Trend.of(line(25, 0, 4096), 0, 0.95).comesBack());
  }

  @Test
  void growthThatEndsIsLevelFromThereOn() {
    long[] series = LongStream.range(0, 40).map(i -> Math.min(i, 25) * 4096).toArray();
    Trend trend = Trend.of(series, 0, 0.95);
    assertTrue(trend.rises());
    assertEquals(25, trend.stopped());
    assertFalse(trend.grows());
  }

  @Test
  void growthInRareStepsIsStillGrowth() {
    long[] series = LongStream.range(0, 60).map(i -> i / 10 * (1L << 20)).toArray();
    Trend trend = Trend.of(series, 0, 0.95);
    assertTrue(trend.grows(), trend.toString());
  }

  @Test
  void theWarmUpIsCutWhereTheLineBegins() {
    long[] series = line(30, 5000, 100);
    series[0] = 0;
    assertEquals(1, Trend.warmUp(series));
    series[1] = 90;
    assertEquals(2, Trend.warmUp(series));
    assertEquals(0, Trend.warmUp(line(30, 5000, 100)));
    assertEquals(0, Trend.warmUp(new long[30]));
  }

  @Test
  void theWarmUpLeavesEnoughForATrend() {
    for (int count = Trend.MIN_POINTS; count < 40; count++) {
      long[] series = new Random(count).longs(count, 0, 1 << 20).toArray();
      int cut = Trend.warmUp(series);
      assertTrue(cut <= count / 2 && count - cut >= Trend.MIN_POINTS, count + ": " + cut);
    }
  }

  @Test
  void fourIterationsHaveNoTrend() {
    assertThrows(IllegalArgumentException.class, () -> Trend.of(line(4, 0, 1), 0, 0.95));
  }

  @Test
  void manyIterationsAreFoldedToTheirLowestValues() {
    long[] series = line(100_000, 0, 1000);
    for (int i = 0; i < series.length; i++) {
      series[i] += i % 100 == 0 ? 0 : 1 << 30;
    }
    Trend trend = Trend.of(series, 0, 0.95);
    assertEquals(1000, trend.slope(), 1e-6);
  }

  private static long[] line(int count, long start, long slope) {
    return LongStream.range(0, count).map(i -> start + slope * i).toArray();
  }
}
