package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.List;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.jfree.chart.JFreeChart;

/** Counts of traces as lying bars, such as those that a GPU serves. */
public final class FleetChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  /** Width in pixels of charts for telephones. */
  public static final int NARROW_WIDTH = BarChart.NARROW_WIDTH;

  private FleetChart() {}

  /** Height in pixels that gives every row its room. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /**
   * Draws the chart.
   *
   * @param quantity what is counted
   * @param width in pixels
   */
  public static JFreeChart create(
      String title, String subtitle, String quantity, BarData data, ChartTheme theme, int width) {
    return BarChart.create(
        title,
        subtitle,
        quantity,
        BarUnit.COUNT,
        data,
        colours(data.parts().size(), theme),
        null,
        theme,
        width);
  }

  /** Good news in blues, bad news in red. */
  private static List<Color> colours(int parts, ChartTheme theme) {
    Color good = theme.either(0x0072B2, 0x1F86C4);
    return parts <= 2
        ? List.of(good, ChartStyle.VERMILLION)
        : List.of(good, theme.either(0x56B4E9, 0x8CCBEE), ChartStyle.GREEN, ChartStyle.VERMILLION);
  }
}
