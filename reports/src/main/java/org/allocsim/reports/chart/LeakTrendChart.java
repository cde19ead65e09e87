package org.allocsim.reports.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.Arrays;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.IntervalMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYDifferenceRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.HorizontalAlignment;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.xy.DefaultXYDataset;
import org.jfree.data.xy.XYDataset;

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

  private static final Color SKY_BLUE = new Color(0x56, 0xB4, 0xE9);
  private static final Color BLUE = new Color(0x00, 0x72, 0xB2);
  private static final Color ORANGE = new Color(0xE6, 0x9F, 0x00);
  private static final Color VERMILLION = new Color(0xD5, 0x5E, 0x00);
  private static final Color BAND = new Color(0xD5, 0x5E, 0x00, 40);
  private static final Color WARM_UP = new Color(0xF0, 0xF0, 0xF0);
  private static final Color INK = new Color(0x33, 0x33, 0x33);
  private static final Color FAINT_INK = new Color(0x66, 0x66, 0x66);
  private static final Color GRID = new Color(0xE4, 0xE4, 0xE4);
  private static final Font TITLE_FONT = new Font(Font.SANS_SERIF, Font.BOLD, 17);
  private static final Font TEXT_FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
  private static final Font SMALL_FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  private static final double HEADROOM = 1.08;

  /** More iterations than this are drawn without a dot for each. */
  private static final int MOST_DOTS = 200;

  /** A magnification below this span would only show single blocks. */
  private static final double LEAST_SPAN = 4096;

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
   */
  public record Data(
      long[] floorBytes,
      long[] peakBytes,
      long[] reservedBytes,
      int warmUp,
      double slope,
      double lower,
      double upper) {}

  private LeakTrendChart() {}

  /**
   * Draws the chart.
   *
   * @param title one line
   * @param subtitle wraps where it is long
   */
  public static JFreeChart create(String title, String subtitle, Data data) {
    int count = data.floorBytes().length;
    NumberAxis iterations = new NumberAxis("iteration");
    iterations.setStandardTickUnits(NumberAxis.createIntegerTickUnits(Locale.ROOT));
    iterations.setRange(-0.5, count - 0.5);
    style(iterations);
    CombinedDomainXYPlot both = new CombinedDomainXYPlot(iterations);
    both.setGap(16);
    both.add(levels(data), 3);
    both.add(change(data), 2);
    both.setFixedLegendItems(legend(data));
    JFreeChart chart = new JFreeChart(null, null, both, false);
    chart.setBackgroundPaint(Color.WHITE);
    chart.setPadding(new RectangleInsets(10, 10, 6, 24));
    chart.addSubtitle(heading(title, TITLE_FONT, INK, 2));
    chart.addSubtitle(heading(subtitle, SMALL_FONT, FAINT_INK, 10));
    LegendTitle legend = new LegendTitle(both);
    legend.setPosition(RectangleEdge.BOTTOM);
    legend.setItemFont(TEXT_FONT);
    legend.setItemPaint(INK);
    legend.setItemLabelPadding(new RectangleInsets(2, 4, 2, 14));
    legend.setFrame(BlockBorder.NONE);
    legend.setBackgroundPaint(Color.WHITE);
    chart.addSubtitle(legend);
    chart.setAntiAlias(true);
    chart.setTextAntiAlias(true);
    return chart;
  }

  private static XYPlot levels(Data data) {
    double top =
        Math.max(
            Arrays.stream(data.reservedBytes()).max().orElse(0),
            Arrays.stream(data.peakBytes()).max().orElse(0));
    XYPlot plot = plot(style(ByteAxis.upTo(top > 0 ? top * HEADROOM : 1 << 20, "memory")), data);
    add(plot, points(data.reservedBytes(), 0, 0), line(SKY_BLUE, 2.2f, data));
    add(plot, points(data.peakBytes(), 0, 0), line(ORANGE, 1.6f, data));
    add(plot, points(data.floorBytes(), 0, 0), line(BLUE, 2.0f, data));
    return plot;
  }

  private static XYPlot change(Data data) {
    int first = data.warmUp();
    long[] floors = data.floorBytes();
    long start = floors[first];
    double least = 0;
    double most = 0;
    for (int i = first; i < floors.length; i++) {
      least = Math.min(least, floors[i] - start);
      most = Math.max(most, floors[i] - start);
    }
    double margin = Math.max(LEAST_SPAN, most - least) * (HEADROOM - 1);
    NumberAxis axis =
        ByteAxis.upTo(Math.max(LEAST_SPAN, most - least) + 2 * margin, "change when quietest");
    axis.setRange(least - margin, Math.max(most, least + LEAST_SPAN) + margin);
    XYPlot plot = plot(style(axis), data);
    add(plot, band(data, start), bandRenderer());
    add(plot, trend(data, start), line(VERMILLION, 2.0f, null));
    add(plot, points(floors, first, start), dots(data));
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
  private static double[][] line(Data data, long start, double slopeBefore, double slopeBehind) {
    double centre = centre(data);
    double middle = middle(data, start);
    double left = data.warmUp();
    double right = data.floorBytes().length - 1;
    return new double[][] {
      {left, centre, right},
      {middle + slopeBefore * (left - centre), middle, middle + slopeBehind * (right - centre)}
    };
  }

  private static XYDataset points(long[] bytes, int first, long origin) {
    double[] x = new double[bytes.length - first];
    double[] y = new double[bytes.length - first];
    for (int i = first; i < bytes.length; i++) {
      x[i - first] = i;
      y[i - first] = bytes[i] - origin;
    }
    DefaultXYDataset dataset = new DefaultXYDataset();
    dataset.addSeries("points", new double[][] {x, y});
    return dataset;
  }

  private static XYPlot plot(NumberAxis bytes, Data data) {
    XYPlot plot = new XYPlot();
    plot.setRangeAxis(bytes);
    plot.setBackgroundPaint(Color.WHITE);
    plot.setOutlineVisible(false);
    plot.setDomainGridlinePaint(GRID);
    plot.setRangeGridlinePaint(GRID);
    plot.setDomainGridlineStroke(new BasicStroke(1));
    plot.setRangeGridlineStroke(new BasicStroke(1));
    plot.setAxisOffset(new RectangleInsets(0, 0, 0, 0));
    if (data.warmUp() > 0) {
      IntervalMarker warmUp = new IntervalMarker(-0.5, data.warmUp() - 0.5, WARM_UP);
      warmUp.setAlpha(1);
      plot.addDomainMarker(warmUp, Layer.BACKGROUND);
    }
    return plot;
  }

  private static void add(XYPlot plot, XYDataset dataset, XYItemRenderer renderer) {
    int index = plot.getRenderer(0) == null ? 0 : plot.getDatasetCount();
    plot.setDataset(index, dataset);
    plot.setRenderer(index, renderer);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
  }

  private static XYLineAndShapeRenderer line(Color colour, float width, Data dotted) {
    boolean dots = dotted != null && dotted.floorBytes().length <= MOST_DOTS;
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, dots);
    renderer.setSeriesPaint(0, colour);
    renderer.setSeriesStroke(0, stroke(width));
    renderer.setSeriesShape(0, dot(2.2));
    return renderer;
  }

  private static XYLineAndShapeRenderer dots(Data data) {
    boolean many = data.floorBytes().length > MOST_DOTS;
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(false, true);
    renderer.setSeriesPaint(0, BLUE);
    renderer.setSeriesShape(0, dot(many ? 1.2 : 3.4));
    return renderer;
  }

  private static XYDifferenceRenderer bandRenderer() {
    XYDifferenceRenderer renderer = new XYDifferenceRenderer(BAND, BAND, false);
    renderer.setSeriesPaint(0, new Color(0, 0, 0, 0));
    renderer.setSeriesPaint(1, new Color(0, 0, 0, 0));
    return renderer;
  }

  private static BasicStroke stroke(float width) {
    return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL);
  }

  private static Shape dot(double radius) {
    return new Ellipse2D.Double(-radius, -radius, 2 * radius, 2 * radius);
  }

  private static NumberAxis style(NumberAxis axis) {
    axis.setLabelFont(TEXT_FONT);
    axis.setLabelPaint(INK);
    axis.setTickLabelFont(SMALL_FONT);
    axis.setTickLabelPaint(INK);
    axis.setAxisLinePaint(FAINT_INK);
    axis.setTickMarkPaint(FAINT_INK);
    return axis;
  }

  private static TextTitle heading(String text, Font font, Color colour, int spaceBelow) {
    TextTitle heading = new TextTitle(text, font);
    heading.setPaint(colour);
    heading.setHorizontalAlignment(HorizontalAlignment.LEFT);
    heading.setTextAlignment(HorizontalAlignment.LEFT);
    heading.setPosition(RectangleEdge.TOP);
    heading.setPadding(new RectangleInsets(0, 6, spaceBelow, 0));
    return heading;
  }

  private static LegendItemCollection legend(Data data) {
    LegendItemCollection items = new LegendItemCollection();
    Shape dash = new Line2D.Double(-9, 0, 9, 0);
    items.add(item("reserved at the end", dash, SKY_BLUE));
    items.add(item("live at the busiest moment", dash, ORANGE));
    items.add(item("live at the quietest moment", dash, BLUE));
    items.add(item("trend", dash, VERMILLION));
    items.add(swatch("interval of its slope", BAND));
    if (data.warmUp() > 0) {
      items.add(swatch("warm-up", WARM_UP));
    }
    return items;
  }

  private static LegendItem item(String text, Shape shape, Paint paint) {
    return new LegendItem(text, null, null, null, shape, stroke(2.2f), paint);
  }

  private static LegendItem swatch(String text, Paint paint) {
    return new LegendItem(text, null, null, null, new Rectangle2D.Double(-7, -5, 14, 10), paint);
  }
}
