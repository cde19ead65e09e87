package org.allocsim.reports.chart;

import java.util.List;
import org.jfree.chart.JFreeChart;

/** Counts of traces as lying bars, such as those that a card serves. */
public final class FleetChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  private FleetChart() {}

  /** Height in pixels that gives every row its room. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /**
   * Draws the chart.
   *
   * @param quantity what is counted
   */
  public static JFreeChart create(
      String title, String subtitle, String quantity, BarData data, ChartTheme theme) {
    return BarChart.create(
        title,
        subtitle,
        quantity,
        BarUnit.COUNT,
        data,
        List.of(
            theme.either(0x0072B2, 0x1F86C4),
            theme.either(0x56B4E9, 0x8CCBEE),
            ChartStyle.ORANGE,
            ChartStyle.VERMILLION),
        null,
        theme);
  }
}
