package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.allocsim.reports.output.ExitCodes;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What {@code --figure} makes of charts. */
class FigureTest {
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final double POINTS_PER_MM = 72 / 25.4;

  @TempDir private Path folder;

  private void draw(String name, String figure) {
    CommandRun run =
        CommandRun.of("replay", SAMPLE, "--chart", folder.resolve(name), "--figure", figure);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
  }

  private String svg(String figure) throws IOException {
    draw("chart.svg", figure);
    return Files.readString(folder.resolve("chart.svg"), UTF_8);
  }

  @ParameterizedTest
  @CsvSource({"one-column, 89", "two-columns, 183", "slide, 254", "one-column(width=5cm), 50"})
  void aFigureIsAsWideAsItsPresetSays(String figure, double widthMm) throws IOException {
    draw("chart.pdf", figure);
    try (PDDocument pdf = Loader.loadPDF(folder.resolve("chart.pdf").toFile())) {
      assertEquals(widthMm * POINTS_PER_MM, pdf.getPage(0).getMediaBox().getWidth(), 0.6, "points");
    }
    Matcher width = Pattern.compile(" width=\"([0-9.]+)pt\"").matcher(svg(figure));
    assertTrue(width.find());
    assertEquals(widthMm * POINTS_PER_MM, Double.parseDouble(width.group(1)), 0.6, "points");
  }

