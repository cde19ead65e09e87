package org.allocsim.reports.answer.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.SegmentFinding;
import org.allocsim.reports.chart.FigureStyle;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.DistributionChart;
import org.allocsim.reports.chart.comparison.DriverTimeChart;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.chart.comparison.PeakChart;
import org.allocsim.reports.chart.comparison.ThroughputChart;
import org.allocsim.reports.chart.memory.EventClock;
import org.allocsim.reports.chart.memory.FragmentationChart;
import org.allocsim.reports.chart.memory.FragmentationData;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.chart.memory.OverlayChart;
import org.allocsim.reports.chart.memory.OverlayData;
import org.allocsim.reports.chart.memory.SegmentMapChart;
import org.allocsim.reports.chart.memory.SegmentMapChart.Palette;
import org.allocsim.reports.chart.memory.SegmentMapData;
import org.allocsim.reports.chart.memory.UtilisationChart;
import org.allocsim.reports.chart.memory.UtilisationData;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;
import org.allocsim.simulator.timing.TimeResult;
import org.jspecify.annotations.Nullable;

/** Draws what policies made of one trace. */
public final class CompareCharts {
  private final ComparedTrace compared;
  private final String file;
  private final MemoryTimelineChart.Bound limit;
  private final List<ObservedRun> ranked;
  private final List<ObservedRun> key;
  private final List<ObservedRun> closest;
  private @Nullable FigureStyle figure;

  /**
   * Charts of runs in any order.
   *
   * @param limit what allocators can have at most
   */
  public CompareCharts(
      ComparedTrace compared, MemoryTimelineChart.Bound limit, List<ObservedRun> observed) {
    this.compared = compared;
    this.limit = limit;
    file = String.valueOf(Path.of(compared.file()).getFileName());
    ranked =
        observed.stream()
            .filter(each -> each.result().isRun())
            .sorted(Comparator.comparing(ObservedRun::result, ComparedTrace.RANK))
            .toList();
    KeyRuns runs = KeyRuns.of(ranked.stream().map(ObservedRun::result).toList(), compared.conf());
    key = of(runs.runs());
    closest = of(runs.closest());
  }

  private List<ObservedRun> of(List<RunResult> results) {
    List<ObservedRun> observed = new ArrayList<>();
    for (RunResult result : results) {
      ranked.stream()
          .filter(each -> each.result().choice().equals(result.choice()))
          .findFirst()
          .ifPresent(observed::add);
    }
    return observed;
  }

  /** Writes all of them, under names that begin with {@code prefix}. */
  public void write(ChartFolder folder, String prefix) throws IOException {
    figure = folder.figure();
    writeOverTime(folder, prefix);
    writeBars(folder, prefix);
    writeDistributions(folder, prefix, compared, file);
    for (ObservedRun each : closest) {
      writeMaps(folder, prefix, each);
    }
    if (closest.isEmpty()) {
      return;
    }
    RunResult result = closest.getLast().result();
    TimeResult time = result.time();
    if (time != null && compared.trace().workCount() > 0) {
      EventClock events = isByEvent() ? new EventClock(overTime(closest.getLast()).memory()) : null;
      UtilisationData busy = new UtilisationData(time, events);
      folder.write(
          prefix + "utilisation",
          UtilisationChart.WIDTH,
          UtilisationChart.HEIGHT,
          theme -> UtilisationChart.create(file + ", " + label(result), busy, theme));
    }
  }

  private void writeOverTime(ChartFolder folder, String prefix) throws IOException {
    List<ObservedRun> others = ranked.stream().filter(each -> !key.contains(each)).toList();
    OverlayData overlay =
        OverlayData.of(
            key.stream().map(this::line).toList(),
            others.stream().map(this::line).toList(),
            OverlayChart.PLOT_COLUMNS,
            isByEvent());
    folder.write(
        prefix + "reserved",
        OverlayChart.WIDTH,
        OverlayChart.HEIGHT,
        theme -> OverlayChart.create(minReserved(), file, overlay, limit, theme));
    FragmentationData unused = new FragmentationData().byEvent(isByEvent());
    for (ObservedRun each : key) {
      RunResult result = each.result();
      String atPeak =
          Numbers.share(result.atPeak().externalBytes(), result.atPeak().reservedBytes());
      unused.add(
          name(result) + ": " + atPeak + " at the reserved peak",
          overTime(each).fragmentation(),
          Share.UNUSED);
    }
    folder.write(
        prefix + "fragmentation",
        FragmentationChart.WIDTH,
        FragmentationChart.height(unused),
        theme -> FragmentationChart.create(minUnused(), file, unused, theme));
  }

