package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.advice.PolicyPortrait;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.advice.SlackSplit;
import org.allocsim.reports.chart.BarData;
import org.allocsim.reports.chart.DistributionChart;
import org.allocsim.reports.chart.DriverTimeChart;
import org.allocsim.reports.chart.FragmentationChart;
import org.allocsim.reports.chart.FragmentationData;
import org.allocsim.reports.chart.Histogram;
import org.allocsim.reports.chart.MemoryTimelineChart;
import org.allocsim.reports.chart.OverlayChart;
import org.allocsim.reports.chart.OverlayData;
import org.allocsim.reports.chart.PeakChart;
import org.allocsim.reports.chart.ThroughputChart;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;
import org.allocsim.simulator.timing.HostActivity;

/** Draws what policies made of one trace. */
final class CompareCharts {
  private static final double MILLION = 1e6;

  /** PyTorch's own allocator comes first among the lines, under so many settings at most. */
  private static final int MOST_OF_PYTORCH = 4;

  private final TraceInput input;
  private final long limitBytes;
  private final List<PolicyPortrait> ranked;

  /** Charts of portraits in the order of the table. */
  CompareCharts(TraceInput input, long limitBytes, List<PolicyPortrait> ranked) {
    this.input = input;
    this.limitBytes = limitBytes;
    this.ranked = ranked.stream().filter(each -> each.result().isRun()).toList();
  }

  /** Writes all of them, under names that begin with {@code prefix}. */
  void write(ChartFolder folder, String prefix) throws IOException {
    String file = String.valueOf(Path.of(input.name()).getFileName());
    List<PolicyPortrait> lines = overlaid();
    String some =
        lines.size() == ranked.size()
            ? file
            : file
                + ": "
                + lines.size()
                + " of "
                + ranked.size()
                + " policies; compare.csv has the others";
    OverlayData overlay =
        OverlayData.of(
            lines.stream()
                .map(each -> new OverlayData.Policy(label(each.result()), each.timeline()))
                .toList(),
            OverlayChart.PLOT_COLUMNS);
    MemoryTimelineChart.Bound bound =
        limitBytes < 0 ? null : new MemoryTimelineChart.Bound("limit", limitBytes);
    folder.write(
        prefix + "reserved",
        OverlayChart.WIDTH,
        OverlayChart.HEIGHT,
        theme -> OverlayChart.create("Reserved memory over time", some, overlay, bound, theme));
    FragmentationData unused = new FragmentationData();
    lines.forEach(each -> unused.add(label(each.result()), each.fragmentation(), Share.UNUSED));
    folder.write(
        prefix + "fragmentation",
        FragmentationChart.WIDTH,
        FragmentationChart.height(unused),
        theme ->
            FragmentationChart.create(
                "Reserved and in no block in use, over time", some, unused, theme));
    BarData peaks = peaks();
    folder.write(
        prefix + "peak",
        PeakChart.WIDTH,
        PeakChart.height(peaks),
        theme -> PeakChart.create("Where reserved memory goes at its peak", file, peaks, theme));
    BarData driver = driverTime();
    folder.write(
        prefix + "driver-time",
        DriverTimeChart.WIDTH,
        DriverTimeChart.height(driver),
        theme ->
            DriverTimeChart.create(
                "Time lost in calls of the driver",
                file + ", modelled, in the whole program",
                driver,
                theme));
    BarData throughput = throughput();
    folder.write(
        prefix + "throughput",
        ThroughputChart.WIDTH,
        ThroughputChart.height(throughput),
        theme ->
            ThroughputChart.create(
                "How fast each policy is simulated",
                file + ", on this machine, policies side by side",
                throughput,
                theme));
    writeDistributions(folder, prefix, input, file);
  }

  /** Sizes and lifetimes of the allocations of a trace. */
  static void writeDistributions(
      ChartFolder folder, String prefix, TraceInput input, String subtitle) throws IOException {
    write(
        folder,
        prefix + "sizes",
        "Sizes of allocations",
        subtitle,
        Histogram.ofSizes(input.trace(), input.device()));
    write(
        folder,
        prefix + "lifetimes",
        "Lifetimes of allocations",
        subtitle,
        Histogram.ofLifetimes(input.trace(), input.device()));
  }

  static void write(
      ChartFolder folder, String name, String title, String subtitle, Histogram histogram)
      throws IOException {
    folder.write(
        name,
        DistributionChart.WIDTH,
        DistributionChart.HEIGHT,
        theme -> DistributionChart.create(title, subtitle, histogram, theme));
  }

  private static String label(PolicyResult result) {
    return result.choice().label();
  }

  /** PyTorch's allocator, then the best of the others; bounds are no allocators. */
  private List<PolicyPortrait> overlaid() {
    List<PolicyPortrait> lines = new ArrayList<>();
    for (PolicyPortrait each : ranked) {
      if (isPyTorch(each) && lines.size() < MOST_OF_PYTORCH) {
        lines.add(each);
      }
    }
    for (PolicyPortrait each : ranked) {
      boolean online = each.result().choice().provider().spec().kind() == PolicySpec.Kind.ONLINE;
      if (online && !isPyTorch(each) && lines.size() < OverlayChart.MOST_LINES) {
        lines.add(each);
      }
    }
    return lines.isEmpty()
        ? ranked.subList(0, Math.min(OverlayChart.MOST_LINES, ranked.size()))
        : lines;
  }

  private static boolean isPyTorch(PolicyPortrait portrait) {
    return portrait.result().choice().provider().spec().id().equals(Scenario.PYTORCH);
  }

  /** One row for each policy; its parts come to the peak of reserved memory. */
  BarData peaks() {
    BarData data = PeakChart.data();
    for (PolicyPortrait each : ranked) {
      PolicyResult result = each.result();
      PolicyResult.Moment moment = result.atPeak();
      SlackSplit slack = each.slackAtPeak();
      long requested = Math.min(moment.requestedBytes(), moment.allocatedBytes());
      long rounding = moment.allocatedBytes() - requested;
      long awaiting = moment.activeBytes() - moment.allocatedBytes();
      // A few policies show no free blocks; what is left of their slack cannot be released.
      long rest =
          moment.externalBytes()
              - slack.releasableBytes()
              - slack.otherReleasableBytes()
              - slack.otherStuckBytes()
              - slack.privateBytes();
      data.add(
          label(result),
          result.failureCount() == 0
              ? ""
              : "out of memory " + Numbers.count(result.failureCount(), "time"),
          requested,
          Math.max(0, rounding),
          Math.max(0, awaiting),
          Math.max(0, rest),
          slack.releasableBytes(),
          slack.otherReleasableBytes() + slack.otherStuckBytes(),
          slack.privateBytes());
    }
    return data;
  }

  private BarData driverTime() {
    BarData data = DriverTimeChart.data();
    for (PolicyPortrait each : ranked) {
      PolicyResult result = each.result();
      long waitNanos =
          result.time() == null
              ? 0
              : result.time().activities().getOrDefault(HostActivity.ALLOCATOR_WAIT, 0L);
      DriverTimeChart.add(data, label(result), each.driverNanos(), waitNanos);
    }
    return data;
  }

  private BarData throughput() {
    BarData data = ThroughputChart.data();
    for (PolicyPortrait each : ranked) {
      double rate = each.result().eventsPerSecond() / MILLION;
      data.add(label(each.result()), "", Double.isFinite(rate) ? rate : 0);
    }
    return data;
  }
}
