package org.allocsim.reports.chart;

import java.awt.Color;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYAreaRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;

/**
 * Reserved memory of several policies over time, above what the program asks for. Lines differ in
 * colour and in their dashes.
 */
public final class OverlayChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 680;

  /** Width of the plot without axis labels and margins, a little more than it ever is. */
  public static final int PLOT_COLUMNS = 1100;

  /** More lines than this cannot be told apart. */
  public static final int MOST_LINES = 6;

  private static final double HEADROOM = 1.10;
  private static final double FARTHEST_BOUND = 3;

  private OverlayChart() {}

  /**
   * Draws the chart.
   *
   * @param bound what memory cannot exceed, or null
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      OverlayData data,
      MemoryTimelineChart.Bound bound,
      ChartTheme theme) {
    double top = data.topBytes();
    boolean boundShown = bound != null && bound.bytes() <= FARTHEST_BOUND * top;
    if (boundShown) {
      top = Math.max(top, bound.bytes());
    }
    XYPlot plot = new XYPlot();
    plot.setDomainAxis(
        ChartStyle.style(MemoryTimelineChart.timeAxis(data.axis(), data.end()), theme));
    plot.setRangeAxis(
        ChartStyle.style(
            ByteAxis.upTo(top > 0 ? top * HEADROOM : 1 << 20, "reserved memory"), theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    XYAreaRenderer area = new XYAreaRenderer(XYAreaRenderer.AREA);
    area.setSeriesPaint(0, requestedFill(theme));
    area.setOutline(false);
    add(plot, data.requested(), area);
    for (int index : backToFront(data.lines())) {
      XYLineAndShapeRenderer line = new XYLineAndShapeRenderer(true, false);
      line.setDrawSeriesLineAsPath(true);
      line.setSeriesPaint(0, theme.series(index));
      line.setSeriesStroke(0, ChartStyle.stroke(2, index));
      add(plot, data.lines().get(index).reserved(), line);
    }
    long failures = 0;
    for (OverlayData.Line line : data.lines()) {
      add(plot, line.failures(), MemoryTimelineChart.crosses());
      failures += line.failureCount();
    }
    if (boundShown) {
      plot.addRangeMarker(
          MemoryTimelineChart.boundLine(bound, ChartStyle.stroke(1.2f, 1), theme, true),
          Layer.FOREGROUND);
    }
    if (data.lines().isEmpty()) {
      ChartStyle.sayWithoutData(plot, "no policy was run", theme);
    }
    plot.setFixedLegendItems(legend(data, failures, theme));
    String hidden =
        bound == null || boundShown
            ? ""
            : "; " + bound.name() + " of " + ByteFormat.human(bound.bytes()) + " is far above";
    return ChartStyle.chart(title, subtitle + hidden, plot, theme);
  }

  /** What goes up and down most lies behind the others, which it would cover. */
  private static List<Integer> backToFront(List<OverlayData.Line> lines) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      order.add(i);
    }
    order.sort(
        Comparator.comparingInt((Integer i) -> -lines.get(i).reserved().count())
            .thenComparingInt(i -> -i));
    return order;
  }

  private static Color requestedFill(ChartTheme theme) {
    return theme.either(0xDADDE1, 0x3C4046);
  }

  private static void add(XYPlot plot, TimelineData.Points points, XYItemRenderer renderer) {
    int index = plot.getRenderer(0) == null ? 0 : plot.getDatasetCount();
    plot.setDataset(index, MemoryTimelineChart.dataset(points));
    plot.setRenderer(index, renderer);
  }

  private static LegendItemCollection legend(OverlayData data, long failures, ChartTheme theme) {
    LegendItemCollection items = new LegendItemCollection();
    for (int i = 0; i < data.lines().size(); i++) {
      OverlayData.Line line = data.lines().get(i);
      LegendItem item =
          ChartStyle.line(
              line.label() + " (peak " + ByteFormat.human(line.peakBytes()) + ")",
              ChartStyle.stroke(2.4f, i),
              theme.series(i));
      items.add(item);
    }
    items.add(ChartStyle.swatch("requested by the program", requestedFill(theme)));
    if (failures > 0) {
      items.add(MemoryTimelineChart.failures(failures));
    }
    return items;
  }
}
