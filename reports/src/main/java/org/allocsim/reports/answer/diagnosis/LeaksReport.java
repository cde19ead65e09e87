package org.allocsim.reports.answer.diagnosis;

import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.allocsim.analysis.leak.Forecast;
import org.allocsim.analysis.leak.Growth;
import org.allocsim.analysis.leak.IterationSeries;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.Trend;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.reports.answer.part.RecordingMaps;
import org.allocsim.reports.chart.memory.LeakTrendChart;
import org.allocsim.reports.input.Addresses;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.source.OpenedTrace;

/** What {@code leaks} found. */
public record LeaksReport(
    OpenedTrace input,
    int deviceIndex,
    Addresses addresses,
    PyTorchVersion torchVersion,
    LeakAnalysis analysis,
    Optional<Forecast> forecast,
    Optional<Forecast> pressure) {
  /** The results as JSON. */
  public Map<String, Object> toMap() {
    Map<String, Object> trace = new LinkedHashMap<>();
    trace.put("file", input.name());
    trace.put("sha256", input.sha256());
    trace.put("events", events());
    trace.put("torch_settings", RecordingMaps.settings(input));
    trace.put("notes", input.notes());
    trace.put("inferences", RecordingMaps.inferences(inferences()));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", trace);
    map.put("device_index", deviceIndex);
    map.put("torch_version", torchVersion.id());
    map.put("addresses", addresses.toString());
    map.put("verdict", analysis.verdict().name());
    map.put("sentence", LeakSentence.of(this));
    map.put("iterations", iterations());
    map.put("trends", trends());
    map.put("forecast", forecast.map(LeaksReport::forecast).orElse(null));
    map.put("reserved_forecast", pressure.map(LeaksReport::forecast).orElse(null));
    map.put("growth", growth());
    map.put("series", series());
    return map;
  }

  /** The name as it was given. */
  String file() {
    return input.name();
  }

  /** Entries of the recorded history, or rows of the trace where there is none. */
  long events() {
    return input
        .recording()
        .map(recording -> (long) recording.effects(deviceIndex).count())
        .orElseGet(() ->
            IntStream.range(0, input.trace().eventCount())
                .filter(row -> input.trace().device(row) == deviceIndex)
                .count());
  }

  /** What the history does not say and was inferred. */
  List<Inference> inferences() {
    return input.recording().map(each -> each.inferences(deviceIndex)).orElse(List.of());
  }

  private Map<String, Object> iterations() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("count", analysis.iterations().count());
    map.put("source", analysis.iterations().source().name().toLowerCase(Locale.ROOT));
    map.put("name", analysis.iterations().name());
    map.put("warm_up", analysis.warmUp());
    return map;
  }

  private Map<String, Object> trends() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("live_floor", trend(analysis.floor()));
    map.put("kept", analysis.kept().map(LeaksReport::trend).orElse(null));
    map.put("reserved", trend(analysis.reserved()));
    map.put("reserved_beyond_peak", trend(analysis.excess()));
    return map;
  }

  private static Map<String, Object> trend(Trend trend) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("first_iteration", trend.first());
    map.put("bytes_per_iteration", trend.slope());
    map.put("lower", trend.lower());
    map.put("upper", trend.upper());
    map.put("confidence", trend.confidence());
    map.put("grows", trend.grows());
    map.put("comes_back", trend.comesBack());
    map.put("level_from", trend.stopped() < 0 ? null : trend.stopped());
    return map;
  }

  private static Map<String, Object> forecast(Forecast forecast) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("capacity_bytes", forecast.capacityBytes());
    map.put("now_bytes", forecast.nowBytes());
    map.put("full_at_iteration", orNull(forecast.expected()));
    map.put("earliest", orNull(forecast.earliest()));
    map.put("latest", orNull(forecast.latest()));
    return map;
  }

  private static Long orNull(long iteration) {
    return iteration == Forecast.NEVER ? null : iteration;
  }

  private Map<String, Object> growth() {
    Growth growth = analysis.growth();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("from_iteration", growth.from());
    map.put("to_iteration", growth.to());
    map.put("bytes", growth.bytes());
    map.put("by_size", groups(growth.bySize(), "requested_bytes"));
    map.put("by_size_range", groups(growth.byRange(), "requested_up_to_bytes"));
    map.put("by_stack", groups(growth.byStack(), "stack"));
    return map;
  }

  private List<Object> groups(List<Growth.Group> groups, String key) {
    List<Object> list = new ArrayList<>();
    for (Growth.Group group : groups) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put(key, key.equals("stack") ? label((int) group.key()) : group.key());
      map.put("blocks", group.blocks());
      map.put("bytes", group.bytes());
      map.put("iterations", group.iterations());
      list.add(map);
    }
    return list;
  }

  /** A stack in a line; empty where none was recorded. */
  String label(int stack) {
    return new StackLabels(input.trace().stacks(), StackLabels.DEFAULT_FRAMES).label(stack);
  }

  private Map<String, Object> series() {
    IterationSeries series = analysis.series();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("live_floor_bytes", list(series.floorBytes()));
    map.put("live_floor_requested_bytes", list(series.floorRequestedBytes()));
    map.put("kept_bytes", list(series.keptBytes()));
    map.put("live_peak_bytes", list(series.peakBytes()));
    map.put("reserved_bytes", list(series.reservedBytes()));
    map.put("reserved_beyond_peak_bytes", list(series.excessBytes()));
    return map;
  }

  private static List<Object> list(long[] values) {
    List<Object> list = new ArrayList<>();
    for (long value : values) {
      list.add(value);
    }
    return list;
  }

  /** Writes every iteration as a row. */
  public void writeCsv(OutputStream out) {
    Map<String, Object> columns = series();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int iteration = 0; iteration < analysis.series().count(); iteration++) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("iteration", iteration);
      for (Map.Entry<String, Object> column : columns.entrySet()) {
        row.put(column.getKey(), ((List<?>) column.getValue()).get(iteration));
      }
      rows.add(row);
    }
    List<String> headings = new ArrayList<>(List.of("iteration"));
    headings.addAll(columns.keySet());
    CsvText.write(headings, rows, out);
  }

  /** First line of the chart. */
  public String title() {
    return analysis.verdict() + ": " + LeakSentence.headline(this);
  }

  /** Second line of the chart. */
  public String subtitle() {
    return Path.of(file()).getFileName()
        + ", "
        + analysis.iterations().count()
        + " iterations by "
        + LeakSentence.source(analysis.iterations());
  }

  /** What the chart shows. */
  public LeakTrendChart.Data chartData() {
    IterationSeries series = analysis.series();
    Trend trend = analysis.floor();
    return new LeakTrendChart.Data(
        series.floorBytes(),
        series.peakBytes(),
        series.reservedBytes(),
        analysis.warmUp(),
        trend.slope(),
        trend.lower(),
        trend.upper(),
        trend.confidence());
  }
}
