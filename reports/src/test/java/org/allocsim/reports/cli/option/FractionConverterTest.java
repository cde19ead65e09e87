package org.allocsim.reports.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class FractionConverterTest {
  @ParameterizedTest
  @CsvSource({"0.05, 0.05", ".5, 0.5", "1, 1", "1.0, 1", "5e-2, 0.05"})
  void sharesAreTaken(String text, double share) {
    assertEquals(share, new FractionConverter().convert(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "0.0", "1.01", "-0.5", "90%", "NaN", "Infinity", "0,5", "1f", "."})
  void otherTextIsRefused(String text) {
    assertThrows(TypeConversionException.class, () -> new FractionConverter().convert(text));
  }
}
