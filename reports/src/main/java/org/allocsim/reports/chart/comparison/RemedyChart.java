package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.List;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.jfree.chart.JFreeChart;

/** Reserved memory of a program with different remedies, and what they cost, as lying bars. */
public final class RemedyChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  /** Width in pixels of charts for telephones. */
  public static final int NARROW_WIDTH = BarChart.NARROW_WIDTH;

  private RemedyChart() {}

  /** A chart without rows. */
  public static BarData data() {
    return new BarData("reserved");
  }

  /**
   * Appends a row.
   *
   * @param remark what it costs, or nothing
   */
  public static void add(BarData data, String label, String remark, long reservedBytes) {
    data.add(label, remark, reservedBytes);
  }

  /** Height in pixels that gives every row its room. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /**
   * Draws the chart.
   *
   * @param limit the memory that there is
   * @param width in pixels
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      BarData data,
      MemoryTimelineChart.Bound limit,
      ChartTheme theme,
      int width) {
    List<Color> colours = List.of(theme.either(0x0072B2, 0x1F86C4));
    return BarChart.create(
        title,
        subtitle,
        "reserved memory at its peak",
        BarUnit.BYTES,
        data,
        colours,
        limit,
        theme,
        width);
  }
}
