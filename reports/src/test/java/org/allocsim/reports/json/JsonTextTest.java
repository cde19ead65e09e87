package org.allocsim.reports.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.allocsim.analysis.text.JsonText;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.ObjectMapper;

class JsonTextTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void treesKeepTheirOrderAndEndInALineEnd() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("z", 1);
    map.put("a", Arrays.asList(true, null, 2L, 0.5, "ü\"\n"));
    map.put("none", List.of());
    map.put("empty", Map.of());
    map.put("big", BigInteger.TWO.pow(64));
    JsonText.write(map, out);
    assertEquals(
        """
        {
          "z": 1,
          "a": [
            true,
            null,
            2,
            0.5,
            "ü\\"\\n"
          ],
          "none": [],
          "empty": {},
          "big": 18446744073709551616
        }
        """,
        out.toString(UTF_8));
  }

  @Test
  void undefinedNumbersAreNull() {
    JsonText.write(List.of(Double.NaN, Double.POSITIVE_INFINITY), out);
    assertEquals("[\n  null,\n  null\n]\n", out.toString(UTF_8));
  }

  @Test
  void aLineHasNoSpaces() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a", List.of(1, 2, Map.of()));
    map.put("b", 1e-7);
    assertEquals("{\"a\":[1,2,{}],\"b\":1.0E-7}", JsonText.line(map));
  }

  /** What would turn the direction of a terminal's line, or be invisible on it. */
  @Test
  void whatCannotBeSeenIsEscaped() {
    assertEquals(
        "\"a\\u202Eb\\u2028\\u200F\\u007F\\uD83Dü\uD83D\uDE00\\uDB40\\uDC01\"",
        JsonText.line("a\u202eb\u2028\u200f\u007f\ud83dü\ud83d\ude00\udb40\udc01"));
  }

  /** All characters that a text may hold, and doubles of every size. */
  @Test
  void textsAndNumbersAreReadBackAsTheyWere() {
    StringBuilder all = new StringBuilder();
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        all.appendCodePoint(c);
      }
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("\u0001\"\\", all.toString());
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      double value = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(value)) {
        map.put("number " + i, value);
      }
    }
    JsonText.write(map, out);
    assertEquals(map, new ObjectMapper().readValue(out.toByteArray(), Map.class));
    assertEquals(out.toString(UTF_8), JsonText.text(map));
    assertEquals(map, new ObjectMapper().readValue(JsonText.line(map), Map.class));
  }

  @Test
  void otherTypesAreNoJson() {
    assertThrows(IllegalArgumentException.class, () -> JsonText.write(new Object(), out));
  }
}
