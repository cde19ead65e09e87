package org.allocsim.reports.answer.replay;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.compare.CompareCharts;
import org.allocsim.reports.answer.part.SegmentFinding;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.FigureStyle;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.chart.memory.EventClock;
import org.allocsim.reports.chart.memory.FragmentationChart;
import org.allocsim.reports.chart.memory.FragmentationData;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.chart.memory.MemoryTimelineChart.Phase;
import org.allocsim.reports.chart.memory.SegmentMapChart;
import org.allocsim.reports.chart.memory.SegmentMapChart.Palette;
import org.allocsim.reports.chart.memory.SegmentMapData;
import org.allocsim.reports.chart.memory.UtilisationChart;
import org.allocsim.reports.chart.memory.UtilisationData;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;
import org.allocsim.simulator.timing.Step;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.jfree.chart.JFreeChart;

/**
 * The charts of a replay.
 *
 * @param answer what came of it
 */
public record ReplayPictures(ReplayAnswer answer) {
  private static final int MAX_STACKS = 6;
  private static final double[] AGES = {0.01, 0.1, 0.5, 0.9};

  /** The chart of memory over time, where wanted by event. */
  public JFreeChart memory(ChartTheme theme, boolean isByEvent) {
    MemoryTimelineChart.Bound bound =
        answer.hasLimit()
            ? new MemoryTimelineChart.Bound(
                "limit", answer.program().recordedConditions().limitBytes())
            : new MemoryTimelineChart.Bound("device memory", answer.deviceBytes());
    return MemoryTimelineChart.create(
        finding(),
        subtitle(),
        overTime().memory(),
        new MemoryTimelineChart.Context(bound, answer.neededBytes(), phases(), isByEvent),
        theme);
  }

  /** The verdict as a title. */
  private String finding() {
    String sentence = Objects.requireNonNull(answer.document().verdict()).sentence().toString();
    return sentence.substring(0, sentence.length() - 1);
  }

  private String subtitle() {
    return Path.of(answer.program().name()).getFileName()
        + ", "
        + answer.policyLabel()
        + ", "
        + answer.program().recordedConditions().profile().name()
        + ", addresses "
        + answer.addresses();
  }

  private ObservedRun observed() {
    return answer.run().observed();
  }

  private ObservedRun.OverTime overTime() {
    return observed().overTime().orElseThrow();
  }

  private AllocationTrace trace() {
    return answer.program().input().trace();
  }

  private int device() {
    return answer.program().input().device();
  }

