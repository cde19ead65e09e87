package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.CompareCharts;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.gpu.ValidateAnswer;
import org.allocsim.reports.answer.gpu.ValidateCharts;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.question.page.RecordedTrial;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.title.TextTitle;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.xy.XYDataset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What charts draw is what the JSON beside them says, to the last digit. */
class ChartDataTest {
  private static final double PERCENT = 100;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double ROUNDING = 1e-9;

  private static final String SMALL =
      """
      {"allocsim":"trace","version":1}
      {"op":"alloc","id":1,"bytes":3000000,"time_ns":1000}
      {"op":"alloc","id":2,"bytes":700000,"stream":7,"time_ns":2000}
      {"op":"free","id":1,"time_ns":3000}
      {"op":"alloc","id":3,"bytes":9000000,"time_ns":4000}
      {"op":"alloc","id":4,"bytes":30000000,"time_ns":5000}
      {"op":"free","id":4,"time_ns":6000}
      """;

  @TempDir private Path folder;

  /** Keeps charts instead of writing them. */
  private static final class KeptCharts extends ChartFolder {
    private final Map<String, Plot> plots = new HashMap<>();
    private final Map<String, String> titles = new HashMap<>();

    KeptCharts() {
      super(null, "--report", Path.of(""), null);
    }

    @Override
    public void write(String name, int width, int height, Function<ChartTheme, JFreeChart> chart) {
      JFreeChart drawn = chart.apply(ChartTheme.LIGHT);
      plots.put(name, drawn.getPlot());
      titles.put(name, title(drawn));
    }

    private static String title(JFreeChart chart) {
      return IntStream.range(0, chart.getSubtitleCount())
          .mapToObj(chart::getSubtitle)
          .filter(TextTitle.class::isInstance)
          .map(title -> ((TextTitle) title).getText())
          .findFirst()
          .orElseThrow();
    }

    Plot plot(String name) {
      assertTrue(plots.containsKey(name), name + " among " + plots.keySet());
      return plots.get(name);
    }

    CategoryDataset bars(String name) {
      return ((CategoryPlot) plot(name)).getDataset();
    }

    /** Highest values of all datasets of a plot, in the order in which they are drawn. */
    static List<Double> peaks(XYPlot plot) {
      List<Double> peaks = new ArrayList<>();
      for (int i = 0; i < plot.getDatasetCount(); i++) {
        peaks.add(values(plot.getDataset(i)).stream().max(Double::compare).orElse(Double.NaN));
      }
      return peaks;
    }

    static List<Double> values(XYDataset dataset) {
      return dataset.getSeriesCount() == 0
          ? List.of()
          : IntStream.range(0, dataset.getItemCount(0))
              .mapToObj(item -> dataset.getYValue(0, item))
              .toList();
    }
  }

  /** The JSON of a trace, and the charts that are drawn beside it. */
  private JsonNode compare(Path trace, String policies, KeptCharts charts) throws IOException {
    Program program =
        new TraceOptions()
            .open(trace.toString(), Conditions.RECORDED.on(DeviceProfiles.defaultProfile()));
    List<ObservedRun> runs =
        new RecordedTrial(program, true).runAll(PolicyChoice.parseList(policies), (_, _) -> {});
    ComparedTrace compared = ComparedTrace.of(program, null, runs);
    CompareAnswer answer = new CompareAnswer(List.of(compared));
    new CompareCharts(
            compared,
            new MemoryTimelineChart.Bound("limit", program.recordedConditions().maxBytes()),
            runs)
        .write(charts, "");
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    JsonText.write(JsonRenderer.json(answer.document()), json);
    return new ObjectMapper().readTree(json.toByteArray()).at("/traces/0");
  }

  private Path small() throws IOException {
    return Files.writeString(folder.resolve("small.jsonl"), SMALL);
  }

