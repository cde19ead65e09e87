package org.allocsim.reports.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Paint;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemSource;
import org.jfree.chart.axis.Axis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.HorizontalAlignment;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;

/**
 * The look that all charts share: paper in the colour of a theme, few lines, and colours that
 * colour-blind readers can distinguish, those of Okabe and Ito (jfly.uni-koeln.de/color, 2008).
 */
public final class ChartStyle {
  public static final Color SKY_BLUE = new Color(0x56, 0xB4, 0xE9);
  static final Color BLUE = new Color(0x00, 0x72, 0xB2);
  public static final Color ORANGE = new Color(0xE6, 0x9F, 0x00);
  public static final Color VERMILLION = new Color(0xD5, 0x5E, 0x00);
  public static final Color GREEN = new Color(0x00, 0x9E, 0x73);
  public static final Color PURPLE = new Color(0xCC, 0x79, 0xA7);
  public static final Color YELLOW = new Color(0xF0, 0xE4, 0x42);
  static final Color INK = new Color(0x33, 0x33, 0x33);
  static final Color FAINT_INK = new Color(0x66, 0x66, 0x66);
  public static final Font TEXT_FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
  public static final Font SMALL_FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  private static final Font TITLE_FONT = new Font(Font.SANS_SERIF, Font.BOLD, 17);

  private static final List<float[]> DASHES =
      List.of(
          new float[0],
          new float[] {9, 3},
          new float[] {2.5f, 2.5f},
          new float[] {9, 3, 2.5f, 3},
          new float[] {5, 2});

  static {
    // JFreeChart turns labels of axes into outlines, to get round a defect of Java 1.3: they could
    // not be searched.
    TextUtils.setUseDrawRotatedStringWorkaround(false);
  }

  private ChartStyle() {}

  /** A plot as a whole chart, with headings above and its legend below. */
  public static <P extends Plot & LegendItemSource> JFreeChart chart(
      String title, String subtitle, P plot, ChartTheme theme) {
    JFreeChart chart = new JFreeChart(null, null, plot, false);
    chart.setBackgroundPaint(theme.paper());
    chart.setPadding(new RectangleInsets(10, 10, 6, 24));
    chart.addSubtitle(heading(title, TITLE_FONT, theme.ink(), 2));
    chart.addSubtitle(heading(subtitle, SMALL_FONT, theme.faintInk(), 10));
    LegendTitle legend = new LegendTitle(plot);
    legend.setPosition(RectangleEdge.BOTTOM);
    legend.setItemFont(TEXT_FONT);
    legend.setItemPaint(theme.ink());
    legend.setItemLabelPadding(new RectangleInsets(2, 4, 2, 14));
    legend.setFrame(BlockBorder.NONE);
    legend.setBackgroundPaint(theme.paper());
    chart.addSubtitle(legend);
    chart.setAntiAlias(true);
    chart.setTextAntiAlias(true);
    return chart;
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

  /** Gives an axis its fonts and colours. */
  public static <A extends Axis> A style(A axis, ChartTheme theme) {
    axis.setLabelFont(TEXT_FONT);
    axis.setLabelPaint(theme.ink());
    axis.setTickLabelFont(SMALL_FONT);
    axis.setTickLabelPaint(theme.ink());
    axis.setAxisLinePaint(theme.faintInk());
    axis.setTickMarkPaint(theme.faintInk());
    return axis;
  }

  /**
   * An axis of seconds with few, short numbers: in milliseconds or microseconds where it is short.
   *
   * @param axis its label names no unit yet
   * @param endSeconds where it ends
   */
  public static NumberAxis seconds(NumberAxis axis, double endSeconds) {
    boolean isMicros = endSeconds < 1e-3;
    boolean isMillis = !isMicros && endSeconds < 1;
    DecimalFormat format =
        new DecimalFormat("0.###", DecimalFormatSymbols.getInstance(Locale.ROOT));
    format.setMultiplier(isMicros ? 1_000_000 : isMillis ? 1000 : 1);
    axis.setLabel(axis.getLabel() + (isMicros ? " [µs]" : isMillis ? " [ms]" : " [s]"));
    axis.setStandardTickUnits(NumberAxis.createStandardTickUnits(Locale.ROOT));
    axis.setNumberFormatOverride(format);
    return axis;
  }

  /** Whether an axis counts seconds or events. */
  static boolean isTime(Axis axis) {
    return axis.getLabel() != null
        && (axis.getLabel().contains("time") || axis.getLabel().equals("event"));
  }

  /** Gives a plot its paper and grid. */
  public static void style(XYPlot plot, ChartTheme theme) {
    plot.setBackgroundPaint(theme.paper());
    plot.setOutlineVisible(false);
    plot.setDomainGridlinePaint(theme.grid());
    plot.setRangeGridlinePaint(theme.grid());
    plot.setDomainGridlineStroke(new BasicStroke(1));
    plot.setRangeGridlineStroke(new BasicStroke(1));
    plot.setAxisOffset(new RectangleInsets(0, 0, 0, 0));
  }

  /** What an empty plot says. */
  public static void sayWithoutData(Plot plot, String message, ChartTheme theme) {
    plot.setNoDataMessage(message);
    plot.setNoDataMessageFont(TEXT_FONT);
    plot.setNoDataMessagePaint(theme.faintInk());
  }

  /** A line of this width in pixels. */
  public static BasicStroke stroke(float width) {
    return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL);
  }

  /** A line that differs from those of other series in print, too. */
  public static BasicStroke stroke(float width, int series) {
    float[] dashes = DASHES.get(series % DASHES.size());
    return dashes.length == 0
        ? stroke(width)
        : new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 1, dashes, 0);
  }

  /** A legend entry for a line. */
  public static LegendItem line(String text, BasicStroke stroke, Paint paint) {
    return new LegendItem(text, null, null, null, new Line2D.Double(-14, 0, 14, 0), stroke, paint);
  }

  /** A legend entry for an area. */
  public static LegendItem swatch(String text, Paint paint) {
    return new LegendItem(text, null, null, null, new Rectangle2D.Double(-7, -5, 14, 10), paint);
  }
}
