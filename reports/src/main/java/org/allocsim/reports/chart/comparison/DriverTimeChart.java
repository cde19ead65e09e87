package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.simulator.device.cost.DriverCall;
import org.jfree.chart.JFreeChart;

/** Time that a program loses in calls of the driver, by policy and purpose of the call. */
public final class DriverTimeChart {
  /** Name of the time that an allocator waits for the GPU. */
  public static final String WAITING = "waiting for the GPU";

  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  private static final List<String> PURPOSES =
      List.of(
          "cuMemAlloc",
          "cuMemFree",
          "mapping (cuMemCreate, cuMemMap, cuMemSetAccess, …)",
          "unmapping (cuMemUnmap, cuMemRelease, …)",
          "cuMemAllocAsync",
          "cuMemFreeAsync",
          WAITING);

  private DriverTimeChart() {}

  /** A chart without rows; their values are nanoseconds. */
  public static BarData data() {
    return new BarData(PURPOSES.toArray(String[]::new));
  }

  /**
   * Appends a row.
   *
   * @param nanos time in calls of each kind
   * @param waitNanos time that the allocator waits for the GPU to finish
   */
  public static void add(BarData data, String label, Map<DriverCall, Long> nanos, long waitNanos) {
    double[] values = new double[PURPOSES.size()];
    nanos.forEach((call, time) -> values[purpose(call)] += time);
    values[PURPOSES.size() - 1] = waitNanos;
    data.add(label, "", values);
  }

  private static int purpose(DriverCall call) {
    return switch (call) {
      case ALLOCATE -> 0;
      case FREE -> 1;
      case ADDRESS_RESERVE, CREATE, MAP, SET_ACCESS -> 2;
      case UNMAP, RELEASE, ADDRESS_FREE -> 3;
      case ALLOCATE_ASYNC -> 4;
      case FREE_ASYNC, TRIM_POOL -> 5;
    };
  }

  /** Height in pixels. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /** Draws the chart. */
  public static JFreeChart create(String title, String subtitle, BarData data, ChartTheme theme) {
    List<Color> colours =
        List.of(
            theme.either(0x0072B2, 0x1F86C4),
            ChartStyle.SKY_BLUE,
            ChartStyle.GREEN,
            theme.either(0x8FD6C0, 0x0B5B45),
            ChartStyle.PURPLE,
            theme.either(0xEBCBDB, 0x7C4A66),
            ChartStyle.VERMILLION);
    return BarChart.create(
        title, subtitle, "time in the driver", BarUnit.NANOS, data, colours, null, theme);
  }
}
