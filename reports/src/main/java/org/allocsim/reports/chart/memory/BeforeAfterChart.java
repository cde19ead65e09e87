package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.Layer;

/**
 * Memory of a program before and after a change over one axis, from the begin to the end of a step
 * of each. What the change saves stays to be seen above the area of the changed program.
 */
public final class BeforeAfterChart {
  /** Width in pixels. */
  public static final int WIDTH = 1100;

  /** Height in pixels. */
  public static final int HEIGHT = 420;

  /** Width in pixels of charts for telephones. */
  public static final int NARROW_WIDTH = 380;

  private static final double HEADROOM = 1.12;

  /** A bound further above all memory than this factor would squeeze the areas flat. */
  private static final double FARTHEST_BOUND = 2;

  private static final int RESERVED_DASHES = 2;

  private BeforeAfterChart() {}

  /**
   * Memory of one program.
   *
   * @param label what the legend calls it
   * @param isStep whether it is one step, and not the whole run
   * @param allocatedBytes allocated memory at even distances
   * @param reservedBytes the most reserved memory meanwhile
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Course(String label, boolean isStep, double[] allocatedBytes, long reservedBytes) {
    private TimelineData.Points points() {
      int count = allocatedBytes.length;
      double[] x = new double[2 * count];
      double[] y = new double[2 * count];
      for (int i = 0; i < count; i++) {
        x[2 * i] = (double) i / count;
        x[2 * i + 1] = (double) (i + 1) / count;
        y[2 * i] = allocatedBytes[i];
        y[2 * i + 1] = allocatedBytes[i];
      }
      return new TimelineData.Points(x, y);
    }
  }

  /**
   * Draws the chart.
   *
   * @param bound what memory cannot exceed
   * @param width in pixels
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      Course before,
      Course after,
      MemoryTimelineChart.Bound bound,
      ChartTheme theme,
      int width) {
    double top = Math.max(before.reservedBytes(), after.reservedBytes());
    boolean boundShown = bound.bytes() <= FARTHEST_BOUND * top;
    if (boundShown) {
      top = Math.max(top, bound.bytes());
    }
    XYPlot plot = new XYPlot();
    boolean isNarrow = width < WIDTH;
    plot.setDomainAxis(ChartStyle.style(axis(before.isStep() && after.isStep()), theme));
    plot.setRangeAxis(
        ChartStyle.style(
            ByteAxis.upTo(top > 0 ? top * HEADROOM : 1 << 20, "allocated memory"), theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    add(plot, before, line(0, theme), fill(0, theme));
    add(plot, after, line(1, theme), fill(1, theme));
    reserved(plot, before, 0, theme);
    reserved(plot, after, 1, theme);
    if (boundShown) {
      plot.addRangeMarker(
          MemoryTimelineChart.boundLine(bound, ChartStyle.stroke(1.2f, 1), theme, true),
          Layer.FOREGROUND);
    }
    LegendItemCollection items = new LegendItemCollection();
    items.add(ChartStyle.swatch(legend(before, isNarrow), fill(0, theme)));
    items.add(ChartStyle.swatch(legend(after, isNarrow), fill(1, theme)));
    items.add(
        ChartStyle.line("reserved", ChartStyle.stroke(1.6f, RESERVED_DASHES), theme.faintInk()));
    plot.setFixedLegendItems(items);
    return ChartStyle.chart(title, subtitle, plot, theme);
  }

  private static String legend(Course course, boolean isNarrow) {
    double peak = 0;
    for (double each : course.allocatedBytes()) {
      peak = Math.max(peak, each);
    }
    String name = course.label() + ": " + ByteFormat.human((long) peak);
    return isNarrow
        ? name
        : name + " allocated, " + ByteFormat.human(course.reservedBytes()) + " reserved";
  }

  private static NumberAxis axis(boolean isStep) {
    NumberAxis axis =
        new NumberAxis(
            isStep
                ? "part of the step, in calls of the allocator"
                : "part of the run, in calls of the allocator");
    axis.setRange(0, 1);
    axis.setTickUnit(
        new NumberTickUnit(
            0.25, new DecimalFormat("0 %", DecimalFormatSymbols.getInstance(Locale.ROOT))));
    return axis;
  }

  private static void add(XYPlot plot, Course course, Color line, Color fill) {
    TimelineData.Points points = course.points();
    PlotLayers.add(plot, course.label(), points, PlotLayers.area(fill));
    PlotLayers.add(
        plot, course.label() + " (line)", points, PlotLayers.line(line, ChartStyle.stroke(1.4f)));
  }

  private static void reserved(XYPlot plot, Course course, int index, ChartTheme theme) {
    plot.addRangeMarker(
        new ValueMarker(
            course.reservedBytes(), line(index, theme), ChartStyle.stroke(1.6f, RESERVED_DASHES)),
        Layer.FOREGROUND);
  }

  /** The unchanged program is orange, the changed one blue. */
  private static Color line(int index, ChartTheme theme) {
    return OverlayChart.colour(index, theme);
  }

  private static Color fill(int index, ChartTheme theme) {
    return index == 0 ? theme.either(0xF6D9A0, 0x6B5320) : theme.either(0x8FBEDD, 0x2D5F86);
  }
}
