package org.allocsim.reports.answer.fleet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.fleet.ChoiceTally;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.FleetChoice;
import org.allocsim.analysis.fleet.GpuTally;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.FleetChart;
import org.allocsim.reports.document.Figure;

/** The charts of a fleet report. */
final class FleetFigures {
  private static final int MAX_BARS = 20;

  private final FleetAnalysis analysis;

  FleetFigures(FleetAnalysis analysis) {
    this.analysis = analysis;
  }

  /** All of them in their order, without those that would be empty. */
  List<Figure> all() {
    List<Figure> figures = new ArrayList<>();
    List<Map.Entry<FleetChoice, ChoiceTally>> changing =
        analysis.choices().stream()
            .filter(entry -> entry.getValue().saved() + entry.getValue().broken() > 0)
            .limit(MAX_BARS)
            .toList();
    if (!changing.isEmpty()) {
      figures.add(draw("Failures that settings save", "failures", savedFailures(changing)));
    }
    figures.add(
        draw("Traces by what their best setting saves of reserved memory", "traces", savings()));
    figures.add(draw("Traces that each GPU serves", "traces", frontier()));
    return figures;
  }

  private static BarData savedFailures(List<Map.Entry<FleetChoice, ChoiceTally>> choices) {
    BarData data = new BarData("failures saved", "runs broken");
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
            "also under the one best setting",
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

  private static Figure draw(String title, String quantity, BarData data) {
    return new Figure(
        title,
        svg(title, quantity, data, ChartTheme.LIGHT),
        svg(title, quantity, data, ChartTheme.DARK));
  }

  private static String svg(String title, String quantity, BarData data, ChartTheme theme) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      ChartFile.SVG.write(
          FleetChart.create(title, "", quantity, data, theme),
          FleetChart.WIDTH,
          FleetChart.height(data),
          bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
