package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.util.List;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;

/**
 * Memory of a GPU that processes share, over time: their contexts at the bottom, what each holds
 * beside it above, the first failed request as a cross, against the memory of the GPU.
 */
public final class SharedMemoryChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Width on telephones. */
  public static final int NARROW_WIDTH = LeakTrendChart.NARROW_WIDTH;

  /** Height in pixels. */
  public static final int HEIGHT = 560;

  /** Stretches of time that are told apart. */
  public static final int STRETCHES = 550;

  private static final double HEADROOM = 1.10;

  private SharedMemoryChart() {}

  /** Draws the chart. */
  public static JFreeChart create(
      String title, String subtitle, SharedMemoryData data, ChartTheme theme) {
    XYPlot plot = new XYPlot();
    NumberAxis time =
        MemoryTimelineChart.timeAxis(
            data.isTimed() ? TimelineData.Axis.SECONDS : TimelineData.Axis.EVENTS,
            data.endSeconds());
    plot.setDomainAxis(ChartStyle.style(time, theme));
    plot.setRangeAxis(
        ChartStyle.style(ByteAxis.upTo(data.topBytes() * HEADROOM, "memory of the GPU"), theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    List<TimelineData.Points> layers = data.layers();
    // Each layer covers the lower part of the one above it.
    for (int layer = layers.size() - 1; layer >= 0; layer--) {
      Color fill = layer == 0 ? contexts(theme) : colour(layer - 1, theme);
      PlotLayers.add(plot, nameOf(layer, data), layers.get(layer), PlotLayers.area(fill));
    }
    SharedMemoryData.Failure failure = data.failure();
    if (failure != null) {
      XYLineAndShapeRenderer cross = MemoryTimelineChart.crosses();
      cross.setSeriesPaint(0, theme.ink());
      cross.setSeriesOutlinePaint(0, theme.ink());
      double[] x = {failure.seconds()};
      double[] y = {failure.bytes()};
      PlotLayers.add(
          plot, failure.process() + " fails first", new TimelineData.Points(x, y), cross);
    }
    plot.addRangeMarker(
        MemoryTimelineChart.boundLine(
            new MemoryTimelineChart.Bound("the GPU has", data.totalBytes()),
            ChartStyle.stroke(1.2f, 1),
            theme,
            true),
        Layer.FOREGROUND);
    plot.setFixedLegendItems(legend(data, theme));
    return ChartStyle.chart(title, subtitle, plot, theme);
  }

  /** What a layer reaches up to: the names of all that lie below its upper edge. */
  private static String nameOf(int layer, SharedMemoryData data) {
    return layer == 0
        ? "contexts"
        : "contexts + " + String.join(" + ", data.names().subList(0, layer));
  }

  private static Color contexts(ChartTheme theme) {
    return theme.either(0xB4BAC1, 0x5A6169);
  }

  /** The first process is blue, the second orange; four more follow before colours come again. */
  private static Color colour(int process, ChartTheme theme) {
    return OverlayChart.colour(process < 2 ? 1 - process : process, theme);
  }

  private static LegendItemCollection legend(SharedMemoryData data, ChartTheme theme) {
    LegendItemCollection items = new LegendItemCollection();
    items.add(ChartStyle.swatch("contexts and libraries", contexts(theme)));
    for (int process = 0; process < data.names().size(); process++) {
      items.add(
          ChartStyle.swatch(
              data.names().get(process) + ": peak " + ByteFormat.human(data.peakBytes(process)),
              colour(process, theme)));
    }
    if (data.failure() != null) {
      items.add(
          MemoryTimelineChart.failures(data.failure().process() + " fails first", theme.ink()));
    }
    return items;
  }
}