  private void writeBars(ChartFolder folder, String prefix) throws IOException {
    BarData peaks = peaks();
    folder.write(
        prefix + "peak",
        PeakChart.WIDTH,
        PeakChart.height(peaks),
        theme ->
            PeakChart.create(
                "Reserved memory at its peak: " + firstOfTable(),
                file + ", each policy at its own peak",
                peaks,
                limit,
                theme));
    BarData driver = driverTime();
    folder.write(
        prefix + "driver-time",
        DriverTimeChart.WIDTH,
        DriverTimeChart.height(driver),
        theme ->
            DriverTimeChart.create(
                "Time in driver calls" + minDriverTime(),
                file + ", modelled, over the whole program",
                driver,
                theme));
    BarData throughput = throughput();
    folder.write(
        prefix + "throughput",
        ThroughputChart.WIDTH,
        ThroughputChart.height(throughput),
        theme ->
            ThroughputChart.create(
                "Simulation speed of each policy",
                file
                    + ", one run each on this machine, with tracing for this report; use 'allocsim"
                    + " bench' to measure speed",
                throughput,
                theme));
  }

  /** Which of the runs that stand out reserves the least at its peak. */
  private String minReserved() {
    return serving(key)
        .min(Comparator.comparingLong(RunResult::peakReservedBytes))
        .map(least ->
            "Reserved memory over time: "
                + shownName(least)
                + (key.size() == 1 ? " needs " : " needs the least, ")
                + ByteFormat.human(least.peakReservedBytes())
                + (key.size() == 1 ? " at most" : " at its peak")
                + condition(key))
        .orElse("Reserved memory over time");
  }

  private String minUnused() {
    return serving(key)
        .min(Comparator.comparingDouble(CompareCharts::unusedShare))
        .map(least ->
            shownName(least)
                + (key.size() == 1 ? " leaves " : " leaves the least reserved memory unused, ")
                + Numbers.share(least.atPeak().externalBytes(), least.atPeak().reservedBytes())
                + (key.size() == 1 ? " of reserved memory unused at its peak" : " at its peak")
                + condition(key))
        .orElse("Unused fraction of reserved memory");
  }

  private static double unusedShare(RunResult result) {
    return (double) result.atPeak().externalBytes() / Math.max(1, result.atPeak().reservedBytes());
  }

  private String firstOfTable() {
    return allocators(ranked)
        .findFirst()
        .map(first ->
            first.passes()
                ? shownName(first) + " is best with " + ByteFormat.human(first.peakReservedBytes())
                : "every allocator has failed requests")
        .orElse("no allocator was run");
  }

  private String minDriverTime() {
    return serving(ranked)
        .min(Comparator.comparingLong(RunResult::driverNanos))
        .map(least ->
            ": "
                + shownName(least)
                + " spends the least, "
                + Numbers.duration(least.driverNanos())
                + condition(ranked))
        .orElse("");
  }

  /** Of several allocators those that serve every request: one that fails takes little. */
  private static Stream<RunResult> serving(List<ObservedRun> runs) {
    return allocators(runs).filter(result -> runs.size() == 1 || result.passes());
  }

  /** Says that others fail, whose bars may be shorter. */
  private static String condition(List<ObservedRun> runs) {
    return serving(runs).count() < allocators(runs).count() ? ", among those without failures" : "";
  }

  private static Stream<RunResult> allocators(List<ObservedRun> runs) {
    return runs.stream().map(ObservedRun::result).filter(KeyRuns::isAllocator);
  }

