package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.diagnosis.LeaksAnswer;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.cli.diagnose.LeaksCommand;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.IntervalMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.Layer;
import org.jfree.data.xy.XYDataset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The chart of {@code leaks} draws what its JSON says, to the last digit. */
class LeakChartDataTest {
  private record Drawn(JsonNode json, CombinedDomainXYPlot plot) {
    static Drawn of(List<Object> arguments) throws IOException {
      LeaksCommand command = new LeaksCommand();
      new CommandLine(command)
          .parseArgs(arguments.stream().map(String::valueOf).toArray(String[]::new));
      AskedTrace trace =
          AskedTrace.ofName(arguments.getFirst().toString(), null, Conditions.RECORDED);
      LeaksAnswer answer = command.question().ask(new Asked(List.of(trace))).answer();
      ByteArrayOutputStream json = new ByteArrayOutputStream();
      JsonText.write(JsonRenderer.json(answer.document(false)), json);
      return new Drawn(
          new ObjectMapper().readTree(json.toByteArray()),
          (CombinedDomainXYPlot) answer.chart(ChartTheme.LIGHT, false).getPlot());
    }

    /** Levels above, change below. */
    XYPlot part(int number) {
      return plot.getSubplots().get(number);
    }

    double[] series(String name) {
      return json.get("series")
          .get(name + "_bytes")
          .valueStream()
          .mapToDouble(JsonNode::asDouble)
          .toArray();
    }

    JsonNode trend() {
      return json.get("trends").get("live_floor");
    }
  }

  static List<List<Object>> runs() {
    return Stream.of("cat_growth.pickle.xz", "prefetch_streams.pickle.xz")
        .map(CommandRun::recording)
        .flatMap(file -> Stream.of(List.<Object>of(file), List.<Object>of(file, "--warm-up=20")))
        .toList();
  }

  private static double[] x(XYDataset dataset, int series) {
    return IntStream.range(0, dataset.getItemCount(series))
        .mapToDouble(item -> dataset.getXValue(series, item))
        .toArray();
  }

  private static double[] y(XYDataset dataset, int series) {
    return IntStream.range(0, dataset.getItemCount(series))
        .mapToDouble(item -> dataset.getYValue(series, item))
        .toArray();
  }

  @ParameterizedTest
  @MethodSource("runs")
  void levelsAreTheSeries(List<Object> arguments) throws IOException {
    Drawn drawn = Drawn.of(arguments);
    List<String> names = List.of("reserved", "live_peak", "live_floor");
    assertEquals(names.size(), drawn.part(0).getDatasetCount());
    for (int i = 0; i < names.size(); i++) {
      XYDataset line = drawn.part(0).getDataset(i);
      double[] series = drawn.series(names.get(i));
      assertEquals(drawn.json().get("iterations").get("count").asInt(), series.length);
      assertArrayEquals(series, y(line, 0), names.get(i));
      assertArrayEquals(
          IntStream.range(0, series.length).mapToDouble(n -> n).toArray(), x(line, 0));
    }
  }

  @ParameterizedTest
  @MethodSource("runs")
  void pointsAreTheChangeOfTheQuietestMomentSinceTheWarmUp(List<Object> arguments)
      throws IOException {
    Drawn drawn = Drawn.of(arguments);
    double[] floors = drawn.series("live_floor");
    int first = drawn.trend().get("first_iteration").asInt();
    assertEquals(drawn.json().get("iterations").get("warm_up").asInt(), first);
    XYDataset points = drawn.part(1).getDataset(2);
    assertArrayEquals(
        IntStream.range(first, floors.length).mapToDouble(n -> n).toArray(), x(points, 0));
    assertArrayEquals(
        IntStream.range(first, floors.length).mapToDouble(n -> floors[n] - floors[first]).toArray(),
        y(points, 0));
    for (int part = 0; part < 2; part++) {
      var markers = drawn.part(part).getDomainMarkers(Layer.BACKGROUND);
      if (first == 0) {
        assertTrue(markers == null || markers.isEmpty(), "no warm-up");
      } else {
        assertEquals(first - 0.5, ((IntervalMarker) markers.iterator().next()).getEndValue());
      }
    }
  }

  /** The lines have the slopes of the JSON on both sides of their middle. */
  @ParameterizedTest
  @MethodSource("runs")
  void theTrendAndItsBandHaveTheSlopeAndTheIntervalOfTheTrend(List<Object> arguments)
      throws IOException {
    Drawn drawn = Drawn.of(arguments);
    JsonNode trend = drawn.trend();
    double slope = trend.get("bytes_per_iteration").asDouble();
    double lower = trend.get("lower").asDouble();
    double upper = trend.get("upper").asDouble();
    XYDataset band = drawn.part(1).getDataset(0);
    XYDataset line = drawn.part(1).getDataset(1);
    assertLine(line, 0, slope, slope);
    assertLine(band, 0, lower, upper);
    assertLine(band, 1, upper, lower);
    assertEquals(line.getYValue(0, 1), band.getYValue(0, 1), "they meet in the middle");
    assertEquals(line.getYValue(0, 1), band.getYValue(1, 1), "they meet in the middle");
    assertEquals(medianRest(drawn, slope) + slope * line.getXValue(0, 1), line.getYValue(0, 1));
    String interval =
        String.format(
            Locale.ROOT, "%.1f %% confidence interval", 100 * trend.get("confidence").asDouble());
    assertEquals(
        lower < upper,
        IntStream.range(0, drawn.plot().getLegendItems().getItemCount())
            .mapToObj(item -> drawn.plot().getLegendItems().get(item).getLabel())
            .anyMatch(label -> label.contains(interval)),
        interval);
  }

  private static void assertLine(XYDataset lines, int line, double before, double after) {
    double[] x = x(lines, line);
    double[] y = y(lines, line);
    assertEquals(3, x.length);
    assertEquals(y[1] + before * (x[0] - x[1]), y[0], "before the middle");
    assertEquals(y[1] + after * (x[2] - x[1]), y[2], "after the middle");
  }

  /** The median of what is left of the points once the slope is taken away. */
  private static double medianRest(Drawn drawn, double slope) {
    XYDataset points = drawn.part(1).getDataset(2);
    double[] rests =
        IntStream.range(0, points.getItemCount(0))
            .mapToDouble(point -> points.getYValue(0, point) - slope * points.getXValue(0, point))
            .sorted()
            .toArray();
    return (rests[(rests.length - 1) / 2] + rests[rests.length / 2]) / 2;
  }
}
