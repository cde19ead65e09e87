package org.allocsim.reports.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.util.Locale;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYAreaRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.xy.DefaultXYDataset;
import org.jfree.data.xy.XYDataset;

/**
 * Requested, allocated, active and reserved memory over time, the bound that applies, and the
 * requests that failed. Colours are those of Okabe and Ito (jfly.uni-koeln.de/color, 2008), which
 * people with colour-blindness can tell apart.
 */
public final class MemoryTimelineChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 640;

  /** Width of the plot without axis labels and margins, a little more than it ever is. */
  private static final int PLOT_COLUMNS = 1100;

  private static final double HEADROOM = 1.10;

  /** A bound further above all memory than this factor would squeeze the curves flat. */
  private static final double FARTHEST_BOUND = 3;

  /** Sky blue on white paper at a third of its strength. */
  private static final Color RESERVED_FILL = new Color(0xC6, 0xE5, 0xF8);

  /** Black, thin enough that areas full of oscillations keep their colour. */
  private static final Color REQUESTED_LINE = new Color(0, 0, 0, 120);

  /**
   * What memory cannot exceed.
   *
   * @param name what the bound is, such as "limit"
   * @param bytes its size
   */
  public record Bound(String name, long bytes) {}

  private MemoryTimelineChart() {}

  /**
   * Draws the chart.
   *
   * @param title one line
   * @param subtitle what was replayed, and how; wraps where it is long
   * @param bound the bound that applies, or null without one
   */
  public static JFreeChart create(
      String title, String subtitle, MemoryTimeline timeline, Bound bound) {
    TimelineData data = TimelineData.of(timeline, PLOT_COLUMNS);
    long peakBytes = timeline.peakBytes(Series.RESERVED);
    for (Series series : Series.values()) {
      peakBytes = Math.max(peakBytes, timeline.peakBytes(series));
    }
    boolean boundShown = bound != null && bound.bytes() <= FARTHEST_BOUND * peakBytes;
    double top = boundShown ? Math.max(peakBytes, bound.bytes()) : peakBytes;

    XYPlot plot = new XYPlot();
    plot.setDomainAxis(timeAxis(data));
    plot.setRangeAxis(byteAxis(top));
    addLayers(plot, data);
    ChartStyle.style(plot);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    if (boundShown) {
      plot.addRangeMarker(boundLine(bound), Layer.FOREGROUND);
    }
    if (timeline.bucketCount() == 0) {
      plot.setNoDataMessage("no memory was used");
      plot.setNoDataMessageFont(ChartStyle.TEXT_FONT);
      plot.setNoDataMessagePaint(ChartStyle.FAINT_INK);
    }
    plot.setFixedLegendItems(legend(timeline));

    String hidden =
        bound == null || boundShown
            ? ""
            : "; " + bound.name() + " of " + ByteFormat.human(bound.bytes()) + " is far above";
    return ChartStyle.chart(title, subtitle + hidden, plot);
  }

  private static NumberAxis timeAxis(TimelineData data) {
    NumberAxis axis =
        new NumberAxis(
            switch (data.axis()) {
              case SECONDS -> "time since the first event [s]";
              case EVENTS -> "request";
            });
    axis.setStandardTickUnits(
        data.axis() == TimelineData.Axis.SECONDS
            ? NumberAxis.createStandardTickUnits(Locale.ROOT)
            : NumberAxis.createIntegerTickUnits(Locale.ROOT));
    axis.setRange(data.start(), data.end());
    return ChartStyle.style(axis);
  }

  private static NumberAxis byteAxis(double topBytes) {
    return ChartStyle.style(ByteAxis.upTo(topBytes > 0 ? topBytes * HEADROOM : 1 << 20, "memory"));
  }

  /**
   * From back to front: reserved, active and allocated as areas, each hiding the part of the former
   * that it explains, then requested as a line, because it also counts blocks awaiting their free
   * and may therefore rise above allocated.
   */
  private static void addLayers(XYPlot plot, TimelineData data) {
    add(plot, data.series(Series.RESERVED), area(RESERVED_FILL));
    add(plot, data.series(Series.RESERVED), line(ChartStyle.SKY_BLUE, 1.4f));
    add(plot, data.series(Series.ACTIVE), area(ChartStyle.ORANGE));
    add(plot, data.series(Series.ALLOCATED), area(ChartStyle.BLUE));
    add(plot, data.series(Series.ALLOCATED), line(ChartStyle.BLUE, 1.8f));
    add(plot, data.series(Series.REQUESTED), line(REQUESTED_LINE, 1.0f));
    add(plot, data.failures(), crosses());
  }

  private static void add(XYPlot plot, TimelineData.Points points, XYItemRenderer renderer) {
    int index = plot.getRenderer(0) == null ? 0 : plot.getDatasetCount();
    plot.setDataset(index, dataset(points));
    plot.setRenderer(index, renderer);
  }

  private static XYDataset dataset(TimelineData.Points points) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    if (points.count() > 0) {
      dataset.addSeries("points", new double[][] {points.x(), points.y()});
    }
    return dataset;
  }

  private static XYAreaRenderer area(Color colour) {
    XYAreaRenderer renderer = new XYAreaRenderer(XYAreaRenderer.AREA);
    renderer.setSeriesPaint(0, colour);
    renderer.setOutline(false);
    return renderer;
  }

  private static XYLineAndShapeRenderer line(Color colour, float width) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    renderer.setDrawSeriesLineAsPath(true);
    renderer.setSeriesPaint(0, colour);
    renderer.setSeriesStroke(0, ChartStyle.stroke(width));
    return renderer;
  }

  private static XYLineAndShapeRenderer crosses() {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(false, true);
    renderer.setSeriesShape(0, cross());
    renderer.setSeriesPaint(0, ChartStyle.VERMILLION);
    renderer.setSeriesShapesFilled(0, false);
    renderer.setDrawOutlines(true);
    renderer.setSeriesStroke(0, ChartStyle.stroke(2.4f));
    renderer.setSeriesOutlineStroke(0, ChartStyle.stroke(2.4f));
    return renderer;
  }

  private static Path2D cross() {
    Path2D cross = new Path2D.Double();
    double arm = 5.5;
    cross.moveTo(-arm, -arm);
    cross.lineTo(arm, arm);
    cross.moveTo(-arm, arm);
    cross.lineTo(arm, -arm);
    return cross;
  }

  private static ValueMarker boundLine(Bound bound) {
    Stroke dashes =
        new BasicStroke(
            1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 1, new float[] {7, 4}, 0);
    ValueMarker marker = new ValueMarker(bound.bytes(), ChartStyle.INK, dashes);
    marker.setLabel(bound.name() + " " + ByteFormat.human(bound.bytes()));
    marker.setLabelFont(ChartStyle.TEXT_FONT);
    marker.setLabelPaint(ChartStyle.INK);
    marker.setLabelBackgroundColor(new Color(255, 255, 255, 0));
    marker.setLabelAnchor(RectangleAnchor.TOP_LEFT);
    marker.setLabelTextAnchor(TextAnchor.BOTTOM_LEFT);
    marker.setLabelOffset(new RectangleInsets(4, 8, 4, 8));
    return marker;
  }

  private static LegendItemCollection legend(MemoryTimeline timeline) {
    LegendItemCollection items = new LegendItemCollection();
    items.add(ChartStyle.swatch("reserved from the device", RESERVED_FILL));
    items.add(ChartStyle.swatch("active: allocated or awaiting free", ChartStyle.ORANGE));
    items.add(ChartStyle.swatch("allocated, rounded", ChartStyle.BLUE));
    items.add(stroked("requested", new Line2D.Double(-9, 0, 9, 0), 1.2f, REQUESTED_LINE));
    if (timeline.failureCount() > 0) {
      items.add(
          stroked(
              "out of memory (" + Numbers.count(timeline.failureCount(), "time") + ")",
              cross(),
              2.4f,
              ChartStyle.VERMILLION));
    }
    return items;
  }

  private static LegendItem stroked(String text, Shape shape, float width, Paint paint) {
    return new LegendItem(text, null, null, null, shape, ChartStyle.stroke(width), paint);
  }
}
