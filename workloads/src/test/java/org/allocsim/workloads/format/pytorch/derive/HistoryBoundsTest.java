package org.allocsim.workloads.format.pytorch.derive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryBoundsTest {
  private static final long UNKNOWN = Long.MAX_VALUE;
  private static final long GRANTED = 5_000_000_000L;

  private static long[] limits(double threshold, long... releasedFrom) {
    return new HistoryBounds(GRANTED, UNKNOWN, UNKNOWN, releasedFrom, false)
        .possibleLimits(threshold);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.3, 0.6, 0.75, 0.8, 0.99})
  void firstLimitIsTheHighestUnderWhichTheLeastReleaseIsACollection(double threshold) {
    long least = (long) (threshold * GRANTED) + 2_097_153;
    long first = limits(threshold, least + 4_194_304, least)[0];
    assertTrue((long) (threshold * first) < least);
    assertEquals(least, (long) (threshold * (first + 1)));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-6, 1e-9, 1e-12, 1e-300, Double.MIN_VALUE})
  void tinyThresholdsEndToo(double threshold) {
    assertTimeoutPreemptively(
        Duration.ofSeconds(5), () -> limits(threshold, 2_097_152, 4_000_000_000L));
  }

  @Test
  void nothingIsKnownWithoutFailuresAndReleases() {
    assertArrayEquals(new long[0], limits(0.6));
    assertArrayEquals(new long[0], limits(0, 6_000_000_000L));
  }
}
