package org.allocsim.reports.answer.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.reports.answer.compare.CompareCharts;
import org.allocsim.reports.chart.comparison.Histogram;
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
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;
import org.allocsim.simulator.timing.Steps;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Everything that the charts of a replay show beside what its report has.
 *
 * @param trace the requests
 * @param fragmentation useless shares of reserved memory over time
 * @param moments segments and blocks at some moments
 * @param simulatedClock whether the replay's times are simulated rather than those of the trace
 */
public record ReplayPictures(
    AllocationTrace trace,
    FragmentationTimeline fragmentation,
    List<Moment> moments,
    boolean simulatedClock) {
  private static final int MAX_STACKS = 6;
  private static final double[] AGES = {0.01, 0.1, 0.5, 0.9};

  /**
   * Segments and blocks at a moment.
   *
   * @param name for files
   * @param phrase for people, after a statement
   * @param row row of the trace after which the moment lies
   */
  record Moment(String name, String phrase, int row, MemoryLayout layout) {}

  /** Keeps its own copy. */
  public ReplayPictures {
    moments = List.copyOf(moments);
  }

  /** What the chart of memory over time shows beside memory. */
  public MemoryTimelineChart.Context context(ReplayReport report, MemoryTimelineChart.Bound bound) {
    return new MemoryTimelineChart.Context(
        bound, neededBytes(report.deviceIndex()), phases(report));
  }

  /** What the program holds at its peak on a device, requests that fail included. */
  long neededBytes(int deviceIndex) {
    return Demand.of(trace, deviceIndex, AllocatorConfig.DEFAULT).peakRequestedBytes();
  }

  /** The outermost phases of the program. */
  private List<Phase> phases(ReplayReport report) {
    List<Phase> phases = new ArrayList<>();
    if (simulatedClock && report.time() != null) {
      TimeResult time = report.time().result();
      Steps steps = time.steps();
      for (int step = 0; step < steps.count(); step++) {
        phases.add(
            new Phase(
                trace.markerName(steps.marker(step)),
                steps.beginNanos(step),
                steps.endNanos(step),
                0,
                0));
      }
      return phases;
    }
    int depth = 0;
    long event = -1;
    String name = "";
    long beginNanos = 0;
    long beginEvent = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != report.deviceIndex()) {
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

  /** Writes all charts but that of memory over time. */
  public void write(ReplayReport report, String subtitle, ChartFolder folder) throws IOException {
    FragmentationData shares =
        new FragmentationData()
            .add("reserved, in no block in use", fragmentation, Share.UNUSED)
            .add("lost to rounding in blocks in use", fragmentation, Share.ROUNDING);
    folder.write(
        "fragmentation",
        FragmentationChart.WIDTH,
        FragmentationChart.height(shares),
        theme -> FragmentationChart.create("Fragmentation over time", subtitle, shares, theme));
    for (Moment moment : moments) {
      writeMaps(report, subtitle, folder, moment);
    }
    CompareCharts.write(
        folder,
        "sizes",
        "Sizes of allocations",
        subtitle,
        Histogram.ofSizes(trace, report.deviceIndex()));
    CompareCharts.write(
        folder,
        "lifetimes",
        "Lifetimes of allocations",
        subtitle,
        Histogram.ofLifetimes(trace, report.deviceIndex()));
    if (report.time() != null && trace.workCount() > 0) {
      UtilisationData busy = new UtilisationData(report.time().result());
      folder.write(
          "utilisation",
          UtilisationChart.WIDTH,
          UtilisationChart.HEIGHT,
          theme -> UtilisationChart.create("How busy the GPU is", subtitle, busy, theme));
    }
  }

  private void writeMaps(ReplayReport report, String subtitle, ChartFolder folder, Moment moment)
      throws IOException {
    MemoryLayout layout = moment.layout();
    map(folder, moment, "", subtitle, SegmentMapData.byState(layout), Palette.STATE);
    Origins origins = Origins.of(trace, report.deviceIndex());
    if (isTimed()) {
      map(folder, moment, "-age", subtitle, byAge(moment, origins), Palette.SEQUENTIAL);
    }
    if (origins.hasStacks()) {
      map(folder, moment, "-stack", subtitle, byStack(layout, origins), Palette.DISTINCT);
    }
  }

  private static void map(
      ChartFolder folder,
      Moment moment,
      String suffix,
      String subtitle,
      SegmentMapData data,
      Palette palette)
      throws IOException {
    folder.write(
        "segments-" + moment.name() + suffix,
        SegmentMapChart.WIDTH,
        SegmentMapChart.height(data),
        theme ->
            SegmentMapChart.create(
                "Segments and blocks " + moment.phrase(), subtitle, data, palette, theme));
  }

  private boolean isTimed() {
    int rows = trace.eventCount();
    return rows > 0 && trace.timeNanos(rows - 1) > trace.timeNanos(0);
  }

  /** Classes by age, relative to the time that the program has run for. */
  private SegmentMapData byAge(Moment moment, Origins origins) {
    long startNanos = trace.timeNanos(0);
    long nowNanos = trace.timeNanos(Math.max(0, moment.row()));
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