  @Test
  void barsAreTheFiguresOfTheirRows() throws IOException {
    KeptCharts charts = new KeptCharts();
    JsonNode rows =
        compare(small(), "pytorch,paddle-auto-growth,direct,cub,cupy", charts).get("results");
    CategoryDataset peaks = charts.bars("peak");
    CategoryDataset driver = charts.bars("driver-time");
    CategoryDataset speed = charts.bars("throughput");
    assertEquals(5, rows.size());
    for (int number = 0; number < rows.size(); number++) {
      JsonNode row = rows.get(number);
      String label = row.get("policy").asString();
      int bar = number(peaks, label);
      List<JsonNode> parts = row.get("reserved_at_peak").valueStream().toList();
      assertEquals(parts.size(), peaks.getRowCount());
      long sum = 0;
      for (int part = 0; part < parts.size(); part++) {
        assertEquals(parts.get(part).asDouble(), peaks.getValue(part, bar).doubleValue(), 0.0);
        sum += parts.get(part).asLong();
      }
      assertEquals(row.get("peak_reserved_bytes").asLong(), sum);
      double seconds = row.get("driver_seconds").asDouble();
      double drawn =
          IntStream.range(0, driver.getRowCount())
              .mapToDouble(part -> driver.getValue(part, number(driver, label)).doubleValue())
              .sum();
      assertEquals(seconds * NANOS_PER_SECOND, drawn, 1, label);
      JsonNode calls = row.get("driver_seconds_by_call");
      assertEquals(
          seconds, calls.valueStream().mapToDouble(JsonNode::asDouble).sum(), seconds * ROUNDING);
      double rate = row.get("requests_per_second").asDouble();
      double drawnRate = speed.getValue(0, number(speed, label)).doubleValue();
      assertTrue(
          drawnRate == rate || (drawnRate < rate && drawnRate == longest(speed)),
          "whole, or cut: " + label);
    }
    List<Long> byPeak =
        IntStream.range(0, peaks.getColumnCount()).mapToObj(bar -> sum(peaks, bar)).toList();
    assertEquals(byPeak.stream().sorted().toList(), byPeak, "the least first, of all groups");
  }

  private static long sum(CategoryDataset bars, int column) {
    return IntStream.range(0, bars.getRowCount())
        .mapToLong(part -> bars.getValue(part, column).longValue())
        .sum();
  }

  /** One that fails takes little memory and time. */
  @Test
  void titlesPraiseWhoServesEveryRequest() throws IOException {
    KeptCharts charts = new KeptCharts();
    JsonNode rows = compare(small(), "pytorch,direct,rmm-fixed", charts).get("results");
    JsonNode least =
        rows.valueStream()
            .min(Comparator.comparingDouble(row -> row.get("driver_seconds").asDouble()))
            .orElseThrow();
    assertEquals("rmm-fixed", least.get("policy").asString());
    assertTrue(least.get("failed_requests").asLong() > 0);
    for (String name : List.of("peak", "driver-time", "reserved", "fragmentation")) {
      String title = charts.titles.get(name);
      assertFalse(title.contains("rmm-fixed"), title);
      assertTrue(title.contains("pytorch") || title.contains("direct"), title);
    }
  }

  private static double longest(CategoryDataset bars) {
    return IntStream.range(0, bars.getColumnCount())
        .mapToDouble(bar -> bars.getValue(0, bar).doubleValue())
        .max()
        .orElseThrow();
  }

  private static int number(CategoryDataset dataset, String label) {
    return dataset.getColumnIndex(label);
  }

  @Test
  void linesOverTimeReachThePeaksOfTheirRowsAndTheirShares() throws IOException {
    KeptCharts charts = new KeptCharts();
    JsonNode rows = compare(small(), "pytorch,cuda-async,direct,cub", charts).get("results");
    List<Double> drawn = KeptCharts.peaks((XYPlot) charts.plot("reserved"));
    List<XYPlot> shares = ((CombinedDomainXYPlot) charts.plot("fragmentation")).getSubplots();
    List<String> legend =
        IntStream.range(0, shares.size())
            .mapToObj(i ->
                ((CombinedDomainXYPlot) charts.plot("fragmentation"))
                    .getLegendItems()
                    .get(i)
                    .getLabel())
            .toList();
    int compared = 0;
    for (JsonNode row : rows) {
      assertTrue(drawn.contains(row.get("peak_reserved_bytes").asDouble()), row + ": " + drawn);
      assertEquals(row.get("peak_requested_bytes").asDouble(), drawn.getFirst(), 0.0);
      for (int i = 0; i < legend.size(); i++) {
        if (!legend.get(i).startsWith(row.get("policy").asString() + ":")) {
          continue;
        }
        long unused = row.get("slack_at_peak_bytes").asLong();
        long reserved = row.get("peak_reserved_bytes").asLong();
        assertTrue(legend.get(i).contains(Numbers.share(unused, reserved)), legend.get(i));
        double percent = PERCENT * ((double) unused / reserved);
        assertTrue(
            KeptCharts.values(shares.get(i).getDataset(0)).contains(percent),
            percent + " % is not drawn of " + legend.get(i));
        compared++;
      }
    }
    assertEquals(shares.size(), compared);
  }

