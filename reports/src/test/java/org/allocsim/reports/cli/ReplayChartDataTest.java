package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.replay.ReplayAnswer;
import org.allocsim.reports.answer.replay.ReplayPictures;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.cli.diagnose.ReplayCommand;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.Layer;
import org.jfree.data.xy.XYDataset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The chart of memory over time draws what the JSON of its replay says, to the last digit. */
class ReplayChartDataTest {
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final Path CAT_GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final double NANOS_PER_SECOND = 1e9;

  /** A bound further above all memory than this factor is named rather than drawn. */
  private static final double FARTHEST_BOUND = 3;

  /** What each dataset of the plot shows, from back to front; the failed requests are last. */
  private static final List<String> DATASETS =
      List.of("reserved", "reserved", "active", "allocated", "allocated", "requested");

  @TempDir private Path folder;

  private record Drawn(ReplayAnswer answer, JsonNode json, JFreeChart chart) {
    static Drawn of(Object... arguments) throws IOException {
      ReplayCommand command = new ReplayCommand();
      CommandLine commandLine = new CommandLine(command);
      Converters.register(commandLine);
      commandLine.parseArgs(Stream.of(arguments).map(String::valueOf).toArray(String[]::new));
      AskedTrace trace = AskedTrace.ofName(arguments[0].toString(), null, command.conditions());
      ReplayAnswer answer = command.question().ask(new Asked(List.of(trace)));
      ByteArrayOutputStream json = new ByteArrayOutputStream();
      JsonText.write(JsonRenderer.json(answer.document()), json);
      return new Drawn(
          answer,
          new ObjectMapper().readTree(json.toByteArray()),
          new ReplayPictures(answer).memory(ChartTheme.LIGHT, false));
    }

    XYPlot plot() {
      return chart.getXYPlot();
    }

    long stat(String name) {
      return json.get("stats").get(name).asLong();
    }

    /** Bytes that a line bounds memory with. */
    JsonNode bound() {
      JsonNode limit = json.get("limit_bytes");
      return limit.isNull() ? json.get("device_bytes") : limit;
    }
  }

  static List<List<Object>> replays() {
    return List.of(
        List.of(SAMPLE, "--memory-fraction=0.05"),
        List.of(SAMPLE, "--memory-limit=3GiB", "--conf=expandable_segments:True"),
        List.of(SAMPLE, "--policy=cuda-async"),
        List.of(CAT_GROWTH, "--capacity=1GiB"),
        List.of(CAT_GROWTH, "--capacity=1GiB", "--policy=bfc"),
        List.of(CAT_GROWTH, "--capacity=1GiB", "--after-oom=stop"),
        List.of(CommandRun.recording("device_oom.pickle.xz")),
        List.of(CommandRun.recording("prefetch_streams.pickle.xz")),
        List.of(CommandRun.recording("cuda_graph.pickle.xz")));
  }

  private static List<Double> values(XYDataset dataset) {
    return dataset.getSeriesCount() == 0
        ? List.of()
        : IntStream.range(0, dataset.getItemCount(0))
            .mapToObj(item -> dataset.getYValue(0, item))
            .toList();
  }

  @ParameterizedTest
  @MethodSource("replays")
  void linesReachThePeaksAndEndWithTheLastValuesOfTheCounters(List<Object> arguments)
      throws IOException {
    Drawn drawn = Drawn.of(arguments.toArray());
    assertEquals(DATASETS.size() + 1, drawn.plot().getDatasetCount());
    for (int i = 0; i < DATASETS.size(); i++) {
      List<Double> values = values(drawn.plot().getDataset(i));
      String counter = DATASETS.get(i) + "_bytes.all.";
      double peak = values.stream().max(Double::compare).orElseThrow();
      assertEquals(drawn.stat(counter + "peak"), peak, 0.0, counter);
      assertEquals(drawn.stat(counter + "current"), values.getLast(), 0.0, counter);
    }
  }

