package org.allocsim.validation.gpu.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShareTest {
  /** Figures worked out from Wilson's formula with z = 1.959964. */
  @ParameterizedTest
  @CsvSource({
    "0,10,0,0.277533",
    "10,10,0.722467,1",
    "1,2,0.094531,0.905469",
    "81,263,0.255289,0.366210",
    "0,1,0,0.793451"
  })
  void theIntervalIsWilsons(long part, long whole, double low, double high) {
    Share share = new Share(part, whole);
    assertEquals(low, share.low(), 1e-6);
    assertEquals(high, share.high(), 1e-6);
    assertEquals((double) part / whole, share.value());
  }

  @Test
  void nothingOfNothingHasNoInterval() {
    Share none = new Share(0, 0);
    assertTrue(Double.isNaN(none.value()));
    assertTrue(Double.isNaN(none.low()));
    assertTrue(Double.isNaN(none.high()));
  }

  @Test
  void aPartThatIsLargerThanTheWholeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Share(2, 1));
  }
}
