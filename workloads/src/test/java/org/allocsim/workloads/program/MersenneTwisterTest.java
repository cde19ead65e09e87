package org.allocsim.workloads.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MersenneTwisterTest {
  /** Drawn with CPython 3.11: six times {@code randint(64, 1024)}, then {@code random()}. */
  @ParameterizedTest
  @CsvSource({
    "0, 928 458 840 975 494 105, 0.25891675029296335",
    "1, 201 646 931 885 846 128, 0.2550690257394217",
    "2, 947 933 121 157 150 433, 0.8354988781294496",
    "5489, 870 291 163 103 444 149, 0.3894144136392558",
    "1099511627779, 289 126 626 917 160 643, 0.9814015277038539"
  })
  void numbersAreThoseOfPython(long seed, String expected, double fraction) {
    MersenneTwister random = new MersenneTwister(seed);
    int[] numbers = new int[6];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = random.between(64, 1024);
    }
    int[] wanted =
        IntStream.of(
                java.util.Arrays.stream(expected.split(" ")).mapToInt(Integer::parseInt).toArray())
            .toArray();
    assertArrayEquals(wanted, numbers);
    assertEquals(fraction, random.nextDouble());
  }

  @Test
  void anEmptyRangeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new MersenneTwister(1).between(2, 1));
  }
}
