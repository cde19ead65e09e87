package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;

/**
 * Reserved memory of several policies over time, above what the program asks for. A few lines stand
 * out, in colours and dashes of their own; all others are thin and grey behind them.
 */
public final class OverlayChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 680;

  /** Width of the plot without axis labels and margins, a little more than it ever is. */
  public static final int PLOT_COLUMNS = 1100;

  private static final double HEADROOM = 1.10;

  /** Lines in the background may reach so much higher than the others; the rest is cut. */
  private static final double BACKGROUND_ROOM = 1.3;

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
    double room = top > 0 ? BACKGROUND_ROOM * top : Double.MAX_VALUE;
    int beyond = 0;
    for (OverlayData.Line line : data.background()) {
      if (line.peakBytes() > room) {
        beyond++;
      } else {
        top = Math.max(top, line.peakBytes());
      }
    }
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
    PlotLayers.add(
        plot, "requested by the program", data.requested(), PlotLayers.area(requestedFill(theme)));
    for (OverlayData.Line line : data.background()) {
      PlotLayers.add(
          plot,
          line.label(),
          line.reserved(),
          PlotLayers.line(background(theme), ChartStyle.stroke(0.8f)));
    }
    for (int index : backToFront(data.lines())) {
      OverlayData.Line line = data.lines().get(index);
      PlotLayers.add(
          plot,
          line.label(),
          line.reserved(),
          PlotLayers.line(colour(index, theme), ChartStyle.stroke(2.2f, index)));
    }
    for (int index = 0; index < data.lines().size(); index++) {
      XYLineAndShapeRenderer crosses = MemoryTimelineChart.crosses();
      crosses.setSeriesPaint(0, colour(index, theme));
      crosses.setSeriesOutlinePaint(0, colour(index, theme));
      OverlayData.Line line = data.lines().get(index);
      PlotLayers.add(plot, line.label() + ", out of memory", line.failures(), crosses);
    }
    if (boundShown) {
      plot.addRangeMarker(
          MemoryTimelineChart.boundLine(bound, ChartStyle.stroke(1.2f, 1), theme, true),
          Layer.FOREGROUND);
    }
    if (data.lines().isEmpty()) {
      ChartStyle.sayWithoutData(plot, "no policy was run", theme);
    }
    plot.setFixedLegendItems(legend(data, theme));
    String cut =
        beyond == 0
            ? ""
            : "; "
                + beyond
                + " of the others "
                + (beyond == 1 ? "reaches" : "reach")
                + " beyond the top";
    String hidden =
        bound == null || boundShown
            ? ""
            : "; " + bound.name() + " " + ByteFormat.human(bound.bytes()) + ", far above";
    return ChartStyle.chart(title, subtitle + cut + hidden, plot, theme);
  }

  /** The first line, what there is now, is orange; the second, what is better, blue. */
  static Color colour(int index, ChartTheme theme) {
    return theme.series(index < 2 ? 1 - index : index);
  }

  private static Color background(ChartTheme theme) {
    return theme.either(0xB4BAC1, 0x5A6169);
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

  private static LegendItemCollection legend(OverlayData data, ChartTheme theme) {
    LegendItemCollection items = new LegendItemCollection();
    for (int i = 0; i < data.lines().size(); i++) {
      OverlayData.Line line = data.lines().get(i);
      String failures =
          line.failureCount() == 0
              ? ""
              : ", out of memory " + Numbers.count(line.failureCount(), "time");
      items.add(
          ChartStyle.line(
              line.label() + ": peak " + ByteFormat.human(line.peakBytes()) + failures,
              ChartStyle.stroke(2.4f, i),
              colour(i, theme)));
    }
    if (!data.background().isEmpty()) {
      items.add(
          ChartStyle.line(
              Numbers.count(data.background().size(), "other run"),
              ChartStyle.stroke(1.2f),
              background(theme)));
    }
    items.add(ChartStyle.swatch("requested by the program", requestedFill(theme)));
    return items;
  }
}
