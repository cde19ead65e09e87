package org.allocsim.reports.chart.idle;

import java.awt.Color;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.idle.activity.Activity;
import org.allocsim.analysis.idle.activity.Lane;
import org.allocsim.analysis.idle.activity.MemoryLine;
import org.allocsim.analysis.idle.activity.PredictedLane;
import org.allocsim.analysis.idle.activity.Span;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.NamedAxis;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYAreaRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.DefaultXYDataset;
import org.jspecify.annotations.Nullable;

/**
 * Host, streams, copies, idle time and memory over time, on one axis: the lanes above, coloured by
 * what happens and by why the GPU is idle, and memory below.
 */
public final class ActivityChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Width in pixels of charts for telephones. */
  public static final int NARROW_WIDTH = 340;

  /** Columns of a chart of the usual width: each is some two pixels wide. */
  public static final int COLUMNS = 500;

  /** Columns of a chart for telephones. */
  public static final int NARROW_COLUMNS = 120;

  private static final int LANE_HEIGHT = 40;
  private static final int MEMORY_HEIGHT = 150;
  private static final int FRAME_HEIGHT = 130;
  private static final int LEGEND_HEIGHT = 24;
  private static final int MEMORY_TICKS = 5;
  private static final double HEADROOM = 1.08;

  /** Pixels of an entry of the legend, on average. */
  private static final int LEGEND_WIDTH = 270;

  private ActivityChart() {}

  /** Height in pixels that gives every lane and entry of the legend its room. */
  public static int height(Activity activity, @Nullable PredictedLane predicted, int width) {
    int lanes = activity.lanes().size() + (predicted == null ? 0 : 1);
    int perLine = Math.max(1, width / LEGEND_WIDTH);
    int memory = activity.memory() == null ? 0 : 2;
    int lines = (legend(activity, false).size() + memory + perLine - 1) / perLine;
    return FRAME_HEIGHT
        + (width < WIDTH ? LEGEND_HEIGHT * 2 : 0)
        + LANE_HEIGHT * lanes
        + (activity.memory() == null ? 0 : MEMORY_HEIGHT)
        + LEGEND_HEIGHT * lines;
  }

  /**
   * Draws the chart.
   *
   * @param predicted the same step under a change; null for none
   * @param width in pixels; legends of narrow charts have the names of files, which are shorter
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      Activity activity,
      @Nullable PredictedLane predicted,
      ChartTheme theme,
      int width) {
    long end = Math.max(activity.span().nanos(), predicted == null ? 0 : predicted.span().nanos());
    NumberAxis time = ChartStyle.seconds(new NumberAxis("time"), end / 1e9);
    time.setRange(0, end / 1e9);
    ChartStyle.style(time, theme);
    XYPlot lanes = lanes(activity, predicted, theme);
    LegendItemCollection legend = new LegendItemCollection();
    legend(activity, width < WIDTH)
        .forEach(
            (part, words) -> legend.add(ChartStyle.swatch(words, ActivityColours.of(part, theme))));
    String columns =
        subtitle
            + (subtitle.isEmpty() ? "" : "; ")
            + "a column is "
            + Numbers.duration(activity.span().nanos() / activity.span().columns())
            + ", its height the part of that time";
    MemoryLine memory = activity.memory();
    if (memory == null) {
      lanes.setDomainAxis(time);
      lanes.setFixedLegendItems(legend);
      return ChartStyle.chart(title, columns, lanes, theme);
    }
    CombinedDomainXYPlot both = new CombinedDomainXYPlot(time);
    both.setGap(12);
    both.add(lanes, LANE_HEIGHT * rows(activity, predicted).size());
    both.add(memory(activity.span(), memory, theme), MEMORY_HEIGHT);
    legend.add(ChartStyle.swatch("memory reserved", reserved(theme)));
    legend.add(ChartStyle.swatch("memory allocated", allocated(theme)));
    both.setFixedLegendItems(legend);
    return ChartStyle.chart(title, columns, both, theme);
  }

  private static List<LanePainting.Row> rows(Activity activity, @Nullable PredictedLane predicted) {
    List<LanePainting.Row> rows = new ArrayList<>();
    for (Lane lane : activity.lanes()) {
      boolean isHost = lane.equals(activity.lanes().getFirst());
      rows.add(
          new LanePainting.Row(
              lane, activity.span(), isHost ? activity.hostStepNanos() : activity.gpuStepNanos()));
    }
    if (predicted != null) {
      rows.add(new LanePainting.Row(predicted.lane(), predicted.span(), List.of()));
    }
    return rows;
  }

  private static XYPlot lanes(
      Activity activity, @Nullable PredictedLane predicted, ChartTheme theme) {
    List<LanePainting.Row> rows = rows(activity, predicted);
    NamedAxis names =
        new NamedAxis(null, rows.stream().map(row -> row.lane().name()).toArray(String[]::new));
    names.setInverted(true);
    names.setRange(-0.5, rows.size() - 0.5);
    names.setTickMarksVisible(false);
    XYPlot plot = new XYPlot();
    plot.setRangeAxis(ChartStyle.style(names, theme));
    ChartStyle.style(plot, theme);
    plot.setRangeGridlinesVisible(false);
    plot.addAnnotation(new LanePainting(rows, theme));
    return plot;
  }

  /** What each part is called, with the idle time of causes; in the order of the lanes. */
  private static Map<String, String> legend(Activity activity, boolean isNarrow) {
    Map<String, String> words = new LinkedHashMap<>();
    for (Lane lane : activity.lanes()) {
      for (Lane.Part part : lane.parts()) {
        if (lane.name().equals(Activity.IDLE)) {
          words.put(
              part.id(),
              "idle: "
                  + (isNarrow ? part.id() : part.words())
                  + ", "
                  + Numbers.duration(part.totalNanos()));
        } else {
          words.putIfAbsent(part.id(), part.words());
        }
      }
    }
    return words;
  }

  private static XYPlot memory(Span span, MemoryLine memory, ChartTheme theme) {
    long top = 1;
    for (long bytes : memory.reservedBytes()) {
      top = Math.max(top, bytes);
    }
    XYPlot plot = new XYPlot();
    plot.setRangeAxis(
        ChartStyle.style(ByteAxis.upTo(top * HEADROOM, "memory", MEMORY_TICKS), theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    add(plot, 0, "reserved", points(span, memory.reservedBytes()), area(reserved(theme)));
    add(plot, 1, "allocated", points(span, memory.allocatedBytes()), area(allocated(theme)));
    add(plot, 2, "reserved", points(span, memory.reservedBytes()), line(ChartStyle.SKY_BLUE));
    return plot;
  }

  private static void add(
      XYPlot plot, int index, String name, double[][] points, XYItemRenderer renderer) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    dataset.addSeries(name, points);
    plot.setDataset(index, dataset);
    plot.setRenderer(index, renderer);
  }

  /** Steps: a column is as high as the most within it. What is not known yet is not drawn. */
  private static double[][] points(Span span, long[] bytes) {
    int first = 0;
    while (first < bytes.length - 1 && bytes[first] < 0) {
      first++;
    }
    double[][] points = new double[2][2 * (bytes.length - first)];
    for (int column = first; column < bytes.length; column++) {
      int at = 2 * (column - first);
      points[0][at] = (span.boundary(column) - span.beginNanos()) / 1e9;
      points[0][at + 1] = (span.boundary(column + 1) - span.beginNanos()) / 1e9;
      points[1][at] = bytes[column];
      points[1][at + 1] = bytes[column];
    }
    return points;
  }

  private static XYAreaRenderer area(Color colour) {
    XYAreaRenderer renderer = new XYAreaRenderer(XYAreaRenderer.AREA);
    renderer.setSeriesPaint(0, colour);
    renderer.setOutline(false);
    return renderer;
  }

  private static XYLineAndShapeRenderer line(Color colour) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    renderer.setDrawSeriesLineAsPath(true);
    renderer.setSeriesPaint(0, colour);
    renderer.setSeriesStroke(0, ChartStyle.stroke(1.4f));
    return renderer;
  }

  /** As charts of memory have it. */
  private static Color reserved(ChartTheme theme) {
    return theme.either(0xC6E5F8, 0x24475A);
  }

  private static Color allocated(ChartTheme theme) {
    return theme.either(0x0072B2, 0x1F86C4);
  }
}
