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
import org.allocsim.analysis.text.JsonText;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;

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
  void linesHaveNothingBetweenThem() {
    try (JsonGenerator json = JsonText.lines(out)) {
      for (int i = 0; i < 2; i++) {
        json.writeStartObject();
        json.writeNumberProperty("i", i);
        json.writeEndObject();
        json.writeRaw('\n');
      }
    }
    assertEquals("{\"i\":0}\n{\"i\":1}\n", out.toString(UTF_8));
  }

  @Test
  void otherTypesAreNoJson() {
    assertThrows(IllegalArgumentException.class, () -> JsonText.write(new Object(), out));
  }
}