  @Test
  void distributionsAreTheBinsOfTheTrace() throws IOException {
    KeptCharts charts = new KeptCharts();
    JsonNode trace = compare(small(), "pytorch", charts);
    for (String name : List.of("sizes", "lifetimes")) {
      List<XYPlot> plots = ((CombinedDomainXYPlot) charts.plot(name)).getSubplots();
      for (int i = 0; i < 2; i++) {
        String key = i == 0 ? "allocations" : "requested_bytes";
        assertEquals(
            trace.get(name).valueStream().map(bin -> bin.get(key).asDouble()).toList(),
            KeptCharts.values(plots.get(i).getDataset()),
            name + ": " + key);
      }
    }
  }

  @Test
  void theMapAtThePeakHasTheBytesOfItsParts() throws IOException {
    KeptCharts charts = new KeptCharts();
    JsonNode parts =
        compare(small(), "pytorch", charts).get("results").get(0).get("reserved_at_peak");
    XYPlot map = (XYPlot) charts.plot("segments-peak-pytorch");
    List<String> legend =
        IntStream.range(0, map.getLegendItems().getItemCount())
            .mapToObj(item -> map.getLegendItems().get(item).getLabel())
            .toList();
    long allocated = parts.get("requested_bytes").asLong() + parts.get("rounding_bytes").asLong();
    assertTrue(legend.contains("allocated: " + ByteFormat.human(allocated)), legend.toString());
    long free =
        List.of("inactive_split_bytes", "releasable_bytes", "other_streams_bytes").stream()
            .mapToLong(key -> parts.get(key).asLong())
            .sum();
    assertTrue(
        legend.stream().anyMatch(label -> label.endsWith(": " + ByteFormat.human(free))),
        ByteFormat.human(free) + " is free: " + legend);
  }

  @Test
  void theGpuIsAsBusyAsTheRowSays() throws IOException {
    Path trace = folder.resolve("mlp.jsonl");
    assertEquals(0, CommandRun.of("generate", "mlp", "-o", trace).exitCode());
    KeptCharts charts = new KeptCharts();
    JsonNode row = compare(trace, "pytorch", charts).get("results").get(0);
    XYPlot plot = (XYPlot) charts.plot("utilisation");
    String[] ratios = {"gpu_utilization_ratio", "gpu_to_device_ratio"};
    for (int i = 0; i < ratios.length; i++) {
      XYDataset steps = plot.getDataset(i);
      double busySeconds = 0;
      for (int step = 0; step < steps.getItemCount(0); step += 2) {
        double width = steps.getXValue(0, step + 1) - steps.getXValue(0, step);
        busySeconds += width * steps.getYValue(0, step) / PERCENT;
      }
      double expected = row.get(ratios[i]).asDouble() * row.get("simulated_seconds").asDouble();
      assertTrue(expected > 0, ratios[i]);
      assertEquals(expected, busySeconds, expected * ROUNDING, ratios[i]);
    }
  }

  @Test
  void pointsOfPredictedAgainstMeasuredAreThoseOfTheCases() {
    ValidateAnswer report = ValidateReportTest.report();
    JsonNode cases =
        new ObjectMapper().valueToTree(JsonRenderer.json(report.document())).get("cases");
    XYPlot plot = ValidateCharts.PEAK_MEMORY.draw(report, ChartTheme.LIGHT).getXYPlot();
    XYDataset points = plot.getDataset(plot.getDatasetCount() - 1);
    List<String> drawn = new ArrayList<>();
    for (int series = 0; series < points.getSeriesCount(); series++) {
      for (int point = 0; point < points.getItemCount(series); point++) {
        drawn.add(
            (long) points.getYValue(series, point) + " " + (long) points.getXValue(series, point));
      }
    }
    assertEquals(
        cases
            .valueStream()
            .map(each ->
                each.get("predicted_peak_bytes").asLong()
                    + " "
                    + each.get("measured_peak_bytes").asLong())
            .sorted()
            .toList(),
        drawn.stream().sorted().toList());
  }
}
