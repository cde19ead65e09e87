package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.IntervalMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYDifferenceRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;
import org.jfree.data.xy.DefaultXYDataset;
import org.jfree.data.xy.XYDataset;
import org.jspecify.annotations.Nullable;

/**
 * Memory per iteration: above, what is reserved and what is live at the busiest and the quietest
 * moment; below, how the quietest moment changes since the warm-up, magnified, with the line of the
 * trend and the band that its slope's interval spans around the middle of the data. Colours are
 * those of Okabe and Ito (jfly.uni-koeln.de/color, 2008).
 */
public final class LeakTrendChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 760;

  /** Width for telephones. */
  public static final int NARROW_WIDTH = 340;

  private static final Color BAND = new Color(0xD5, 0x5E, 0x00, 60);
  private static final double HEADROOM = 1.08;

  /** More iterations than this are drawn without a dot for each. */
  private static final int MAX_DOTS = 200;

  /** A magnification below this span would only show single blocks. */
  private static final double MIN_SPAN = 4096;

  /**
   * What is drawn, one value per iteration.
   *
   * @param floorBytes live at the quietest moment
   * @param peakBytes live at the busiest moment
   * @param reservedBytes reserved at the end
   * @param warmUp iterations at the start that do not count
   * @param slope of the quietest moment, bytes per iteration
   * @param lower lower end of the slope's interval
   * @param upper upper end of the slope's interval
   * @param confidence minimum probability with which such an interval holds the slope
   * @param events with which iterations begin, and the one with which the last ended, for an axis
   *     of events; null for one of iterations
   */
  public record Data(
      long[] floorBytes,
      long[] peakBytes,
      long[] reservedBytes,
      int warmUp,
      double slope,
      double lower,
      double upper,
      double confidence,
      double @Nullable [] events) {
    /** Place of an iteration on the horizontal axis, also between two. */
    private double x(double iteration) {
      if (events == null) {
        return iteration;
      }
      int whole = Math.clamp((int) Math.floor(iteration), 0, events.length - 2);
      return events[whole] + (iteration - whole) * (events[whole + 1] - events[whole]);
    }

    /** Where the iterations that are no warm-up begin on the axis. */
    private double warmUpEnd() {
      return events == null ? warmUp - 0.5 : x(warmUp);
    }

    /** Where the axis begins. */
    private double start() {
      return events == null ? -0.5 : events[0];
    }

    /** Where it ends. */
    private double end() {
      return events == null ? floorBytes.length - 0.5 : events[events.length - 1];
    }
  }

  private LeakTrendChart() {}

  /**
   * Draws the chart.
   *
   * @param title one line
   * @param subtitle wraps where it is long
   */
  public static JFreeChart create(String title, String subtitle, Data data, ChartTheme theme) {
    NumberAxis axis =
        data.events() == null
            ? new NumberAxis("iteration")
            : MemoryTimelineChart.timeAxis(TimelineData.Axis.EVENTS, data.end());
    axis.setStandardTickUnits(NumberAxis.createIntegerTickUnits(Locale.ROOT));
    axis.setRange(data.start(), data.end());
    ChartStyle.style(axis, theme);
    CombinedDomainXYPlot both = new CombinedDomainXYPlot(axis);
    both.setGap(16);
    both.add(levels(data, theme), 3);
    both.add(change(data, theme), 2);
    both.setFixedLegendItems(legend(data, theme));
    return ChartStyle.chart(title, subtitle, both, theme);
  }

  private static XYPlot levels(Data data, ChartTheme theme) {
    double top =
        Math.max(
            Arrays.stream(data.reservedBytes()).max().orElse(0),
            Arrays.stream(data.peakBytes()).max().orElse(0));
    XYPlot plot = plot(ByteAxis.upTo(top > 0 ? top * HEADROOM : 1 << 20, "memory"), data, theme);
    PlotLayers.add(
        plot,
        points("reserved at the end", data, data.reservedBytes(), 0, 0),
        line(reserved(theme), 2.2f, data));
    PlotLayers.add(
        plot,
        points("live at the peak", data, data.peakBytes(), 0, 0),
        line(ChartStyle.ORANGE, 1.6f, data));
    PlotLayers.add(
        plot,
        points("minimum live", data, data.floorBytes(), 0, 0),
        line(quietest(theme), 2.0f, data));
    return plot;
  }

  private static XYPlot change(Data data, ChartTheme theme) {
    int first = data.warmUp();
    long[] floors = data.floorBytes();
    long start = floors[first];
    double lowest = 0;
    double highest = 0;
    for (int i = first; i < floors.length; i++) {
      lowest = Math.min(lowest, floors[i] - start);
      highest = Math.max(highest, floors[i] - start);
    }
    double margin = Math.max(MIN_SPAN, highest - lowest) * (HEADROOM - 1);
    NumberAxis axis =
        ByteAxis.upTo(Math.max(MIN_SPAN, highest - lowest) + 2 * margin, "growth of the minimum");
    axis.setRange(lowest - margin, Math.max(highest, lowest + MIN_SPAN) + margin);
    XYPlot plot = plot(axis, data, theme);
    PlotLayers.add(plot, band(data, start), bandRenderer());
    PlotLayers.add(plot, trend(data, start), line(ChartStyle.VERMILLION, 2.0f, null));
    PlotLayers.add(
        plot, points("growth of the minimum", data, floors, first, start), dots(data, theme));
    return plot;
  }

  /** The trend runs through the median of what is left once its slope is taken away. */
  private static double middle(Data data, long start) {
    long[] floors = data.floorBytes();
    double[] rests = new double[floors.length - data.warmUp()];
    for (int i = data.warmUp(); i < floors.length; i++) {
      rests[i - data.warmUp()] = floors[i] - start - data.slope() * i;
    }
    Arrays.sort(rests);
    double rest = (rests[(rests.length - 1) / 2] + rests[rests.length / 2]) / 2;
    return rest + data.slope() * centre(data);
  }

  private static double centre(Data data) {
    return (data.warmUp() + data.floorBytes().length - 1) / 2.0;
  }

  private static XYDataset trend(Data data, long start) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    dataset.addSeries("trend", line(data, start, data.slope(), data.slope()));
    return dataset;
  }

  private static XYDataset band(Data data, long start) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    dataset.addSeries("upper", line(data, start, data.lower(), data.upper()));
    dataset.addSeries("lower", line(data, start, data.upper(), data.lower()));
    return dataset;
  }

  /** A line through the middle of the data that bends there. */
  private static double[][] line(Data data, long start, double slopeBefore, double slopeAfter) {
    double centre = centre(data);
    double middle = middle(data, start);
    int left = data.warmUp();
    int right = data.floorBytes().length - 1;
    // An axis of events may bend it at every iteration.
    double[] places =
        DoubleStream.concat(
                data.events() == null
                    ? DoubleStream.of(left, right)
                    : IntStream.rangeClosed(left, right).asDoubleStream(),
                DoubleStream.of(centre))
            .sorted()
            .toArray();
    double[][] line = new double[2][places.length];
    for (int i = 0; i < places.length; i++) {
      double slope = places[i] < centre ? slopeBefore : slopeAfter;
      line[0][i] = data.x(places[i]);
      line[1][i] = middle + slope * (places[i] - centre);
    }
    return line;
  }

  private static XYDataset points(String name, Data data, long[] bytes, int first, long origin) {
    double[] x = new double[bytes.length - first];
    double[] y = new double[bytes.length - first];
    for (int i = first; i < bytes.length; i++) {
      x[i - first] = data.x(i);
      y[i - first] = bytes[i] - origin;
    }
    DefaultXYDataset dataset = new DefaultXYDataset();
    dataset.addSeries(name, new double[][] {x, y});
    return dataset;
  }

  private static XYPlot plot(NumberAxis bytes, Data data, ChartTheme theme) {
    XYPlot plot = new XYPlot();
    plot.setRangeAxis(ChartStyle.style(bytes, theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    if (data.warmUp() > 0) {
      IntervalMarker warmUp = new IntervalMarker(data.start(), data.warmUpEnd(), warmUp(theme));
      warmUp.setAlpha(1);
      plot.addDomainMarker(warmUp, Layer.BACKGROUND);
    }
    return plot;
  }

  private static XYLineAndShapeRenderer line(Color colour, float width, @Nullable Data dotted) {
    boolean dots = dotted != null && dotted.floorBytes().length <= MAX_DOTS;
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, dots);
    renderer.setSeriesPaint(0, colour);
    renderer.setSeriesStroke(0, ChartStyle.stroke(width));
    renderer.setSeriesShape(0, dot(2.2));
    return renderer;
  }

  private static XYLineAndShapeRenderer dots(Data data, ChartTheme theme) {
    boolean many = data.floorBytes().length > MAX_DOTS;
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(false, true);
    renderer.setSeriesPaint(0, quietest(theme));
    renderer.setSeriesShape(0, dot(many ? 1.2 : 3.4));
    return renderer;
  }

  private static XYDifferenceRenderer bandRenderer() {
    XYDifferenceRenderer renderer = new XYDifferenceRenderer(BAND, BAND, false);
    renderer.setSeriesPaint(0, new Color(0, 0, 0, 0));
    renderer.setSeriesPaint(1, new Color(0, 0, 0, 0));
    return renderer;
  }

  private static Shape dot(double radius) {
    return new Ellipse2D.Double(-radius, -radius, 2 * radius, 2 * radius);
  }

  private static Color warmUp(ChartTheme theme) {
    return theme.either(0xF0F0F0, 0x2B2E33);
  }

  private static Color quietest(ChartTheme theme) {
    return theme.series(0);
  }

  private static Color reserved(ChartTheme theme) {
    return theme == ChartTheme.LIGHT ? ChartStyle.SKY_BLUE : theme.ink();
  }

  private static LegendItemCollection legend(Data data, ChartTheme theme) {
    LegendItemCollection items = new LegendItemCollection();
    Shape dash = new Line2D.Double(-9, 0, 9, 0);
    items.add(item("reserved at the end", dash, reserved(theme)));
    items.add(item("live at the peak", dash, ChartStyle.ORANGE));
    items.add(item("minimum live", dash, quietest(theme)));
    items.add(item("trend", dash, ChartStyle.VERMILLION));
    if (data.upper() > data.lower()) {
      items.add(
          ChartStyle.swatch(
              String.format(
                  Locale.ROOT,
                  "%.1f %% confidence interval of the slope; growth is certain if the whole"
                      + " interval is above zero",
                  100 * data.confidence()),
              BAND));
    }
    if (data.warmUp() > 0) {
      items.add(ChartStyle.swatch("warm-up", warmUp(theme)));
    }
    return items;
  }

  private static LegendItem item(String text, Shape shape, Paint paint) {
    return new LegendItem(text, null, null, null, shape, ChartStyle.stroke(2.2f), paint);
  }
}
