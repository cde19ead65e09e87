package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.List;
import org.allocsim.analysis.moment.ReservedParts;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.jfree.chart.JFreeChart;

/**
 * Peak of reserved memory by policy, and what it was made of at that moment: what the program asked
 * for, and the parts of what it did not.
 */
public final class PeakChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  private PeakChart() {}

  /** A chart without rows. */
  public static BarData data() {
    return new BarData(
        "requested",
        "rounding",
        "waiting to be freed on another stream",
        "free in segments in use (stuck)",
        "wholly free segments (releasable)",
        "free, of other streams",
        "free, of private pools",
        "reserved ahead of need");
  }

  /**
   * Appends a row.
   *
   * @param remark what stands after its sum, or nothing
   */
  public static void add(BarData data, String label, String remark, ReservedParts parts) {
    data.add(
        label,
        remark,
        parts.requestedBytes(),
        parts.roundingBytes(),
        parts.awaitingBytes(),
        parts.stuckBytes(),
        parts.releasableBytes(),
        parts.otherStreamsBytes(),
        parts.privatePoolsBytes(),
        parts.inAdvanceBytes());
  }

  /** Height in pixels. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /**
   * Draws the chart.
   *
   * @param bound what no policy can exceed, or null
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      BarData data,
      MemoryTimelineChart.Bound bound,
      ChartTheme theme) {
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
            ChartStyle.GREEN,
            theme.either(0xB4BAC1, 0x6A727B)),
        bound,
        theme);
  }
}
