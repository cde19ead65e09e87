package org.allocsim.analysis.serving.kvcache.stdlib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order in which programs that GCC 14 compiled iterate over the keys of a map. */
class UnorderedKeysTest {
  private final UnorderedKeys keys = new UnorderedKeys();

  private String order() {
    int[] places = new int[keys.count()];
    keys.places(places);
    return Arrays.stream(places)
        .mapToObj(place -> String.valueOf(keys.key(place)))
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      maxCharsPerColumn = 4096,
      value = {
        "2; 43 93 13 31 109 13 113 13 115 10 115 43 102; 102 113 115 93 13 31 10 43 109",
        "9; 84 2 70 97 84 77 61; 61 77 97 70 2 84",
        "5; 20911 80048 37271 3395 32353 1986 63904 60076 67146; 60076 63904 1986 20911 37271 80048"
            + " 67146 32353 3395",
        "6; 62 118 89 121 73 184; 73 184 121 89 118 62",
        "15; 6 80 140 14 133 76 51 54 2 47 8 137 101 60 127 14 87 10; 10 60 101 137 47 87 2 54 51"
            + " 127 8 76 133 14 140 80 6",
        "0; 11339 38728 7414 30845 16142 18221 43297 12659; 38728 12659 11339 7414 43297 30845"
            + " 18221 16142",
        "25; 55 50 58 42 4 56 34 42 33 2 41 54 37 13 50 27 9 16 58 24 43 54 48; 48 43 24 16 9 37 54"
            + " 41 2 34 27 56 33 4 13 42 58 50 55",
        "0; 70 5 98 106 44; 44 106 98 70 5",
      })
  void keysComeInTheOrderOfTheMap(int reserved, String added, String order) {
    keys.clear(reserved);
    Stream.of(added.split(" ")).forEach(key -> keys.place(Integer.parseInt(key)));
    assertEquals(order, order());
  }

  @Test
  void aKeyThatIsThereKeepsItsPlace() {
    keys.clear(1);
    for (int round = 0; round < 2; round++) {
      for (int key = 0; key < 50; key++) {
        assertEquals(key, keys.place(7 * key));
      }
    }
    assertEquals(50, keys.count());
  }
}
