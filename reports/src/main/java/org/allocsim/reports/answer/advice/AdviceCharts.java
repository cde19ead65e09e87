package org.allocsim.reports.answer.advice;

import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.PurposeChart;
import org.allocsim.reports.chart.comparison.RemedyChart;
import org.allocsim.reports.chart.memory.BeforeAfterChart;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.document.Block;
import org.jfree.chart.JFreeChart;

/** The drawings of an answer: all runs as bars, and the program before and after the changes. */
public final class AdviceCharts {
  /** What the unchanged program is called. */
  public static final String BEFORE = "unchanged";

  /** What the changed program is called. */
  public static final String AFTER = "changed";

  /** Less of a bar cannot be seen; the table has it. */
  private static final double VISIBLE_RATIO = 0.001;

  private final AdviseAnswer answer;
  private final List<BeforeAfterChart.Course> courses;

  AdviceCharts(AdviseAnswer answer, List<BeforeAfterChart.Course> courses) {
    this.answer = answer;
    this.courses = List.copyOf(courses);
  }

  /**
   * A drawing.
   *
   * @param name of its file
   * @param caption what it shows, for those who do not see it
   * @param width in pixels on ordinary screens
   * @param narrowWidth in pixels on telephones
   * @param height in pixels on ordinary screens
   * @param narrowHeight in pixels on telephones
   */
  public record Drawing(
      String name,
      String caption,
      int width,
      int height,
      int narrowWidth,
      int narrowHeight,
      PageChart.Drawing drawing) {
    Block onPage() {
      return PageChart.of(
          caption,
          ChartSize.screen(width, height),
          ChartSize.screen(narrowWidth, narrowHeight),
          drawing);
    }

    /** The chart at its usual width. */
    public JFreeChart chart(ChartTheme theme) {
      return drawing.draw(theme, width);
    }
  }

  /** All runs, and what they cost. */
  public Drawing runs() {
    return new Drawing(
        "remedies",
        "Peak of reserved memory of each run",
        RemedyChart.WIDTH,
        RemedyChart.height(answer.bars(false)),
        RemedyChart.NARROW_WIDTH,
        RemedyChart.height(answer.bars(false)),
        (theme, width) ->
            RemedyChart.create(
                "Peak of reserved memory, by change",
                answer.trials().program() + "; bold: fits " + answer.goalName(),
                answer.bars(width > RemedyChart.NARROW_WIDTH),
                limit(),
                theme,
                width));
  }

  /** The program before and after the changes; none where one of the two was not recorded. */
  public List<Drawing> difference() {
    List<PeakDifference.Row> rows = answer.purposes();
    if (rows == null) {
      return List.of();
    }
    Drawing purposes = purposes(rows);
    return step().map(step -> List.of(step, purposes)).orElse(List.of(purposes));
  }

  private Optional<Drawing> step() {
    if (courses.size() != 2) {
      return Optional.empty();
    }
    BeforeAfterChart.Course before = courses.getFirst();
    BeforeAfterChart.Course after = courses.getLast();
    String what = before.isStep() && after.isStep() ? "the step with the peak" : "the whole run";
    return Optional.of(
        new Drawing(
            "difference",
            "Memory of " + what + ", unchanged and changed",
            BeforeAfterChart.WIDTH,
            BeforeAfterChart.HEIGHT,
            BeforeAfterChart.NARROW_WIDTH,
            BeforeAfterChart.HEIGHT,
            (theme, width) ->
                BeforeAfterChart.create(
                    "Memory of " + what + ", before and after",
                    answer.change(),
                    before,
                    after,
                    limit(),
                    theme,
                    width)));
  }

  private Drawing purposes(List<PeakDifference.Row> all) {
    long maxBytes =
        Math.max(
            all.stream().mapToLong(each -> each.before().requestedBytes()).sum(),
            all.stream().mapToLong(each -> each.after().requestedBytes()).sum());
    List<PeakDifference.Row> rows =
        all.stream()
            .filter(each ->
                Math.max(each.before().requestedBytes(), each.after().requestedBytes())
                    >= VISIBLE_RATIO * maxBytes)
            .toList();
    BarData data = new BarData(rows.stream().map(PeakDifference.Row::label).toArray(String[]::new));
    add(data, BEFORE, rows, each -> each.before().requestedBytes());
    add(data, AFTER, rows, each -> each.after().requestedBytes());
    return new Drawing(
        "purposes",
        "Requested memory at the peaks by purpose, unchanged and changed",
        PurposeChart.WIDTH,
        PurposeChart.height(data),
        PurposeChart.NARROW_WIDTH,
        PurposeChart.height(data),
        (theme, width) ->
            PurposeChart.create(
                "Memory at the peak by purpose, before and after",
                answer.change(),
                data,
                theme,
                width));
  }

  private static void add(
      BarData data,
      String label,
      List<PeakDifference.Row> rows,
      ToLongFunction<PeakDifference.Row> bytes) {
    data.add(label, "", rows.stream().mapToDouble(each -> bytes.applyAsLong(each)).toArray());
  }

  private MemoryTimelineChart.Bound limit() {
    return new MemoryTimelineChart.Bound("limit", answer.trials().goal().limitBytes());
  }
}
