package org.allocsim.reports.chart;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DriverCall;
import org.jfree.chart.JFreeChart;

/** Time that a program loses in calls of the driver, by policy and kind of call. */
public final class DriverTimeChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  private static final int KINDS = DriverCall.values().length;

  private DriverTimeChart() {}

  /** A chart without rows; their values are nanoseconds. */
  public static BarData data() {
    String[] parts = new String[KINDS + 1];
    for (DriverCall call : DriverCall.values()) {
      parts[call.ordinal()] = name(call);
    }
    parts[KINDS] = "waiting for the GPU";
    return new BarData(parts);
  }

  /**
   * Appends a row.
   *
   * @param nanos time in calls of each kind
   * @param waitNanos time that the allocator waits for the GPU to finish
   */
  public static void add(BarData data, String label, Map<DriverCall, Long> nanos, long waitNanos) {
    double[] values = new double[KINDS + 1];
    nanos.forEach((call, time) -> values[call.ordinal()] = time);
    values[KINDS] = waitNanos;
    data.add(label, "", values);
  }

  /** What the driver calls a call. */
  public static String name(DriverCall call) {
    return switch (call) {
      case ALLOCATE -> "cuMemAlloc";
      case FREE -> "cuMemFree";
      case ADDRESS_RESERVE -> "cuMemAddressReserve";
      case ADDRESS_FREE -> "cuMemAddressFree";
      case CREATE -> "cuMemCreate";
      case MAP -> "cuMemMap";
      case SET_ACCESS -> "cuMemSetAccess";
      case UNMAP -> "cuMemUnmap";
      case RELEASE -> "cuMemRelease";
      case ALLOCATE_ASYNC -> "cuMemAllocAsync";
      case FREE_ASYNC -> "cuMemFreeAsync";
      case TRIM_POOL -> "cuMemPoolTrimTo";
    };
  }

  /** Height in pixels. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /** Draws the chart. */
  public static JFreeChart create(String title, String subtitle, BarData data, ChartTheme theme) {
    List<Color> colours = new ArrayList<>();
    int next = 0;
    for (int part = 0; part < data.parts().size(); part++) {
      // Kinds that do not occur take no colour away from those that do.
      colours.add(data.has(part) ? colour(next++, theme) : theme.series(0));
    }
    return BarChart.create(
        title, subtitle, "time in the driver", BarUnit.NANOS, data, colours, theme);
  }

  /** The colours of series, then more of them before they repeat. */
  private static Color colour(int index, ChartTheme theme) {
    return switch (index) {
      case 7 -> new Color(0x8A, 0x8F, 0x96);
      case 8 -> theme.either(0x7F4F24, 0xB98A5B);
      case 9 -> theme.either(0x4B0082, 0x9C7BD8);
      default -> theme.series(index);
    };
  }
}
