package org.allocsim.validation.gpu.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.validation.gpu.Exactness;
import org.junit.jupiter.api.Test;

class QuantitySummaryTest {
  @Test
  void everyComparisonWeighsAlikeAndCasesWithoutAnyDoNotCount() {
    QuantitySummary summary =
        QuantitySummary.of(
            List.of(
                new Exactness(30, 30, 0, 0),
                new Exactness(10, 4, 100, 20),
                new Exactness(0, 0, 0, 0)));
    assertEquals(new Share(1, 2), summary.cases());
    assertEquals(40, summary.compared());
    assertEquals(34, summary.exact());
    assertEquals(100, summary.maxError());
    assertEquals(5, summary.meanError(), 1e-12);
    assertEquals(0, summary.lowMeanError());
    assertEquals(20, summary.highMeanError());
  }

  @Test
  void oneCaseHasNoInterval() {
    QuantitySummary summary = QuantitySummary.of(List.of(new Exactness(10, 4, 100, 20)));
    assertEquals(20, summary.meanError(), 1e-12);
    assertTrue(Double.isNaN(summary.lowMeanError()));
    assertTrue(Double.isNaN(QuantitySummary.of(List.of()).meanError()));
  }
}
