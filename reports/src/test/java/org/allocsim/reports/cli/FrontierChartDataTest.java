package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The chart of {@code min-capacity} draws the answers of its JSON, and replays agree with them. */
class FrontierChartDataTest {
  private static final Path CAT_GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final String FITS = "rgb(140,203,238)";
  private static final String FAILS = "rgb(240,180,140)";
  @TempDir private Path folder;

  private JsonNode search(int exitCode, String... options) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of("min-capacity", CAT_GROWTH));
    arguments.addAll(List.of(options));
    arguments.addAll(List.of("--json", folder.resolve("found.json"), "--report", folder));
    CommandRun run = CommandRun.of(arguments.toArray());
    assertEquals(exitCode, run.exitCode(), run.err());
    return new ObjectMapper().readTree(folder.resolve("found.json")).get("settings");
  }

  private String svg() throws IOException {
    return Files.readString(folder.resolve("frontier.svg"));
  }

  /** Rows of cells, from above and from the left: whether every request succeeds. */
  private List<List<Boolean>> cells() throws IOException {
    SortedMap<Double, SortedMap<Double, Boolean>> rows = new TreeMap<>();
    NodeList rectangles = parsed(svg()).getElementsByTagName("rect");
    for (int i = 0; i < rectangles.getLength(); i++) {
      Element cell = (Element) rectangles.item(i);
      String fill = fill(cell);
      if (fill.equals(FITS) || fill.equals(FAILS)) {
        rows.computeIfAbsent(Double.valueOf(cell.getAttribute("y")), _ -> new TreeMap<>())
            .put(Double.valueOf(cell.getAttribute("x")), fill.equals(FITS));
      }
    }
    return rows.values().stream().map(row -> List.copyOf(row.values())).toList();
  }

  private static Document parsed(String svg) throws IOException {
    DocumentBuilderFactory parsers = DocumentBuilderFactory.newDefaultNSInstance();
    try {
      parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
      return parsers.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(e);
    }
  }

  /** The colour of a shape, which it may have from the group that it is in. */
  private static String fill(Element shape) {
    for (Node each = shape; each instanceof Element element; each = each.getParentNode()) {
      if (element.hasAttribute("fill")) {
        return element.getAttribute("fill");
      }
    }
    return "";
  }

  /** The sizes that are columns: the smallest device of each setting. */
  private static List<Long> sizes(JsonNode settings) {
    return settings
        .valueStream()
        .map(setting -> setting.get("capacity_bytes"))
        .filter(JsonNode::isIntegralNumber)
        .map(JsonNode::asLong)
        .sorted()
        .distinct()
        .toList();
  }

  private static List<List<Boolean>> answers(JsonNode settings) {
    List<String> gpus =
        ShippedProfiles.all().stream()
            .sorted(Comparator.comparingLong(DeviceProfile::capacityBytes))
            .map(DeviceProfile::name)
            .toList();
    List<List<Boolean>> rows = new ArrayList<>();
    for (JsonNode setting : settings) {
      JsonNode smallest = setting.get("capacity_bytes");
      List<Long> failing =
          setting.get("failing_above_bytes").valueStream().map(JsonNode::asLong).toList();
      List<String> fitting =
          setting.get("gpus_that_fit").valueStream().map(JsonNode::asString).toList();
      List<Boolean> row = new ArrayList<>();
      for (long bytes : sizes(settings)) {
        row.add(!smallest.isNull() && bytes >= smallest.asLong() && !failing.contains(bytes));
      }
      gpus.forEach(gpu -> row.add(fitting.contains(gpu)));
      rows.add(row);
    }
    return rows;
  }

  /** The largest devices, which all serve every request, may be left out. */
  private static void assertShown(List<List<Boolean>> answers, List<List<Boolean>> cells) {
    int shown = cells.getFirst().size();
    assertEquals(answers.stream().map(row -> row.subList(0, shown)).toList(), cells);
    for (List<Boolean> row : answers) {
      assertTrue(row.subList(shown, row.size()).stream().allMatch(fits -> fits), row.toString());
    }
  }

  @Test
  void everyCellIsTheAnswerOfTheJsonAndOfAReplayOnThatDevice() throws IOException {
    JsonNode settings = search(ExitCodes.DONE, "--policies", "pytorch,cub,cuda-async,bfc");
    List<List<Boolean>> cells = cells();
    assertShown(answers(settings), cells);
    List<Long> sizes = sizes(settings);
    assertTrue(sizes.size() > 4, "different sizes: " + sizes);
    String policies =
        settings.valueStream().map(FrontierChartDataTest::policy).collect(Collectors.joining(","));
    for (int column = 0; column < sizes.size(); column++) {
      long bytes = sizes.get(column);
      String text = ByteFormat.human(bytes);
      assertTrue(svg().contains(">" + text + "<"), text);
      CommandRun run =
          CommandRun.of(
              "compare", CAT_GROWTH, "--policies", policies, "--capacity", bytes, "--json", "-");
      assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
      JsonNode replays = new ObjectMapper().readTree(run.out()).get("traces").get(0).get("results");
      assertEquals(settings.size(), replays.size());
      for (int row = 0; row < settings.size(); row++) {
        String policy = policy(settings.get(row));
        JsonNode replay =
            replays
                .valueStream()
                .filter(each -> policy(each).equals(policy))
                .findFirst()
                .orElseThrow();
        assertEquals(
            replay.get("failed_requests").asLong() == 0,
            cells.get(row).get(column),
            policy + " on " + text);
      }
    }
  }

  /** The policy with its settings, from a row of either command. */
  private static String policy(JsonNode row) {
    JsonNode conf = row.has("options") ? row.get("options").path("conf") : row.get("conf");
    return row.get("policy").asString() + (conf.isString() ? "(conf=" + conf.asString() + ")" : "");
  }

  @Test
  void whereTheLimitIsTooSmallNoCellFits() throws IOException {
    JsonNode settings =
        search(ExitCodes.CHECK_DID_NOT_HOLD, "--memory-fraction", "0.00001", "--confs", "");
    assertEquals(List.of(), sizes(settings));
    List<List<Boolean>> cells = cells();
    assertShown(answers(settings), cells);
    assertTrue(cells.getFirst().stream().noneMatch(fits -> fits), cells.toString());
    assertTrue(svg().contains(">none<"));
  }
}
