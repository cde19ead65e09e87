package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryLimitTest {
  private static final long TOTAL = 85_017_493_504L;

  @Test
  void limitIsTheProductCutToWholeBytes() throws ConfigException {
    assertEquals(4_250_874_675L, MemoryLimit.ofFraction(0.05, TOTAL, PyTorchVersion.V2_11));
    assertEquals(0, MemoryLimit.ofFraction(0.0, TOTAL, PyTorchVersion.V2_11));
  }

  /** "1001 bytes allowed", says PyTorch 2.14.1 on the stand-in. */
  @Test
  void theNewestReleaseRoundsTheProduct() throws ConfigException {
    assertEquals(1001, MemoryLimit.ofFraction(0.10005, 10_000, PyTorchVersion.V2_14));
    assertEquals(1000, MemoryLimit.ofFraction(0.10002, 10_000, PyTorchVersion.V2_14));
    assertEquals(1000, MemoryLimit.ofFraction(0.10009, 10_000, PyTorchVersion.V2_11));
  }

  @Test
  void case45_fractionOfOneRemovesTheLimitSince29AndWasALimitBefore() throws ConfigException {
    assertEquals(MemoryLimit.NONE, MemoryLimit.ofFraction(1.0, TOTAL, PyTorchVersion.V2_11));
    assertEquals(MemoryLimit.NONE, MemoryLimit.ofFraction(1.0, TOTAL, PyTorchVersion.V2_10));
    assertEquals(TOTAL, MemoryLimit.ofFraction(1.0, TOTAL, PyTorchVersion.V2_8));
  }

  @ParameterizedTest
  @CsvSource({
    "1.5, 1.5",
    "-0.1, -0.1",
    "2, 2.0",
    "1e7, 10000000.0",
    "1.5e300, 1.5e+300",
    "1e16, 1e+16",
    "-0.0005, -0.0005",
    "-0.00001, -1e-05",
    "NaN, nan",
    "Infinity, inf",
    "-Infinity, -inf"
  })
  void fractionsOutsideZeroToOneAreRefusedAsPythonPrintsThem(double fraction, String shown) {
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> MemoryLimit.ofFraction(fraction, TOTAL, PyTorchVersion.V2_11));
    assertEquals("ValueError", e.errorType());
    assertEquals("Invalid fraction value: " + shown + ". Allowed range: 0~1", e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"half", "''", "0.5f", "0x1p-1", "NaN", "1e"})
  void textThatIsNoNumberIsATypeError(String text) {
    ConfigException e =
        assertThrows(
            ConfigException.class, () -> MemoryLimit.ofFraction(text, TOTAL, PyTorchVersion.V2_11));
    assertEquals("TypeError", e.errorType());
    assertEquals("Invalid type for fraction argument, must be `float`", e.getMessage());
  }

  @Test
  void numbersAsTextAreRead() throws ConfigException {
    assertEquals(TOTAL / 2, MemoryLimit.ofFraction(" 5e-1 ", TOTAL, PyTorchVersion.V2_11));
  }
}
