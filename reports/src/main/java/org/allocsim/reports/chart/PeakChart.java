package org.allocsim.reports.chart;

import java.awt.Color;
import java.util.List;
import org.jfree.chart.JFreeChart;

/**
 * Peak of reserved memory by policy, and what it was made of at that moment: what the program asked
 * for, and the parts of what it did not.
 */
public final class PeakChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  private PeakChart() {}

  /** A chart without rows; their values are bytes. */
  public static BarData data() {
    return new BarData(
        "requested",
        "rounding",
        "awaiting free on another stream",
        "free beside blocks in use (stuck)",
        "free as a whole (releasable)",
        "free, of other streams",
        "free, of private pools");
  }

  /** Height in pixels. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /** Draws the chart. */
  public static JFreeChart create(String title, String subtitle, BarData data, ChartTheme theme) {
    Color requested = theme.either(0x0072B2, 0x1F86C4);
    return BarChart.create(
        title,
        subtitle,
        "reserved memory at its peak",
        BarUnit.BYTES,
        data,
        List.of(
            requested,
            ChartStyle.ORANGE,
            ChartStyle.YELLOW,
            ChartStyle.VERMILLION,
            theme.either(0x9AD1F0, 0x8CCBEE),
            ChartStyle.PURPLE,
            ChartStyle.GREEN),
        theme);
  }
}
