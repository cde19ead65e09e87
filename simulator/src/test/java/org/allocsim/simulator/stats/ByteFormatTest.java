package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteFormatTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 bytes",
    "1, 1 bytes",
    "1024, 1024 bytes",
    "1025, 1.00 KiB",
    "1048576, 1024.00 KiB",
    "1048577, 1.00 MiB",
    "1073741824, 1024.00 MiB",
    "1073741825, 1.00 GiB",
    "2097152, 2.00 MiB",
    "150077440, 143.12 MiB",
    "150339584, 143.38 MiB",
    "85017493504, 79.18 GiB",
    "1152921504606846976, 1073741824.00 GiB",
    "-1, 17179869184.00 GiB",
    "-9223372036854775808, 8589934592.00 GiB"
  })
  void case64_formatSizeKeepsUpperBoundsInTheSmallerUnitAndRoundsTiesToEven(
      long bytes, String expected) {
    assertEquals(expected, ByteFormat.formatSize(bytes));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1.00 KiB",
    "15569256448, 14.50 GiB",
    "1048575, 1.00 MiB",
    "1073741823, 1.00 GiB",
    "1048570, 1023.99 KiB",
    "-2097152, -2.00 MiB",
    "9223372036854775807, 8.00 EiB",
    "-9223372036854775808, -8.00 EiB"
  })
  void humanSizesTakeTheLargestUnitThatLeavesAtLeastOne(long bytes, String expected) {
    assertEquals(expected, ByteFormat.human(bytes));
  }
}
