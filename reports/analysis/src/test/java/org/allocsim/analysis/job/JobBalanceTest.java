package org.allocsim.analysis.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.job.JobBalance.Slope;
import org.junit.jupiter.api.Test;

/** Which rank takes the most, and what shows in the order of ranks only where it is there. */
class JobBalanceTest {
  private static final long GIB = 1L << 30;

  private static Ranked<RankPeak> rank(int number, long gib, long parametersGib, long... steps) {
    Rank rank = new Rank(number, null, Path.of("rank" + number), "rank" + number);
    return new Ranked<>(rank, new RankPeak(gib * GIB, gib * GIB, parametersGib * GIB, steps));
  }

  private static JobBalance peaks(long... gib) {
    List<Ranked<RankPeak>> ranks = new ArrayList<>();
    for (long each : gib) {
      ranks.add(rank(ranks.size(), each, 1));
    }
    return JobBalance.of(ranks);
  }

  @Test
  void imbalanceIsTheHighestPeakOverTheMedian() {
    JobBalance balance = peaks(40, 60, 42, 41);
    assertEquals(1, balance.highest().rank().number());
    assertEquals(0, balance.lowest().rank().number());
    assertEquals(41 * GIB, balance.medianBytes());
    assertEquals(60.0 / 41, balance.ratio(), 1e-12);
    assertFalse(balance.isEven());
    assertTrue(peaks(100, 99, 100, 98).isEven());
    assertEquals(1.0, peaks(7).ratio());
  }

  @Test
  void ofEqualPeaksTheFirstRankIsNamed() {
    assertEquals(1, peaks(40, 60, 60).highest().rank().number());
  }

  @Test
  void peaksThatFallOverFourLevelsAreAPipelines() {
    assertEquals(Optional.of(Slope.FALLING), peaks(40, 30, 20, 10).slope());
    assertEquals(Optional.of(Slope.RISING), peaks(10, 20, 30, 40).slope());
    assertEquals(Optional.of(Slope.FALLING), peaks(40, 40, 30, 30, 20, 20, 10, 10).slope());
  }

  @Test
  void threeLevelsShowASlopeWhereEveryStepRepeatsIt() {
    assertEquals(Optional.empty(), peaks(30, 20, 10).slope());
    List<Ranked<RankPeak>> repeated =
        List.of(
            rank(0, 30, 1, 5, 30, 29, 30),
            rank(1, 20, 1, 5, 20, 20, 20),
            rank(2, 10, 1, 5, 9, 10, 10));
    assertEquals(Optional.of(Slope.FALLING), JobBalance.of(repeated).slope());
    List<Ranked<RankPeak>> mixed =
        List.of(
            rank(0, 30, 1, 5, 30, 10, 30),
            rank(1, 20, 1, 5, 20, 20, 20),
            rank(2, 10, 1, 5, 9, 10, 10));
    assertEquals(Optional.empty(), JobBalance.of(mixed).slope());
  }

  @Test
  void peaksThatGoUpAndDownOrHardlyDifferAreNone() {
    assertEquals(Optional.empty(), peaks(40, 30, 35, 20, 10).slope());
    assertEquals(Optional.empty(), peaks(1000, 999, 998, 997).slope());
    assertEquals(Optional.empty(), peaks(40, 10).slope());
  }

  @Test
  void theRankWhosePeaksVaryWithEqualParametersIsNamed() {
    List<Ranked<RankPeak>> ranks =
        List.of(
            rank(0, 30, 4, 1, 30, 30, 31, 30),
            rank(1, 44, 4, 1, 30, 44, 22, 35),
            rank(2, 30, 4, 1, 30, 31, 30, 30));
    assertEquals(1, JobBalance.of(ranks).varying().orElseThrow().rank().number());
  }

  /**
   * As of DDP, which builds its buckets anew after the first step, in a job whose other rank fails.
   */
  @Test
  void oneHighStepIsNoVariation() {
    assertEquals(
        Optional.empty(),
        JobBalance.of(List.of(rank(0, 40, 4, 27, 38, 34, 34, 34), rank(1, 48, 4))).varying());
  }

  @Test
  void whereAllVaryOrParametersDifferOrAreUnknownNoneIsNamed() {
    assertEquals(
        Optional.empty(),
        JobBalance.of(List.of(rank(0, 30, 4, 1, 30, 44, 22, 35), rank(1, 44, 4, 1, 30, 44, 22, 35)))
            .varying());
    for (long parameters : new long[] {0, 8}) {
      long others = parameters == 0 ? 0 : 4;
      assertEquals(
          Optional.empty(),
          JobBalance.of(
                  List.of(
                      rank(0, 30, others, 1, 30, 30, 31, 30),
                      rank(1, 44, parameters, 1, 30, 44, 22, 35),
                      rank(2, 30, others, 1, 30, 31, 30, 30)))
              .varying());
    }
  }
}
