package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.answer.gpu.ValidateAnswer;
import org.allocsim.reports.answer.gpu.ValidateCharts;
import org.allocsim.reports.answer.gpu.ValidatedCase;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.validation.gpu.AddressComparison;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.DriverTime;
import org.allocsim.validation.gpu.Exactness;
import org.allocsim.validation.gpu.HostSlowness;
import org.allocsim.validation.gpu.OomComparison;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.data.xy.XYDataset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Charts of times and peaks that were measured on a GPU have a point for each of their JSON. */
class DriverTimeChartDataTest {
  private static final Path RECORDED = Path.of("../validation/results");

  /** Names of series with their points: measured, then predicted. */
  private static final class Points extends LinkedHashMap<String, List<List<Double>>> {
    private static final long serialVersionUID = 1L;

    void add(String series, double measured, double predicted) {
      computeIfAbsent(series, _ -> new ArrayList<>()).add(List.of(measured, predicted));
    }
  }

  private static JsonNode recorded(String name) throws IOException {
    return new ObjectMapper().readTree(Files.readString(RECORDED.resolve(name)));
  }

  /** The times and peaks of a recorded run; all else is left out. */
  private static ValidateAnswer report(JsonNode recorded) {
    CudaDevice.Identity gpu =
        new CudaDevice.Identity(
            recorded.get("device").asString(),
            recorded.get("cuda_version").asInt(),
            recorded.get("device_bytes").asLong(),
            recorded.get("free_bytes_before").asLong());
    return new ValidateAnswer(
        recorded.get("date").asString(),
        recorded.get("driver").asString(),
        gpu,
        recorded.get("free_bytes_after").asLong(),
        Long.MAX_VALUE,
        false,
        recorded.get("cases").valueStream().map(DriverTimeChartDataTest::validated).toList());
  }

  private static ValidatedCase validated(JsonNode recorded) {
    JsonNode notRun = recorded.get("not_run");
    return new ValidatedCase(
        recorded.get("trace").asString(),
        recorded.get("sha256").asString(),
        PolicyChoice.parse(recorded.get("policy").asString()),
        -1,
        -1,
        recorded.get("near_limit").asBoolean(),
        notRun.isNull() ? null : notRun.asString(),
        recorded.has("driver_time") ? result(recorded) : null);
  }

  private static CaseResult result(JsonNode recorded) {
    JsonNode time = recorded.get("driver_time");
    List<DriverTime.Kind> calls = new ArrayList<>();
    time.get("calls")
        .forEachEntry((call, of) ->
            calls.add(
                new DriverTime.Kind(
                    DriverCall.valueOf(call.toUpperCase(Locale.ROOT)),
                    of.get("predicted_calls").asLong(),
                    of.get("measured_calls").asLong(),
                    of.get("predicted_nanos").asLong(),
                    of.get("measured_nanos").asLong())));
    Exactness none = new Exactness(0, 0, 0, 0);
    return new CaseResult(
        recorded.get("profile").asString(),
        recorded.get("free_bytes_at_start").asLong(),
        false,
        recorded.get("capacity_bytes").asLong(),
        0,
        0,
        0,
        0,
        null,
        0,
        false,
        none,
        none,
        none,
        new AddressComparison(0, 0, 0, 0, 0, Double.NaN),
        recorded.get("predicted_peak_bytes").asLong(),
        recorded.get("measured_peak_bytes").asLong(),
        new OomComparison(-1, -1, 0, 0, true),
        new DriverTime(
            calls,
            new HostSlowness(1, 1, 1),
            time.get("predicted_nanos").asLong(),
            time.get("predicted_nanos").asLong(),
            time.get("measured_nanos").asLong(),
            time.get("ratio_low").asDouble(Double.NaN),
            time.get("ratio_high").asDouble(Double.NaN)));
  }

  private static Points drawn(XYPlot plot) {
    XYDataset dataset = plot.getDataset(plot.getDatasetCount() - 1);
    Points points = new Points();
    for (int series = 0; series < dataset.getSeriesCount(); series++) {
      for (int point = 0; point < dataset.getItemCount(series); point++) {
        points.add(
            String.valueOf(dataset.getSeriesKey(series)),
            dataset.getXValue(series, point),
            dataset.getYValue(series, point));
      }
    }
    return points;
  }

  /** A logarithmic axis has no 0: it stands at the edge, below all else. */
  private static Map<String, List<List<Double>>> atTheEdge(Points points, XYPlot plot) {
    if (!(plot.getDomainAxis() instanceof LogAxis)) {
      return points;
    }
    double edge =
        drawn(plot).values().stream()
            .flatMap(List::stream)
            .flatMap(List::stream)
            .mapToDouble(Double::doubleValue)
            .min()
            .orElseThrow();
    double lowest =
        points.values().stream()
            .flatMap(List::stream)
            .flatMap(List::stream)
            .mapToDouble(Double::doubleValue)
            .filter(value -> value > 0)
            .min()
            .orElseThrow();
    assertTrue(edge <= lowest, edge + " is at the edge, below " + lowest);
    Points shown = new Points();
    points.forEach((series, pairs) ->
        pairs.forEach(
            pair -> shown.add(series, Math.max(edge, pair.get(0)), Math.max(edge, pair.get(1)))));
    return shown;
  }

  @ParameterizedTest
  @ValueSource(strings = {"h200-plain.json", "h200-near-limits-1.json", "h200-gmlake.json"})
  void pointsAreTheTimesInTheDriverAndThePeaks(String name) throws IOException {
    JsonNode recorded = recorded(name);
    ValidateAnswer report = report(recorded);
    JsonNode cases =
        new ObjectMapper().valueToTree(JsonRenderer.json(report.document())).get("cases");
    Points times = new Points();
    for (DriverCall call : DriverCall.values()) {
      for (JsonNode each : cases) {
        JsonNode of = time(each).path(call.name().toLowerCase(Locale.ROOT));
        double measured = of.path("measured_nanos").asDouble(0);
        double predicted = of.path("predicted_nanos").asDouble(0);
        if (measured > 0 || predicted > 0) {
          times.add(call.function(), measured, predicted);
        }
      }
    }
    Points peaks = new Points();
    for (int i = 0; i < cases.size(); i++) {
      JsonNode each = cases.get(i);
      assertEquals(
          time(recorded.get("cases").get(i)).toString(),
          time(each).toString(),
          "written as it was read");
      if (each.has("measured_peak_bytes")) {
        peaks.add(
            PolicyChoice.parse(each.get("policy").asString()).provider().spec().id(),
            each.get("measured_peak_bytes").asDouble(),
            each.get("predicted_peak_bytes").asDouble());
      }
    }
    assertDrawn(times, ValidateCharts.DRIVER_TIME, report);
    assertDrawn(peaks, ValidateCharts.PEAK_MEMORY, report);
  }

  private static JsonNode time(JsonNode validated) {
    return validated.path("driver_time").path("calls");
  }

  private static void assertDrawn(Points expected, ValidateCharts chart, ValidateAnswer report) {
    XYPlot plot = chart.draw(report, ChartTheme.LIGHT).getXYPlot();
    assertTrue(expected.values().stream().mapToInt(List::size).sum() > 4, chart + ": " + expected);
    assertEquals(atTheEdge(expected, plot), drawn(plot));
  }
}
