package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