  /** The outermost phases of the program. */
  public List<Phase> phases() {
    AllocationTrace trace = trace();
    List<Phase> phases = new ArrayList<>();
    TimeResult time = answer.result().time();
    if (time != null) {
      EventClock events = new EventClock(overTime().memory());
      for (Step step : time.steps()) {
        phases.add(
            new Phase(
                trace.markerName(step.marker()),
                step.beginNanos(),
                step.endNanos(),
                Math.round(events.eventAt(step.beginNanos())),
                Math.round(events.eventAt(step.endNanos()))));
      }
      return phases;
    }
    int depth = 0;
    long event = -1;
    String name = "";
    long beginNanos = 0;
    long beginEvent = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device()) {
        continue;
      }
      event++;
      if (trace.kind(row) == RequestKind.MARKER_BEGIN) {
        if (depth++ == 0) {
          name = trace.markerNameOf(row);
          beginNanos = trace.timeNanos(row);
          beginEvent = event;
        }
      } else if (trace.kind(row) == RequestKind.MARKER_END && depth > 0 && --depth == 0) {
        phases.add(new Phase(name, beginNanos, trace.timeNanos(row), beginEvent, event));
      }
    }
    return phases;
  }

  /** Writes all charts. */
  public void write(ChartFolder folder) throws IOException {
    FigureStyle figure = folder.figure();
    boolean isByEvent = figure != null && figure.isByEvent();
    folder.write(
        "memory",
        MemoryTimelineChart.WIDTH,
        MemoryTimelineChart.HEIGHT,
        theme -> memory(theme, isByEvent));
    FragmentationData shares =
        new FragmentationData()
            .byEvent(isByEvent)
            .add("reserved, not in any block in use", overTime().fragmentation(), Share.UNUSED)
            .add("lost to rounding in blocks in use", overTime().fragmentation(), Share.ROUNDING);
    folder.write(
        "fragmentation",
        FragmentationChart.WIDTH,
        FragmentationChart.height(shares),
        theme -> FragmentationChart.create(unusedAtPeak(), subtitle(), shares, theme));
    for (ObservedRun.Moment moment : observed().moments()) {
      writeMaps(folder, moment);
    }
    CompareCharts.write(folder, "sizes", subtitle(), Histogram.ofSizes(trace(), device()));
    CompareCharts.write(folder, "lifetimes", subtitle(), Histogram.ofLifetimes(trace(), device()));
    if (answer.result().time() != null && trace().workCount() > 0) {
      EventClock events = isByEvent ? new EventClock(overTime().memory()) : null;
      UtilisationData busy = new UtilisationData(answer.result().time(), events);
      folder.write(
          "utilisation",
          UtilisationChart.WIDTH,
          UtilisationChart.HEIGHT,
          theme -> UtilisationChart.create(subtitle(), busy, theme));
    }
  }

  private String unusedAtPeak() {
    RunResult.Moment peak = answer.result().atPeak();
    return Numbers.share(peak.externalBytes(), peak.reservedBytes())
        + " of reserved memory is not in use at its peak";
  }

  private void writeMaps(ChartFolder folder, ObservedRun.Moment moment) throws IOException {
    MemoryLayout layout = moment.layout();
    map(folder, moment, "", SegmentMapData.byState(layout), Palette.STATE);
    Origins origins = Origins.of(trace(), device());
    if (isTimed()) {
      map(folder, moment, "-age", byAge(moment, origins), Palette.SEQUENTIAL);
    }
    if (origins.hasStacks()) {
      map(folder, moment, "-stack", byStack(layout, origins), Palette.DISTINCT);
    }
  }

  private void map(
      ChartFolder folder,
      ObservedRun.Moment moment,
      String suffix,
      SegmentMapData data,
      Palette palette)
      throws IOException {
    String name =
        switch (moment.kind()) {
          case FIRST_OOM -> "oom";
          case PEAK -> "peak";
          case END -> "end";
        };
    MomentQuery.Kind kind =
        switch (moment.kind()) {
          case FIRST_OOM -> MomentQuery.Kind.FIRST_OOM;
          case PEAK -> MomentQuery.Kind.PEAK_RESERVED;
          case END -> MomentQuery.Kind.END;
        };
    if (moment.kind() == ObservedRun.Kind.FIRST_OOM) {
      data.ask(answer.result().failures().getFirst().requestedBytes());
    }
    folder.write(
        "segments-" + name + suffix,
        SegmentMapChart.WIDTH,
        SegmentMapChart.height(data),
        theme ->
            SegmentMapChart.create(
                SegmentFinding.of(moment.layout(), kind.phrase()),
                subtitle(),
                data,
                palette,
                theme));
  }

  private boolean isTimed() {
    int rows = trace().eventCount();
    return rows > 0 && trace().timeNanos(rows - 1) > trace().timeNanos(0);
  }

  /** Classes by age, relative to the time that the program has run for. */
  private SegmentMapData byAge(ObservedRun.Moment moment, Origins origins) {
    long startNanos = trace().timeNanos(0);
    long nowNanos = trace().timeNanos(Math.max(0, moment.row()));
    long elapsedNanos = Math.max(1, nowNanos - startNanos);
    List<String> classes = new ArrayList<>();
    for (double age : AGES) {
      classes.add("younger than " + Numbers.duration(Math.round(age * elapsedNanos)));
    }
    classes.add("older");
    MemoryLayout layout = moment.layout();
    IntUnaryOperator age =
        block -> {
          int allocation = layout.allocation(block);
          double share =
              allocation < 0
                  ? 1
                  : (double) (nowNanos - origins.timeNanos(allocation)) / elapsedNanos;
          int place = 0;
          while (place < AGES.length && share >= AGES[place]) {
            place++;
          }
          return place;
        };
    return SegmentMapData.of(layout, classes, age);
  }

  /** The stacks that hold the most, and all others. */
  private static SegmentMapData byStack(MemoryLayout layout, Origins origins) {
    StackLabels labels = new StackLabels(origins.stackTable(), 1);
    Map<String, Long> held = new HashMap<>();
    String[] ofBlock = new String[layout.blockCount()];
    for (int block = 0; block < ofBlock.length; block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED && layout.allocation(block) >= 0) {
        String label = labels.label(origins.stack(layout.allocation(block)));
        ofBlock[block] = label;
        held.merge(label, layout.blockBytes(block), Long::sum);
      }
    }
    List<String> largest =
        held.entrySet().stream()
            .filter(entry -> !entry.getKey().isEmpty())
            .sorted(
                Comparator.comparingLong((Map.Entry<String, Long> entry) -> -entry.getValue())
                    .thenComparing(Map.Entry::getKey))
            .limit(MAX_STACKS)
            .map(Map.Entry::getKey)
            .toList();
    List<String> classes = new ArrayList<>(largest);
    classes.add("other stacks, or none recorded");
    return SegmentMapData.of(
        layout,
        classes,
        block -> {
          int place = ofBlock[block] == null ? -1 : largest.indexOf(ofBlock[block]);
          return place < 0 ? largest.size() : place;
        });
  }
}
