package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What {@code validate together} found on an H200, as EXACTNESS.md and the guide quote it. */
class TogetherResultsTest {
  private static final Path MODULE =
      Files.isDirectory(Path.of("results")) ? Path.of("") : Path.of("../validation");

  private static JsonNode cases() throws IOException {
    return new ObjectMapper()
        .readTree(Files.readAllBytes(MODULE.resolve("results/together/h200.json")))
        .get("cases");
  }

  @Test
  void everyProcessDidWhatWasPredicted() throws IOException {
    long calls = 0;
    long refused = 0;
    long failures = 0;
    long turns = 0;
    for (JsonNode each : cases()) {
      String name = each.get("case").asString();
      assertTrue(each.get("exact").asBoolean(), name);
      turns += each.get("turns").asLong();
      for (JsonNode process : each.get("processes")) {
        long measured = process.get("measured_calls").asLong();
        assertEquals(measured, process.get("predicted_calls").asLong(), name);
        assertEquals(measured, process.get("equal_calls").asLong(), name);
        assertEquals(measured, process.get("free_bytes_compared").asLong(), name);
        assertEquals(measured, process.get("free_bytes_exact").asLong(), name);
        assertTrue(process.get("same_failures").asBoolean(), name);
        calls += measured;
        refused += ResultsPage.either(process, "failed_calls", "refused_calls").asLong();
        failures += process.get("measured_failures").asLong();
      }
    }
    assertEquals(14, cases().size());
    assertEquals(23_098, calls);
    assertEquals(1_155, refused);
    assertEquals(689, failures);
    assertEquals(26_719, turns);
  }

  /** The first context contains what the driver keeps; MPS has a server and smaller clients. */
  @Test
  void contextsTakeWhatTheModelSays() throws IOException {
    for (JsonNode each : cases()) {
      boolean mps = each.get("case").asString().endsWith("MPS");
      assertEquals(mps ? 619_511_808 : 552_402_944, each.at("/processes/0/context_bytes").asLong());
      assertEquals(mps ? 542_113_792 : 549_060_608, each.at("/processes/1/context_bytes").asLong());
    }
  }
}