  /** Segments and blocks at the moments that matter. */
  private void writeMaps(ChartFolder folder, String prefix, ObservedRun run) throws IOException {
    String label = label(run.result());
    for (ObservedRun.Moment moment : run.moments()) {
      SegmentMapData data = SegmentMapData.byState(moment.layout());
      if (moment.kind() == ObservedRun.Kind.FIRST_OOM) {
        data.ask(run.result().failures().getFirst().requestedBytes());
      }
      String name =
          switch (moment.kind()) {
            case FIRST_OOM -> "oom";
            case PEAK -> "peak";
            case END -> "end";
          };
      String phrase =
          switch (moment.kind()) {
            case FIRST_OOM -> "at the first failed request";
            case PEAK -> "at the reserved peak";
            case END -> "at the end";
          };
      folder.write(
          prefix + "segments-" + name + "-" + ChartFolder.nameOf(label),
          SegmentMapChart.WIDTH,
          SegmentMapChart.height(data),
          theme ->
              SegmentMapChart.create(
                  SegmentFinding.of(moment.layout(), phrase),
                  file + ", " + label,
                  data,
                  Palette.STATE,
                  theme));
    }
  }

  /** Sizes and lifetimes of the allocations of a trace. */
  private static void writeDistributions(
      ChartFolder folder, String prefix, ComparedTrace compared, String subtitle)
      throws IOException {
    write(
        folder, prefix + "sizes", subtitle, Histogram.ofSizes(compared.trace(), compared.device()));
    write(
        folder,
        prefix + "lifetimes",
        subtitle,
        Histogram.ofLifetimes(compared.trace(), compared.device()));
  }

  public static void write(ChartFolder folder, String name, String subtitle, Histogram histogram)
      throws IOException {
    folder.write(
        name,
        DistributionChart.WIDTH,
        DistributionChart.HEIGHT,
        theme -> DistributionChart.create(histogram.finding(), subtitle, histogram, theme));
  }

  private OverlayData.Policy line(ObservedRun run) {
    return new OverlayData.Policy(name(run.result()), overTime(run).memory());
  }

  /** Charts are drawn only of what was observed for them. */
  private static ObservedRun.OverTime overTime(ObservedRun run) {
    return run.overTime().orElseThrow();
  }

  /** The label, and whether it is that of the program's own setting. */
  private String name(RunResult result) {
    return label(result) + (KeyRuns.isUnder(result, compared.conf()) ? " (as recorded)" : "");
  }

  /** The name under which a figure shows it: titles say it, too. */
  private String shownName(RunResult result) {
    return figure == null ? name(result) : figure.nameOf(name(result));
  }

  private boolean isByEvent() {
    return figure != null && figure.isByEvent();
  }

  private static String label(RunResult result) {
    return result.choice().label();
  }

  private BarData peaks() {
    BarData data = PeakChart.data();
    for (ObservedRun each : ranked) {
      RunResult result = each.result();
      long failures = result.failureCount();
      PeakChart.add(
          data,
          name(result),
          failures == 0 ? "" : "out of memory " + Numbers.count(failures, "time"),
          each.parts().orElseThrow());
      emphasise(data, each);
    }
    return data;
  }

  private BarData driverTime() {
    BarData data = DriverTimeChart.data();
    for (ObservedRun each : ranked) {
      RunResult result = each.result();
      DriverTimeChart.add(
          data, name(result), result.driverNanosByKind(), CompareAnswer.waitNanos(result));
      emphasise(data, each);
    }
    return data;
  }

  private BarData throughput() {
    BarData data = ThroughputChart.data();
    for (ObservedRun each : ranked) {
      double rate = each.result().eventsPerSecond();
      data.add(name(each.result()), "", Double.isFinite(rate) && rate > 0 ? rate : 0);
      emphasise(data, each);
    }
    return data;
  }

  private void emphasise(BarData data, ObservedRun run) {
    if (key.contains(run)) {
      data.emphasise();
    }
  }
}
