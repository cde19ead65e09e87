package org.allocsim.analysis.leak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.apache.commons.math3.stat.regression.SimpleRegression;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PersistenceTest {
  private static double[] series(Random random, int count, double rho, double slope) {
    double[] values = new double[count];
    double deviation = 0;
    for (int warmUp = 0; warmUp < (rho < 1 ? 200 : 0); warmUp++) {
      deviation = rho * deviation + random.nextGaussian();
    }
    for (int i = 0; i < count; i++) {
      deviation = rho * deviation + random.nextGaussian();
      values[i] = deviation + slope * i;
    }
    return values;
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 40, 100})
  void maxWalksAreWalksAndHardlyAnyNoiseIs(int count) {
    Random random = new Random(count);
    int walks = 0;
    int noises = 0;
    for (int run = 0; run < 1000; run++) {
      walks += Persistence.of(series(random, count, 1, 5)).isWalk() ? 1 : 0;
      noises += Persistence.of(series(random, count, 0, 5)).isWalk() ? 1 : 0;
    }
    assertTrue(walks > 600, walks + " of 1000 walks");
    assertTrue(noises < 10, noises + " of 1000 series of noise");
  }

  @Test
  void persistenceInBetweenIsEstimatedWithLittleBias() {
    Random random = new Random(5);
    double sum = 0;
    for (int run = 0; run < 1000; run++) {
      sum += Persistence.of(series(random, 60, 0.5, -3)).rho() / 1000;
    }
    assertEquals(0.5, sum, 0.1);
  }

  @Test
  void aLineHasNone() {
    double[] line = new double[30];
    for (int i = 0; i < line.length; i++) {
      line[i] = 1e12 + 512.0 * i;
    }
    assertEquals(new Persistence(0, false), Persistence.of(line));
    assertEquals(new Persistence(0, false), Persistence.of(new double[30]));
    assertEquals(new Persistence(0, false), Persistence.of(new double[] {1, 5, 2, 9}));
  }

  /** The factor is what the variance of fitted slopes is really larger by. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.3, 0.7, 0.9})
  void theInflationIsThatOfFittedSlopes(double rho) {
    int count = 25;
    Random random = new Random(3);
    double squaredSlopes = 0;
    double squaredErrors = 0;
    int runs = 20_000;
    double spread = (count * count - 1.0) * count / 12;
    for (int run = 0; run < runs; run++) {
      SimpleRegression line = new SimpleRegression();
      double[] values = series(random, count, rho, 0);
      for (int i = 0; i < count; i++) {
        line.addData(i, values[i]);
      }
      squaredSlopes += line.getSlope() * line.getSlope() / runs;
      squaredErrors += line.getMeanSquareError() / runs;
    }
    double expected = squaredSlopes * spread / squaredErrors;
    assertEquals(expected, new Persistence(rho, false).inflation(count), 0.05 * expected);
  }

  @Test
  void whatIsNegativeWidensNothing() {
    assertEquals(1, new Persistence(-0.5, false).inflation(30));
    assertFalse(Persistence.of(new double[] {1, -1, 1, -1, 1, -1, 1, -1}).isWalk());
  }
}
