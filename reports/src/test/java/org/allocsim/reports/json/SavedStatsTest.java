package org.allocsim.reports.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class SavedStatsTest {
  @Test
  void flatObjectsAreRead() throws IOException {
    assertEquals(
        Map.of("num_ooms", 3L, "max_split_size", -1L),
        read("{\"num_ooms\":3,\"max_split_size\":-1}"));
  }

  @Test
  void theObjectUnderStatsIsRead() throws IOException {
    assertEquals(
        Map.of("num_ooms", 3L),
        read("{\"total\":1,\"checks\":[{\"num_ooms\":9}],\"stats\":{\"num_ooms\":3}}"));
  }

  @Test
  void compressedFilesAreRead() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"num_ooms\":3}".getBytes(UTF_8));
    }
    assertEquals(
        Map.of("num_ooms", 3L), SavedStats.read(new ByteArrayInputStream(packed.toByteArray())));
  }

  @Test
  void whatIsNotJsonIsRefused() {
    assertRefused("{\"num_ooms\":", "not valid JSON");
    assertRefused("hello", "not valid JSON");
    assertRefused("", "not a JSON object");
    assertRefused("[1]", "not a JSON object");
    assertRefused("{\"a\":\"b\"}", "holds no statistics");
    assertRefused("{\"num_ooms\":9223372036854775808}", "beyond 2^63");
    assertRefused("{\"a\":" + "[".repeat(100_000), "not valid JSON");
  }

  @Test
  void tooManyNumbersAreRefused() {
    StringBuilder text = new StringBuilder("{\"k0\":0");
    for (int i = 1; i <= 10_000; i++) {
      text.append(",\"k").append(i).append("\":").append(i);
    }
    assertRefused(text.append('}').toString(), "more than 10000 numbers");
  }

  private static Map<String, Long> read(String text) throws IOException {
    return SavedStats.read(new ByteArrayInputStream(text.getBytes(UTF_8)));
  }

  private static void assertRefused(String text, String cause) {
    String message = assertThrows(IOException.class, () -> read(text)).getMessage();
    assertTrue(message.contains(cause), message);
  }
}
