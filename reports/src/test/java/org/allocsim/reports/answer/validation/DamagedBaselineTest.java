package org.allocsim.reports.answer.validation;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.output.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A baseline of any content is read, or refused in a sentence that names the file. */
class DamagedBaselineTest {
  private static final String MACHINE =
      "\"machine\":{\"cpu\":\"x\",\"cores\":2,\"system\":\"x\",\"jdk\":\"x\"}";

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.write(folder.resolve("base.json"), text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String measured(String measurements) {
    return "{\"schema\":\"%s\",\"measurements\":%s,%s}"
        .formatted(BenchAnswer.KIND.id(), measurements, MACHINE);
  }

  private void refuses(String text) throws IOException {
    String name = file(text).toString();
    Failure failure = assertThrows(Failure.class, () -> BenchBaseline.read(name));
    String said = String.valueOf(failure.getMessage());
    assertTrue(said.startsWith("--baseline " + name + ": "), said);
    assertFalse(said.contains("StreamRead") || said.contains("Source"), said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[1,2]",
        "{\"schema\": \"x\", \"measurements\": [",
        "{\"schema\":1e999999999}",
        "\u0000\u00ff\u00fe{"
      })
  void whatIsNoBaselineIsRefused(String text) throws IOException {
    refuses(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "12345678901234567890123",
        "{}",
        "[null]",
        "[3]",
        "[{\"id\":\"a\",\"nanos_per_event\":null}]",
        "[{\"id\":\"a\",\"nanos_per_event\":{\"values\":[null]}}]",
        "[{\"id\":\"a\",\"nanos_per_event\":{\"values\":[]}}]",
        "[{\"id\":\"a\",\"nanos_per_event\":{\"values\":[\"1\"]}}]",
        "[{\"id\":\"a\",\"nanos_per_event\":{\"values\":[1e999]}}]",
        "[{\"id\":\"a\",\"nanos_per_event\":{\"values\":[0]}}]",
        "[{\"id\":[],\"nanos_per_event\":{\"values\":[1]}}]"
      })
  void measurementsOfAnotherKindAreRefused(String measurements) throws IOException {
    refuses(measured(measurements));
  }

  @Test
  void deepNestingIsRefused() throws IOException {
    refuses("{\"a\":".repeat(100_000));
    refuses(measured("[".repeat(100_000)));
  }

  @Test
  void aWholeOneIsRead() throws IOException {
    String whole = measured("[{\"id\":\"a\",\"nanos_per_event\":{\"values\":[1.5,2]}}]");
    assertTrue(BenchBaseline.read(file(whole).toString()).costs().containsKey("a"));
  }
}
