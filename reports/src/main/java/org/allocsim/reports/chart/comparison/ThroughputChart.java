package org.allocsim.reports.chart.comparison;

import java.util.List;
import org.allocsim.reports.chart.ChartTheme;
import org.jfree.chart.JFreeChart;

/** How many requests a second the simulation of each policy serves. */
public final class ThroughputChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  private ThroughputChart() {}

  /** A chart without rows; their values are requests a second. */
  public static BarData data() {
    return new BarData("requests served by the simulation");
  }

  /** Height in pixels. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /** Draws the chart. */
  public static JFreeChart create(String title, String subtitle, BarData data, ChartTheme theme) {
    return BarChart.create(
        title,
        subtitle,
        "throughput of the simulation [requests/s]",
        BarUnit.PER_SECOND,
        data,
        List.of(theme.series(0)),
        null,
        theme);
  }
}