  @ParameterizedTest
  @MethodSource("replays")
  void linesAcrossAreTheLimitAndTheLowerBound(List<Object> arguments) throws IOException {
    Drawn drawn = Drawn.of(arguments.toArray());
    long lowerBound = drawn.json().get("lower_bound_bytes").asLong();
    long bound = drawn.bound().asLong();
    long peak = lowerBound;
    for (String counter : DATASETS) {
      peak = Math.max(peak, drawn.stat(counter + "_bytes.all.peak"));
    }
    Set<Double> expected = new TreeSet<>(Set.of((double) lowerBound));
    if (bound <= FARTHEST_BOUND * peak) {
      expected.add((double) bound);
    } else {
      String words = " of " + ByteFormat.human(bound) + " is far above";
      assertTrue(
          IntStream.range(0, drawn.chart().getSubtitleCount())
              .mapToObj(drawn.chart()::getSubtitle)
              .anyMatch(title -> title instanceof TextTitle text && text.getText().endsWith(words)),
          words);
    }
    Collection<?> markers = drawn.plot().getRangeMarkers(Layer.FOREGROUND);
    Set<Double> lines = new TreeSet<>();
    markers.forEach(marker -> lines.add(((ValueMarker) marker).getValue()));
    assertEquals(expected, lines);
  }

  @ParameterizedTest
  @MethodSource("replays")
  void crossesAreTheRequestsThatFailed(List<Object> arguments) throws IOException {
    Drawn drawn = Drawn.of(arguments.toArray());
    JsonNode ooms = drawn.json().get("failed_requests");
    long failures = drawn.stat("num_ooms");
    assertTrue(ooms.size() <= failures, "the first failures have entries");
    LegendItemCollection legend = drawn.plot().getLegendItems();
    List<String> counts = new ArrayList<>();
    for (int item = 0; item < legend.getItemCount(); item++) {
      String label = legend.get(item).getLabel();
      if (label.startsWith("out of memory")) {
        counts.add(label.substring(0, label.indexOf(':')));
      }
    }
    assertEquals(
        ooms.isEmpty()
            ? List.of()
            : List.of("out of memory (" + Numbers.count(failures, "time") + ")"),
        counts);
    XYDataset crosses = drawn.plot().getDataset(DATASETS.size());
    int count = crosses.getSeriesCount() == 0 ? 0 : crosses.getItemCount(0);
    assertEquals(ooms.isEmpty(), count == 0);
    int oom = -1;
    // Crosses in one column of pixels are drawn once, and only the first failures have entries.
    for (int cross = 0; cross < count; cross++) {
      do {
        oom++;
      } while (oom < ooms.size() && !isAt(drawn, oom, crosses, cross));
      if (oom == ooms.size()) {
        assertTrue(oom < failures && cross > 0, "cross " + cross + " is no failure of " + ooms);
        break;
      }
    }
  }

  /**
   * Whether a cross shows a failure: over what was allocated then and what it asked for, and,
   * unless the clock is simulated, at its time since the first event.
   */
  private static boolean isAt(Drawn drawn, int oom, XYDataset crosses, int cross) {
    FailedRequest failed = drawn.answer().result().failures().get(oom);
    boolean isOver =
        (double) failed.allocatedBytes() + failed.requestedBytes() == crosses.getYValue(0, cross);
    if (drawn.answer().time() != null) {
      return isOver;
    }
    int row = drawn.answer().result().failures().get(oom).row();
    long nanos =
        drawn.answer().run().program().input().trace().timeNanos(row)
            - drawn.answer().run().observed().overTime().orElseThrow().memory().startNanos(0);
    return isOver && nanos / NANOS_PER_SECOND == crosses.getXValue(0, cross);
  }

  @Test
  void phasesOfAProgramInTimeAreItsSteps() throws IOException {
    Path trace = folder.resolve("mlp.jsonl");
    assertEquals(0, CommandRun.of("generate", "mlp", "-o", trace).exitCode());
    Drawn drawn = Drawn.of(trace);
    List<MemoryTimelineChart.Phase> phases = new ReplayPictures(drawn.answer()).phases();
    JsonNode steps = drawn.json().get("time").get("steps");
    assertTrue(phases.size() > 1, steps.toString());
    assertEquals(steps.size(), phases.size());
    for (int i = 0; i < phases.size(); i++) {
      MemoryTimelineChart.Phase phase = phases.get(i);
      JsonNode step = steps.get(i);
      assertEquals(step.get("name").asString(), phase.name());
      assertEquals(step.get("begin_seconds").asDouble(), phase.beginNanos() / NANOS_PER_SECOND);
      assertEquals(
          step.get("seconds").asDouble(),
          (phase.endNanos() - phase.beginNanos()) / NANOS_PER_SECOND);
    }
    linesReachThePeaksAndEndWithTheLastValuesOfTheCounters(List.of(trace));
    linesAcrossAreTheLimitAndTheLowerBound(List.of(trace));
    crossesAreTheRequestsThatFailed(List.of(trace));
  }
}
