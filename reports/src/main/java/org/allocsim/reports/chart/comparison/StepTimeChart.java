package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.List;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.QuantityScale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;

/** Lengths of steps as lying bars, each the sum of what the GPU does in it. */
public final class StepTimeChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  /** Width in pixels of charts for telephones. */
  public static final int NARROW_WIDTH = BarChart.NARROW_WIDTH;

  /** A tick of a narrow chart for so many of a broad one. */
  private static final int NARROW_TICKS = 2;

  private StepTimeChart() {}

  /** Height in pixels that gives every row its room. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /**
   * Draws the chart.
   *
   * @param data nanoseconds
   * @param colours one for each part
   * @param width in pixels
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      BarData data,
      List<Color> colours,
      ChartTheme theme,
      int width) {
    JFreeChart chart =
        BarChart.create(title, subtitle, "step", BarUnit.NANOS, data, colours, null, theme, width);
    if (width < WIDTH && chart.getCategoryPlot().getRangeAxis() instanceof NumberAxis axis) {
      // Labels of all ticks would touch each other.
      double wide = NARROW_TICKS * axis.getTickUnit().getSize();
      axis.setTickUnit(
          new NumberTickUnit(
              wide, QuantityScale.written(nanos -> nanos == 0 ? "0" : QuantityScale.time(nanos))));
    }
    return chart;
  }
}
