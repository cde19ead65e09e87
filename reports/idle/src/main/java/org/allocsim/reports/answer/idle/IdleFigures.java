package org.allocsim.reports.answer.idle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.StepTime;
import org.allocsim.analysis.idle.activity.Activity;
import org.allocsim.analysis.idle.activity.PredictedLane;
import org.allocsim.analysis.idle.replay.Prediction;
import org.allocsim.analysis.idle.replay.ReplayedStep;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.StepTimeChart;
import org.allocsim.reports.chart.idle.ActivityChart;
import org.allocsim.reports.chart.idle.ActivityColours;
import org.allocsim.reports.document.Figure;
import org.allocsim.reports.output.ChartFolder;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/** The charts about one profile: a typical step, all steps, and predicted steps. */
public final class IdleFigures {
  private static final String PREDICTED = "GPU, predicted";

  private final String file;
  private final IdleAnalysis analysis;
  private final WhatIf whatIf;
  private final List<Prediction> predictions;
  private final @Nullable Prediction best;
  private final int step;

  /**
   * The charts of an answer.
   *
   * @param predictions steps under changes
   */
  public IdleFigures(IdleAnalysis analysis, WhatIf whatIf, List<Prediction> predictions) {
    this.analysis = analysis;
    this.whatIf = whatIf;
    this.predictions = List.copyOf(predictions);
    file = String.valueOf(Path.of(analysis.result().source().file()).getFileName());
    best = IdleVerdict.best(predictions, whatIf.unprofiled(), whatIf.errorNanos());
    step = Activity.typicalStep(analysis);
  }

  /** A stretch of time, and what a chart of it says. */
  private record Stretch(String title, String subtitle, Activity activity) {}

  private Stretch step(int columns) {
    StepTime time = analysis.result().steps().get(step);
    String steps =
        analysis.result().steps().size() == 1
            ? ""
            : ", the step of median length of " + analysis.result().steps().size();
    return new Stretch(
        time.name() + ": " + idle(time),
        file
            + steps
            + (best == null ? "" : "; predicted: the same step with " + best.change().name()),
        Activity.ofStep(analysis, step, columns));
  }

  private Stretch all(int columns) {
    return new Stretch(
        Numbers.count(analysis.result().steps().size(), "step")
            + ": "
            + idle(analysis.result().total()),
        file + ", all steps",
        Activity.ofAll(analysis, columns));
  }

  private static String idle(StepTime time) {
    return "the GPU is idle "
        + Numbers.share(time.idleNanos(), time.nanos())
        + " of "
        + Numbers.duration(time.nanos());
  }

  /** The step of the chart under the best change; null where none is better. */
  private @Nullable PredictedLane predicted(Activity activity) {
    if (best == null) {
      return null;
    }
    ReplayedStep replayed = whatIf.step(best.change(), step);
    return replayed.endNanos() <= replayed.beginNanos()
        ? null
        : PredictedLane.of(
            PREDICTED, replayed, activity.span().nanos() / activity.span().columns());
  }

  /** A typical step; of a profile whose steps are empty on the GPU nothing. */
  public List<Figure> ofStep() {
    return analysis.result().steps().get(step).nanos() <= 0
        ? List.of()
        : List.of(figure(step(ActivityChart.COLUMNS), step(ActivityChart.NARROW_COLUMNS), true));
  }

  /** All steps; nothing where there is one only. */
  public List<Figure> ofAll() {
    return analysis.result().steps().size() == 1
        ? List.of()
        : List.of(figure(all(ActivityChart.COLUMNS), all(ActivityChart.NARROW_COLUMNS), false));
  }

  /** Predicted steps beside the recorded one. */
  public Figure ofPredictions() {
    int height = StepTimeChart.height(bars());
    return PageChart.of(
        title(),
        ChartSize.screen(StepTimeChart.WIDTH, height),
        ChartSize.screen(StepTimeChart.NARROW_WIDTH, height),
        this::bars);
  }

  private Figure figure(Stretch broad, Stretch narrow, boolean isPredicted) {
    PredictedLane broadLane = isPredicted ? predicted(broad.activity) : null;
    PredictedLane narrowLane = isPredicted ? predicted(narrow.activity) : null;
    return PageChart.of(
        broad.title,
        ChartSize.screen(
            ActivityChart.WIDTH,
            ActivityChart.height(broad.activity, broadLane, ActivityChart.WIDTH)),
        ChartSize.screen(
            ActivityChart.NARROW_WIDTH,
            ActivityChart.height(narrow.activity, narrowLane, ActivityChart.NARROW_WIDTH)),
        (theme, width) ->
            width == ActivityChart.WIDTH
                ? draw(broad, broadLane, theme, width)
                : draw(narrow, narrowLane, theme, width));
  }

  private static JFreeChart draw(
      Stretch stretch, @Nullable PredictedLane predicted, ChartTheme theme, int width) {
    return ActivityChart.create(
        stretch.title, stretch.subtitle, stretch.activity, predicted, theme, width);
  }

  /** Draws all of them into a folder. */
  public void draw(ChartFolder folder) throws IOException {
    if (analysis.result().steps().get(step).nanos() > 0) {
      Stretch stretch = step(ActivityChart.COLUMNS);
      draw(folder, "idle-step", stretch, predicted(stretch.activity));
    }
    if (analysis.result().steps().size() > 1) {
      draw(folder, "idle-steps", all(ActivityChart.COLUMNS), null);
    }
    folder.write(
        "idle-changes",
        StepTimeChart.WIDTH,
        StepTimeChart.height(bars()),
        theme -> bars(theme, StepTimeChart.WIDTH));
  }

  private static void draw(
      ChartFolder folder, String name, Stretch stretch, @Nullable PredictedLane predicted)
      throws IOException {
    folder.write(
        name,
        ActivityChart.WIDTH,
        ActivityChart.height(stretch.activity, predicted, ActivityChart.WIDTH),
        theme -> draw(stretch, predicted, theme, ActivityChart.WIDTH));
  }

  private String title() {
    return best == null
        ? "Predicted steps: no change of the program shortens them"
        : "Predicted steps: "
            + best.change().name()
            + " takes "
            + Numbers.duration(best.stepNanos())
            + " instead of "
            + Numbers.duration(whatIf.unprofiled().stepNanos());
  }

  private BarData bars() {
    BarData data = new BarData("GPU busy", "GPU idle");
    StepTime mean = analysis.result().total().over("mean", analysis.result().steps().size());
    data.add("recorded, with the profiler", "", mean.busyNanos(), mean.nanos() - mean.busyNanos());
    add(data, "no change, without the profiler", whatIf.unprofiled());
    for (Prediction each : predictions) {
      add(data, each.change().name(), each);
      if (each.equals(best)) {
        data.emphasise();
      }
    }
    return data;
  }

  private static void add(BarData data, String name, Prediction prediction) {
    if (prediction.failures() > 0) {
      data.add(name, "out of memory", 0, 0);
      return;
    }
    data.add(
        name,
        "",
        prediction.busyNanos(),
        Math.max(0, prediction.stepNanos() - prediction.busyNanos()));
  }

  private JFreeChart bars(ChartTheme theme, int width) {
    return StepTimeChart.create(
        title(),
        file + ", mean of the steps; predictions are modelled",
        bars(),
        List.of(ActivityColours.busy(theme), ActivityColours.idle(theme)),
        theme,
        width);
  }
}
