package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.QuantityScale;
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
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;

/**
 * Requested, allocated, active and reserved memory over time, the bound that applies, and the
 * requests that failed. Colours are those of Okabe and Ito (jfly.uni-koeln.de/color, 2008), which
 * people with colour-blindness can distinguish.
 */
public final class MemoryTimelineChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 640;

  /** Width of the plot without axis labels and margins, a little more than it ever is. */
  private static final int PLOT_COLUMNS = 1100;

  /** Height of the plot without axis, headings and legend, about. */
  private static final int PLOT_ROWS = 480;

  /** Series that differ by fewer pixels look the same. */
  private static final double MIN_PIXELS = 1.5;

  private static final double HEADROOM = 1.10;

  /** A cross at the last event is not cut off. */
  private static final double BESIDE_END = 1.008;

  /** A bound further above all memory than this factor would squeeze the curves flat. */
  private static final double FARTHEST_BOUND = 3;

  /** Opacity of the paper below labels, which may lie on areas. */
  private static final int LABEL_ALPHA = 190;

  /** Opacity of the line of requested memory: areas full of oscillations keep their colour. */
  private static final int REQUESTED_ALPHA = 120;

  /**
   * What memory cannot exceed.
   *
   * @param name what the bound is, such as "limit"
   * @param bytes its size
   */
  public record Bound(String name, long bytes) {}

  /**
   * A part of the program that has a name.
   *
   * @param name what the program calls it
   * @param beginNanos when it begins, on the clock of the timeline
   * @param endNanos when it ends
   * @param beginEvent its first request, counted as the timeline does
   * @param endEvent the request after its last one
   */
  public record Phase(
      String name, long beginNanos, long endNanos, long beginEvent, long endEvent) {}

  /**
   * What is drawn beside the timeline.
   *
   * @param bound what memory cannot exceed, or null
   * @param neededBytes what the program holds at its peak, requests that fail included, so that no
   *     allocator serves it with less; −1 where it is not known
   * @param phases parts of the program in the order of their begin, none inside another
   * @param isByEvent whether the axis counts events, also where times are known
   */
  public record Context(Bound bound, long neededBytes, List<Phase> phases, boolean isByEvent) {
    /** Keeps its own copy. */
    public Context {
      phases = List.copyOf(phases);
    }
  }

  private MemoryTimelineChart() {}

  /**
   * Draws the chart.
   *
   * @param title one line
   * @param subtitle what was replayed, and how; wraps where it is long
   * @param context what stands beside it
   */
  public static JFreeChart create(
      String title, String subtitle, MemoryTimeline timeline, Context context, ChartTheme theme) {
    TimelineData data =
        TimelineData.of(
            timeline, PLOT_COLUMNS, TimelineData.Origin.of(timeline, context.isByEvent()));
    long peakBytes = Math.max(0, context.neededBytes());
    for (Series series : Series.values()) {
      peakBytes = Math.max(peakBytes, timeline.peakBytes(series));
    }
    long heldBytes = timeline.peakBytes(Series.ALLOCATED);
    for (double asked : data.asked().y()) {
      peakBytes = Math.max(peakBytes, (long) asked);
    }
    Bound bound = context.bound();
    boolean boundShown = bound != null && bound.bytes() <= FARTHEST_BOUND * peakBytes;
    double top = boundShown ? Math.max(peakBytes, bound.bytes()) : peakBytes;

    XYPlot plot = new XYPlot();
    plot.setDomainAxis(ChartStyle.style(timeAxis(data.axis(), data.end()), theme));
    plot.setRangeAxis(ChartStyle.style(byteAxis(top), theme));
    addLayers(plot, data, theme);
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    if (!context.phases().isEmpty()) {
      plot.addAnnotation(new PhaseStrip(PhaseData.of(context.phases(), data), theme));
    }
    boolean neededIsAbove = !boundShown || context.neededBytes() > bound.bytes();
    if (context.neededBytes() >= 0) {
      plot.addRangeMarker(
          boundLine(
              new Bound(
                  context.neededBytes() > heldBytes
                      ? "requested, had every request been served:"
                      : "requested at the peak",
                  context.neededBytes()),
              ChartStyle.stroke(1.6f, 2),
              theme,
              neededIsAbove),
          Layer.FOREGROUND);
    }
    if (boundShown) {
      boolean above = context.neededBytes() < 0 || !neededIsAbove;
      plot.addRangeMarker(
          boundLine(bound, ChartStyle.stroke(1.6f, 1), theme, above), Layer.FOREGROUND);
    }
    if (timeline.bucketCount() == 0) {
      ChartStyle.sayWithoutData(plot, "no memory was used", theme);
    }
    plot.setFixedLegendItems(legend(timeline, data, top, context.phases(), theme));

    String hidden =
        bound == null || boundShown
            ? ""
            : "; " + bound.name() + " of " + ByteFormat.human(bound.bytes()) + " is far above";
    return ChartStyle.chart(title, subtitle + hidden, plot, theme);
  }

  /** The horizontal axis of charts over time. */
  static NumberAxis timeAxis(TimelineData.Axis what, double end) {
    NumberAxis axis;
    if (what == TimelineData.Axis.SECONDS) {
      axis = ChartStyle.seconds(new NumberAxis("time since the first event"), end);
    } else {
      axis = new NumberAxis("event");
      axis.setStandardTickUnits(NumberAxis.createIntegerTickUnits(Locale.ROOT));
      axis.setNumberFormatOverride(QuantityScale.counts());
    }
    axis.setRange(0, end * BESIDE_END);
    return axis;
  }

  private static NumberAxis byteAxis(double topBytes) {
    return ByteAxis.upTo(topBytes > 0 ? topBytes * HEADROOM : 1 << 20, "memory");
  }

  /**
   * From back to front: reserved, active and allocated as areas, each hiding the part of the former
   * that it explains, then requested as a line, because it also counts blocks awaiting their free
   * and may therefore rise above allocated.
   */
  private static void addLayers(XYPlot plot, TimelineData data, ChartTheme theme) {
    add(plot, data, Series.RESERVED, PlotLayers.area(reservedFill(theme)));
    add(plot, data, Series.RESERVED, line(ChartStyle.SKY_BLUE, 1.4f));
    add(plot, data, Series.ACTIVE, PlotLayers.area(ChartStyle.ORANGE));
    add(plot, data, Series.ALLOCATED, PlotLayers.area(allocatedFill(theme)));
    add(plot, data, Series.ALLOCATED, line(allocatedFill(theme), 1.8f));
    add(plot, data, Series.REQUESTED, line(theme.thinInk(REQUESTED_ALPHA), 1.0f));
    PlotLayers.add(plot, "out of memory", data.asked(), crosses());
  }

  /** Sky blue at a third of its strength. */
  private static Color reservedFill(ChartTheme theme) {
    return theme.either(0xC6E5F8, 0x24475A);
  }

  private static Color allocatedFill(ChartTheme theme) {
    return theme.either(0x0072B2, 0x1F86C4);
  }

  private static void add(XYPlot plot, TimelineData data, Series series, XYItemRenderer renderer) {
    PlotLayers.add(plot, series.name().toLowerCase(Locale.ROOT), data.series(series), renderer);
  }

  private static XYLineAndShapeRenderer line(Color colour, float width) {
    return PlotLayers.line(colour, ChartStyle.stroke(width));
  }

  static XYLineAndShapeRenderer crosses() {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(false, true);
    renderer.setSeriesShape(0, cross());
    renderer.setSeriesPaint(0, ChartStyle.VERMILLION);
    renderer.setSeriesShapesFilled(0, false);
    renderer.setDrawOutlines(true);
    renderer.setSeriesStroke(0, ChartStyle.stroke(2.4f));
    renderer.setSeriesOutlineStroke(0, ChartStyle.stroke(2.4f));
    return renderer;
  }

  static Path2D cross() {
    Path2D cross = new Path2D.Double();
    double arm = 5.5;
    cross.moveTo(-arm, -arm);
    cross.lineTo(arm, arm);
    cross.moveTo(-arm, arm);
    cross.lineTo(arm, -arm);
    return cross;
  }

  /** A line with its label above or below it. */
  static ValueMarker boundLine(Bound bound, Stroke stroke, ChartTheme theme, boolean above) {
    ValueMarker marker = new ValueMarker(bound.bytes(), theme.ink(), stroke);
    marker.setLabel(bound.name() + " " + ByteFormat.human(bound.bytes()));
    marker.setLabelFont(ChartStyle.TEXT_FONT);
    marker.setLabelPaint(theme.ink());
    Color paper = theme.paper();
    marker.setLabelBackgroundColor(
        new Color(paper.getRed(), paper.getGreen(), paper.getBlue(), LABEL_ALPHA));
    marker.setLabelAnchor(above ? RectangleAnchor.TOP_LEFT : RectangleAnchor.BOTTOM_LEFT);
    marker.setLabelTextAnchor(above ? TextAnchor.BOTTOM_LEFT : TextAnchor.TOP_LEFT);
    marker.setLabelOffset(new RectangleInsets(4, 8, 4, 8));
    return marker;
  }

  private static LegendItemCollection legend(
      MemoryTimeline timeline,
      TimelineData data,
      double topBytes,
      List<Phase> phases,
      ChartTheme theme) {
    double minBytes = MIN_PIXELS * HEADROOM * topBytes / PLOT_ROWS;
    LegendItemCollection items = new LegendItemCollection();
    items.add(ChartStyle.swatch("reserved from the device", reservedFill(theme)));
    if (data.areDistinct(Series.ACTIVE, Series.ALLOCATED, PLOT_COLUMNS, minBytes)) {
      items.add(ChartStyle.swatch("active: allocated or waiting to be freed", ChartStyle.ORANGE));
    }
    if (data.areDistinct(Series.REQUESTED, Series.ALLOCATED, PLOT_COLUMNS, minBytes)) {
      items.add(ChartStyle.swatch("allocated, rounded", allocatedFill(theme)));
      items.add(
          stroked(
              "requested", new Line2D.Double(-9, 0, 9, 0), 1.2f, theme.thinInk(REQUESTED_ALPHA)));
    } else {
      items.add(
          ChartStyle.swatch("allocated; requested looks the same here", allocatedFill(theme)));
    }
    if (timeline.failureCount() > 0) {
      items.add(
          failures(
              "out of memory ("
                  + Numbers.count(timeline.failureCount(), "time")
                  + "): allocated plus requested",
              ChartStyle.VERMILLION));
    }
    if (!phases.isEmpty()) {
      items.add(ChartStyle.swatch(PhaseData.summary(phases), theme.either(0xD5D9DE, 0x4A4F57)));
    }
    return items;
  }

  /** A legend entry for requests that failed. */
  static LegendItem failures(String text, Paint paint) {
    return stroked(text, cross(), 2.4f, paint);
  }

  private static LegendItem stroked(String text, Shape shape, float width, Paint paint) {
    return new LegendItem(text, null, null, null, shape, ChartStyle.stroke(width), paint);
  }
}
