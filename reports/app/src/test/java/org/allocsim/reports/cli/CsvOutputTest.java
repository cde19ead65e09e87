package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** CSV and JSON of one run hold the same figures. */
class CsvOutputTest {
  private static final Path CAT_GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path CUDA_GRAPH = CommandRun.recording("cuda_graph.pickle.xz");
  private static final Pattern CELL = Pattern.compile("(?:^|,)(?:\"((?:[^\"]|\"\")*)\"|([^,\"]*))");

  @TempDir private Path folder;

  private List<Map<String, String>> rows;
  private JsonNode json;

  private void run(Object... command) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(
        List.of("--csv", folder.resolve("out.csv"), "--json", folder.resolve("out.json")));
    CommandRun run = CommandRun.of(arguments.toArray());
    assertTrue(run.exitCode() == 0 || run.exitCode() == ExitCodes.CHECK_DID_NOT_HOLD, run.err());
    json = JsonMapper.builder().build().readTree(Files.readString(folder.resolve("out.json")));
    List<String> lines = Files.readAllLines(folder.resolve("out.csv"));
    List<String> headings = cells(lines.getFirst());
    rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      List<String> cells = cells(line);
      assertEquals(headings.size(), cells.size(), line);
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < cells.size(); i++) {
        row.put(headings.get(i), cells.get(i));
      }
      rows.add(row);
    }
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    Matcher cell = CELL.matcher(line);
    while (cell.find()) {
      cells.add(cell.group(1) == null ? cell.group(2) : cell.group(1).replace("\"\"", "\""));
    }
    return cells;
  }

  /** Every plain value that row and object have under one name is the same. */
  private static void assertSame(Map<String, String> row, JsonNode object) {
    int compared = 0;
    for (Map.Entry<String, String> cell : row.entrySet()) {
      JsonNode value = object.path(cell.getKey());
      if (value.isValueNode()) {
        assertEquals(value.isNull() ? "" : value.asString(), cell.getValue(), cell.getKey());
        compared++;
      }
    }
    assertTrue(compared >= 4, row + " and " + object);
  }

  private void assertSameRows(JsonNode objects) {
    assertEquals(objects.size(), rows.size());
    for (int i = 0; i < rows.size(); i++) {
      assertSame(rows.get(i), objects.get(i));
    }
  }

  @Test
  void tuneHasARowForEverySetting() throws IOException {
    run("tune", CAT_GROWTH, "--top=1");
    assertSameRows(json.get("settings"));
    assertTrue(rows.size() > 20);
    JsonNode first = json.get("settings").get(0);
    long calls = 0;
    for (JsonNode count : first.get("driver_calls_by_function")) {
      calls += count.asLong();
    }
    assertEquals(Long.toString(calls), rows.getFirst().get("driver_calls"));
  }

  @Test
  void minCapacityHasARowForEveryAllocator() throws IOException {
    run("min-capacity", CAT_GROWTH, "--policies", "pytorch,rmm-fixed,bfc");
    assertSameRows(json.get("settings"));
    assertTrue(rows.getFirst().get("gpus_that_fit").contains("t4;"));
  }

  @Test
  void compareHasARowForEveryPolicyAndTrace() throws IOException {
    run("compare", CAT_GROWTH, CUDA_GRAPH, "--policies", "pytorch,rmm-pool(initial=1GiB;max=2GiB)");
    JsonNode traces = json.get("traces");
    List<JsonNode> results = new ArrayList<>();
    traces.forEach(trace -> trace.get("results").forEach(results::add));
    assertEquals(results.size(), rows.size());
    for (int row = 0; row < rows.size(); row++) {
      assertSame(rows.get(row), results.get(row));
    }
    assertEquals(traces.get(1).get("file").asString(), rows.getLast().get("file"));
    assertTrue(
        rows.stream().anyMatch(row -> row.get("options").equals("initial=1GiB;max=2GiB")),
        rows.toString());
  }

  @Test
  void suiteHasARowForEveryRun() throws IOException {
    run("suite", "weight-conversion", "article-gpu");
    JsonNode scenarios = json.get("scenarios");
    int first = scenarios.get(0).get("variants").size();
    assertEquals(first + scenarios.get(1).get("variants").size(), rows.size());
    assertSame(rows.get(first), scenarios.get(1).get("variants").get(0));
    assertEquals("article-gpu", rows.get(first).get("scenario"));
  }

  @Test
  void scoresHaveARowForEveryPolicyAndScenario() throws IOException {
    run("suite", "weight-conversion", "article-gpu", "--policies", "pytorch,max-live");
    assertEquals(4, rows.size());
    JsonNode last = json.get("policies").get(1);
    assertEquals(last.get("policy").asString(), rows.getLast().get("policy"));
    assertEquals(
        last.get("results").get(1).get("peak_reserved_bytes").asString(),
        rows.getLast().get("peak_reserved_bytes"));
  }

  @Test
  void peakHasARowForEveryGroup() throws IOException {
    run("peak", CUDA_GRAPH);
    assertEquals(json.get("groups").size() + 2, rows.size());
    assertSame(rows.getFirst(), json.get("groups").get(0));
    assertSame(rows.getLast(), json.get("pending_free"));
  }

  @Test
  void pinsHaveARowForEveryBlock() throws IOException {
    run("blockers", CUDA_GRAPH);
    int blocks = 0;
    for (JsonNode segment : json.get("segments")) {
      for (JsonNode block : segment.get("blocks")) {
        assertSame(rows.get(blocks), block);
        assertEquals(segment.get("address").asString(), rows.get(blocks).get("segment_address"));
        assertEquals(
            segment.get("blocker_bytes").asString(), rows.get(blocks).get("blocker_bytes"));
        blocks++;
      }
    }
    assertEquals(blocks, rows.size());
  }

  @Test
  void leaksHaveARowForEveryIteration() throws IOException {
    run("leaks", CAT_GROWTH);
    assertEquals(json.get("iterations").get("count").asInt(), rows.size());
    for (String column : List.of("live_floor_bytes", "kept_bytes", "reserved_bytes")) {
      for (int i = 0; i < rows.size(); i++) {
        assertEquals(
            json.get("series").get(column).get(i).asString(), rows.get(i).get(column), column);
      }
    }
  }

  @Test
  void minCapacityPrintsMarkdown() {
    CommandRun run =
        CommandRun.of(
            "min-capacity", CAT_GROWTH, "--confs", ";expandable_segments:True", "--markdown");
    assertTrue(run.out().contains("| setting | smallest device | blocks at peak |"), run.out());
    assertTrue(run.out().contains("| GPU | free for the program | large enough for |"), run.out());
    assertTrue(run.out().contains("| t4 | 14.24 GiB | all |"), run.out());
  }
}