  @Test
  void aNameOfNothingInTheChartsIsRefusedWithThoseThatThereAre() {
    Path file = folder.resolve("chart.svg");
    CommandRun run =
        CommandRun.of("replay", SAMPLE, "--chart", file, "--figure", "slide(name.reservd=held)");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(
        run.err().replaceAll("\\s+", " ").contains("name.reservd is not in the charts"), run.err());
    assertTrue(run.err().contains("reserved"), run.err());
    assertFalse(Files.exists(file));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 300})
  void aPngHasTheDotsOfItsResolution(int dpi) throws IOException {
    draw("chart.png", "one-column(height=60mm;dpi=" + dpi + ")");
    BufferedImage image = ImageIO.read(folder.resolve("chart.png").toFile());
    assertEquals(89 / 25.4 * dpi, image.getWidth(), 0.01 * dpi, "to a pixel of the layout");
    assertEquals(60 / 25.4 * dpi, image.getHeight(), 0.01 * dpi, "to a pixel of the layout");
  }

  @Test
  void titleAndNamesAreThoseThatAreGiven() throws IOException {
    String svg = svg("two-columns(title=Our run;name.reserved from the device=held)");
    assertTrue(svg.contains(">Our run<") && svg.contains(">held<"), svg);
    assertFalse(svg.contains("reserved from the device"), svg);
  }

  @Test
  void anAxisByEventCountsEventsInTheRangeGiven() throws IOException {
    assertTrue(svg("two-columns").contains(">time since the first event"), "times are known");
    String svg = svg("two-columns(axis=event;from=1000;to=1500)");
    assertTrue(svg.contains(">event<"), svg);
    assertTrue(svg.contains(">1 200<") || svg.contains(">1\u202f200<"), svg);
    assertFalse(svg.contains(">2 000<") || svg.contains(">2\u202f000<"), svg);
  }

  @Test
  void aFolderOfFiguresHasPdfAndTheSeriesThatAreDrawn() throws IOException {
    CommandRun run =
        CommandRun.of(
            "replay", SAMPLE, "--charts", folder, "--json", "-", "--figure", "one-column");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> files = CommandRun.files(folder);
    assertTrue(
        files.contains("memory.pdf") && !files.contains("memory-dark.svg"), files.toString());
    JsonNode stats = new ObjectMapper().readTree(run.out()).get("stats");
    JsonNode series =
        new ObjectMapper().readTree(folder.resolve("memory-series.json").toFile()).get("series");
    List<String> csv = Files.readAllLines(folder.resolve("memory-series.csv"));
    assertEquals("panel,series,at,value", csv.getFirst());
    for (String name : List.of("reserved", "allocated", "requested")) {
      double peak =
          series
              .valueStream()
              .filter(each -> each.get("series").asString().equals(name))
              .flatMap(each -> each.get("points").valueStream())
              .mapToDouble(point -> point.get(1).asDouble())
              .max()
              .orElseThrow();
      assertEquals(stats.get(name + "_bytes.all.peak").asDouble(), peak, name);
      assertEquals(
          peak,
          csv.stream()
              .filter(line -> line.startsWith("0," + name + ","))
              .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)))
              .max()
              .orElseThrow());
    }
  }

  private CommandRun run(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertTrue(
        run.exitCode() == ExitCodes.DONE || run.exitCode() == ExitCodes.CHECK_DID_NOT_HOLD,
        run.err());
    return run;
  }

  private List<String> csv(String name) throws IOException {
    return Files.readAllLines(folder.resolve(name + "-series.csv"));
  }

  private String drawn(String name) throws IOException {
    return Files.readString(folder.resolve(name + ".svg"), UTF_8);
  }

  @Test
  void leaksAreDrawnByEventUnderOtherNames() throws IOException {
    Path leak = CommandRun.recording("cat_growth.pickle.xz");
    String figure = "two-columns(axis=event;name.trend=the slope;name.reserved at the end=held)";
    run("leaks", leak, "--report", folder, "--figure", figure);
    String svg = drawn("leak");
    assertTrue(svg.contains(">event<") && !svg.contains(">iteration<"), svg);
    assertTrue(svg.contains(">the slope<") && svg.contains(">held<"), svg);
    assertFalse(svg.contains(">trend<") || svg.contains("reserved at the end"), svg);
    List<Double> events =
        csv("leak").stream()
            .filter(line -> line.startsWith("0,held,"))
            .map(line -> Double.parseDouble(line.split(",")[2]))
            .toList();
    assertEquals(events.stream().sorted().distinct().toList(), events);
    JsonNode leaks = new ObjectMapper().readTree(folder.resolve("leaks.json").toFile());
    assertEquals(leaks.at("/iterations/count").asInt(), events.size());
    assertTrue(events.getLast() > events.size(), "iterations have several events");
    assertTrue(events.getLast() < leaks.at("/trace/events").asInt(), events.toString());
  }

  @Test
  void barsRowsAndPanelsHaveTheNamesThatAreGiven() throws IOException {
    String figure = "two-columns(name.cub=CUB;name.requested=asked for;axis=event)";
    run("compare", SAMPLE, "--policies", "pytorch,cub", "--charts", folder, "--figure", figure);
    for (String name : List.of("peak", "driver-time", "throughput", "reserved", "fragmentation")) {
      String svg = drawn(name);
      assertTrue(svg.contains(">CUB<") || svg.contains(">CUB: "), name);
      assertFalse(svg.contains(">cub<") || svg.contains(">cub: "), name);
      assertTrue(csv(name).stream().anyMatch(line -> line.contains("CUB")), name);
      assertFalse(csv(name).stream().anyMatch(line -> line.matches(".*\\bcub\\b.*")), name);
    }
    assertTrue(drawn("peak").contains(">asked for<"));
    assertTrue(csv("peak").stream().anyMatch(line -> line.startsWith("0,asked for,CUB,")));
    assertTrue(drawn("reserved").contains(">event<"));
  }

  @Test
  void cellsOfDevicesHaveTheNamesThatAreGivenAndAreASeries() throws IOException {
    run(
        "min-capacity",
        SAMPLE,
        "--report",
        folder,
        "--figure",
        "two-columns(name.(default)=as it is;name.rtx-3080-10gb=small card)");
    String svg = drawn("frontier");
    assertTrue(svg.contains(">as it is<") && svg.contains(">small card, "), svg);
    JsonNode found = new ObjectMapper().readTree(folder.resolve("min-capacity.json").toFile());
    List<String> smallest =
        csv("frontier").stream().filter(line -> line.contains(",smallest device,")).toList();
    assertEquals(found.get("settings").size(), smallest.size());
    assertTrue(
        csv("frontier").stream()
            .anyMatch(line -> line.matches("0,as it is,\"?small card, .*,1\\.0")),
        csv("frontier").toString());
  }

  @Test
  void theFleetIsDrawnIntoFilesWhereAFigureIsAskedFor() throws IOException {
    Path swept = folder.resolve("swept");
    run("sweep", SAMPLE, "--policies", "pytorch,cub", "-o", swept);
    run("fleet-report", swept, "--report", folder);
    assertFalse(Files.exists(folder.resolve("gpus.svg")));
    run("fleet-report", swept, "--report", folder, "--figure", "slide(name.traces=programs)");
    assertTrue(drawn("savings").contains(">programs<"));
    assertTrue(Files.exists(folder.resolve("gpus.pdf")));
  }

  @Test
  void aProgramInTimeIsDrawnByEventWithItsStepsWhereTheyAre() throws IOException {
    Path trace = folder.resolve("mlp.jsonl");
    assertEquals(0, CommandRun.of("generate", "mlp", "-o", trace).exitCode());
    run("replay", trace, "--charts", folder, "--figure", "two-columns(axis=event)");
    for (String name : List.of("memory", "fragmentation", "utilisation")) {
      assertTrue(drawn(name).contains(">event<"), name);
    }
    double last = 0;
    for (String line : csv("utilisation")) {
      if (line.startsWith("0,computing,")) {
        double at = Double.parseDouble(line.split(",")[2]);
        assertTrue(at >= last, line);
        last = at;
      }
    }
    assertTrue(last > 10, "events, not seconds: " + last);
  }

  @Test
  void withoutThePartForParquetTheAnswerSaysHowToGetIt() {
    CommandRun run = run("replay", SAMPLE, "--charts", folder, "--figure", "one-column");
    assertTrue(
        run.out()
            .replace('\n', ' ')
            .contains("was not written as Parquet: Parquet support is not part"),
        run.out());
    assertFalse(CommandRun.files(folder).contains("memory-series.parquet"));
  }

  @Test
  void commandsWithoutChartsHaveNoFigures() {
    for (String command :
        List.of("peak", "blockers", "tune", "verify", "check", "inspect", "diff")) {
      assertFalse(CommandRun.of(command, "--help").out().contains("--figure"), command);
    }
    for (String command :
        List.of("replay", "compare", "leaks", "min-capacity", "validate gpu", "fleet-report")) {
      assertTrue(
          CommandRun.of(CommandLines.words(command, List.of("--help"))).out().contains("--figure"),
          command);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "replay --figure slide, needs charts to draw",
    "leaks --figure slide, needs charts to draw",
    "compare --figure slide, needs charts to draw",
    "min-capacity --report OUT --figure slide(axis=event), apply to charts over time"
  })
  void aFigureThatChangesNothingIsRefused(String command, String why) {
    List<Object> words = new ArrayList<>(List.of(command.split(" ")));
    words.replaceAll(word -> word.equals("OUT") ? folder.resolve("out") : word);
    words.add(SAMPLE);
    CommandRun run = CommandRun.of(words.toArray());
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(why), run.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "poster",
        "slide(",
        "slide(wide=3mm)",
        "slide(width=3)",
        "slide(width=3km)",
        "slide(dpi=0)",
        "slide(dpi=99999)",
        "slide(font=No Such Font)",
        "slide(axis=frames)",
        "slide(from=9;to=3)",
        "slide(title)"
      })
  void whatIsNoFigureIsRefusedInOneSentence(String figure) {
    CommandRun run =
        CommandRun.of("replay", SAMPLE, "--chart", folder.resolve("c.svg"), "--figure", figure);
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals(List.of(), CommandRun.files(folder));
  }
}
