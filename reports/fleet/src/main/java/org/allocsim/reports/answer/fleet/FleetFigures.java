package org.allocsim.reports.answer.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.fleet.ChoiceTally;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.FleetChoice;
import org.allocsim.analysis.fleet.GpuTally;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.FleetChart;
import org.allocsim.reports.document.Figure;
import org.allocsim.reports.output.ChartFolder;
import org.jfree.chart.JFreeChart;

/** The charts of a fleet report. */
final class FleetFigures {
  private static final int MAX_BARS = 20;

  private final FleetAnalysis analysis;

  FleetFigures(FleetAnalysis analysis) {
    this.analysis = analysis;
  }

  /**
   * A chart.
   *
   * @param name of its file
   * @param quantity what its bars count
   */
  private record Chart(String name, String title, String quantity, BarData data) {
    JFreeChart draw(ChartTheme theme, int width) {
      return FleetChart.create(title, "", quantity, data, theme, width);
    }
  }

  /** All of them for a page, in their order, without those that would be empty. */
  List<Figure> all() {
    return charts().stream()
        .map(chart ->
            PageChart.of(
                chart.title(),
                ChartSize.screen(FleetChart.WIDTH, FleetChart.height(chart.data())),
                ChartSize.screen(FleetChart.NARROW_WIDTH, FleetChart.height(chart.data())),
                chart::draw))
        .toList();
  }

  /** Draws them into a folder. */
  void draw(ChartFolder folder) throws IOException {
    for (Chart chart : charts()) {
      folder.write(
          chart.name(),
          FleetChart.WIDTH,
          FleetChart.height(chart.data()),
          theme -> chart.draw(theme, FleetChart.WIDTH));
    }
  }

  private List<Chart> charts() {
    List<Chart> charts = new ArrayList<>();
    List<Map.Entry<FleetChoice, ChoiceTally>> changing =
        analysis.choices().stream()
            .filter(entry -> entry.getValue().saved() + entry.getValue().broken() > 0)
            .limit(MAX_BARS)
            .toList();
    if (!changing.isEmpty()) {
      charts.add(new Chart("failures-saved", savedFailures(), "failures", savedFailures(changing)));
    }
    charts.add(new Chart("savings", fullestClass(), "traces", savings()));
    charts.add(new Chart("gpus", smallestGpu(), "traces", frontier()));
    return charts;
  }

  /** The setting that saves the most failures, or that none does. */
  private String savedFailures() {
    Map.Entry<FleetChoice, ChoiceTally> best =
        Collections.max(
            analysis.choices(), Comparator.comparingLong(entry -> entry.getValue().saved()));
    long saved = best.getValue().saved();
    return saved == 0
        ? "No setting prevents a failure; some break runs"
        : best.getKey().label() + " prevents the most failures: " + Numbers.count(saved);
  }

  /** What most traces could do with. */
  private String fullestClass() {
    List<SavingClass> classes = SavingClass.of(analysis);
    SavingClass fullest = Collections.max(classes, Comparator.comparingLong(SavingClass::traces));
    long all = classes.stream().mapToLong(SavingClass::traces).sum();
    return all == 0
        ? "No trace runs with any setting"
        : Numbers.count(fullest.traces())
            + " of "
            + Numbers.count(all, "trace")
            + " could run with "
            + fullest.label()
            + " reserved memory";
  }

  /** The smallest GPU that serves all traces as they were recorded. */
  private String smallestGpu() {
    return analysis.gpus().entrySet().stream()
        .filter(entry -> entry.getValue().servedByBaseline() == entry.getValue().traces())
        .min(Comparator.comparingLong(entry -> entry.getKey().capacityBytes()))
        .map(entry ->
            entry.getKey().label() + " is the smallest GPU that serves all traces as recorded")
        .orElse("No GPU serves all traces as recorded");
  }

  private static BarData savedFailures(List<Map.Entry<FleetChoice, ChoiceTally>> choices) {
    BarData data = new BarData("failures prevented", "runs broken");
    choices.forEach(entry -> {
      long broken = entry.getValue().broken();
      data.add(
          entry.getKey().label(),
          broken == 0 ? "" : "in all, " + Numbers.count(broken) + " broken",
          entry.getValue().saved(),
          broken);
    });
    return data;
  }

  private BarData savings() {
    BarData data = new BarData("traces");
    SavingClass.of(analysis).forEach(each -> data.add(each.label(), "", each.traces()));
    return data;
  }

  private BarData frontier() {
    BarData data =
        new BarData(
            "as recorded",
            "also with the one best setting",
            "also with its own setting",
            "by none");
    analysis.gpus().forEach((gpu, tally) -> data.add(gpu.label(), "", parts(tally)));
    return data;
  }

  private double[] parts(GpuTally tally) {
    long recorded = tally.servedByBaseline();
    long byBest = Math.max(recorded, analysis.bestSettingOn(tally).map(tally::servedBy).orElse(0L));
    long byOwn = Math.max(byBest, tally.servedBySetting());
    return new double[] {
      recorded, (double) byBest - recorded, (double) byOwn - byBest, (double) tally.traces() - byOwn
    };
  }
}
