package org.allocsim.validation.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTest {
  @Test
  void quartilesLieBetweenRanks() {
    Samples samples = new Samples(List.of(4.0, 1.0, 2.0, 3.0));
    assertEquals(2.5, samples.median());
    assertEquals(1.75, samples.lowerQuartile());
    assertEquals(3.25, samples.upperQuartile());
    assertEquals(1, samples.least());
    assertEquals(4, samples.most());
    assertEquals(0.3, samples.spread(), 1e-12);
  }

  @Test
  void oneSampleHasNoSpread() {
    Samples one = new Samples(List.of(7.0));
    assertEquals(7, one.median());
    assertEquals(0, one.spread());
  }

  @Test
  void noSampleIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Samples(List.of()));
  }
}
