package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class ResultsPageTest {
  private static final Path MODULE =
      Files.isDirectory(Path.of("results")) ? Path.of("") : Path.of("../validation");

  /** {@code -Dgolden.regenerate=true} writes the page. */
  @Test
  void thePageSaysWhatTheResultsSay() throws IOException {
    String page = ResultsPage.of(MODULE.resolve("results"));
    Path file = MODULE.resolve("RESULTS.md");
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(file, page);
    }
    assertTrue(page.contains("| direct |"), page);
    assertEquals(Files.readString(file), page);
  }

  @Test
  void resultsOfVersion2GiveTheSamePage(@TempDir Path folder) throws IOException {
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    String text = Files.readString(MODULE.resolve("results/h200-near-limits-1.json"));
    Files.createDirectory(first);
    Files.writeString(first.resolve("h200.json"), text);
    Files.createDirectory(second);
    Files.writeString(
        second.resolve("h200.json"),
        text.replace("allocsim-validate-1", "allocsim-validate-2")
            .replace("\"free_bytes_before\"", "\"free_before_bytes\"")
            .replace("\"free_bytes_after\"", "\"free_after_bytes\"")
            .replace("\"failures\"", "\"failed_requests\""));
    assertEquals(ResultsPage.of(first), ResultsPage.of(second));
  }

  @Test
  void calibratedDriverTimeIsWithinAFifthInTheMedianOfTraces() throws IOException {
    JsonNode json =
        new ObjectMapper().readTree(Files.readAllBytes(MODULE.resolve("results/h200-plain.json")));
    Map<String, List<Double>> ratios = new TreeMap<>();
    for (JsonNode each : json.get("cases")) {
      if (each.get("driver_time") != null) {
        String policy = each.get("policy").asString();
        String family =
            policy.contains("expandable_segments:True")
                ? "expandable"
                : policy.replaceAll("\\(.*", "");
        ratios
            .computeIfAbsent(family, _ -> new ArrayList<>())
            .add(each.get("driver_time").get("ratio").asDouble());
      }
    }
    assertEquals(Set.of("pytorch", "expandable", "direct", "cuda-async"), ratios.keySet());
    ratios.forEach((policy, values) -> {
      double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
      assertTrue(all.length >= 20, policy);
      assertEquals(1, new Median().evaluate(all), 0.2, policy);
    });
  }
}
