package org.allocsim.reports.chart.comparison;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.util.List;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.annotations.CategoryTextAnnotation;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.CategoryAnchor;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPosition;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.CategoryLabelWidthType;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.StackedBarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.text.TextBlockAnchor;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jspecify.annotations.Nullable;

/** Lying bars, one for each row, stacked from their parts; their sums stand after them. */
final class BarChart {
  /** Width in pixels. */
  static final int WIDTH = 1100;

  /** Width in pixels of charts for telephones. */
  static final int NARROW_WIDTH = 380;

  private static final int ROW_HEIGHT = 26;
  private static final int FRAME_HEIGHT = 190;

  /** Minimum room after the longest bar. */
  private static final double HEADROOM = 1.02;

  /** Share of the width that names may take. */
  private static final float MAX_FOR_LABELS = 0.34f;

  /** Share of the plot that bars keep, however long the texts after them. */
  private static final double MIN_FOR_BARS = 0.3;

  /** A bound further above all bars than this factor would leave them no room. */
  private static final double FARTHEST_BOUND = 1.5;

  /** Pixels that stay free on both sides of the line of a bound. */
  private static final int GAP = 5;

  /** On figures for papers words take up to this much more of the width than on screens. */
  private static final double LARGEST_TEXT = 1.4;

  /** Pixels beside the labels that are no plot. */
  private static final int MARGINS = 60;

  private static final Font BOLD_FONT = ChartStyle.SMALL_FONT.deriveFont(Font.BOLD);
  private static final FontRenderContext FONTS = new FontRenderContext(null, true, true);

  private BarChart() {}

  /** Height in pixels that gives every row its room. */
  static int height(BarData data) {
    return FRAME_HEIGHT + ROW_HEIGHT * Math.max(3, data.rows().size());
  }

  /** Draws the chart at its usual width. */
  static JFreeChart create(
      String title,
      String subtitle,
      String quantity,
      BarUnit unit,
      BarData data,
      List<Color> colours,
      MemoryTimelineChart.@Nullable Bound bound,
      ChartTheme theme) {
    return create(title, subtitle, quantity, unit, data, colours, bound, theme, WIDTH);
  }

  /**
   * Draws the chart.
   *
   * @param bound what no bar can exceed, or null
   * @param width in pixels, which says how much room words leave
   */
  static JFreeChart create(
      String title,
      String subtitle,
      String quantity,
      BarUnit unit,
      BarData data,
      List<Color> colours,
      MemoryTimelineChart.@Nullable Bound bound,
      ChartTheme theme,
      int width) {
    DefaultCategoryDataset dataset = new DefaultCategoryDataset();
    for (BarData.Row row : data.rows()) {
      for (int part = 0; part < data.parts().size(); part++) {
        dataset.addValue(data.drawn(row, part), data.parts().get(part), row.label());
      }
    }
    CategoryAxis labels = new CategoryAxis();
    labels.setCategoryMargin(0.25);
    labels.setLowerMargin(0.01);
    labels.setUpperMargin(0.01);
    labels.setMaximumCategoryLabelLines(2);
    labels.setMaximumCategoryLabelWidthRatio(MAX_FOR_LABELS);
    labels.setCategoryLabelPositions(
        CategoryLabelPositions.replaceLeftPosition(
            CategoryLabelPositions.STANDARD,
            new CategoryLabelPosition(
                RectangleAnchor.RIGHT,
                TextBlockAnchor.CENTER_RIGHT,
                TextAnchor.CENTER_RIGHT,
                0,
                CategoryLabelWidthType.RANGE,
                MAX_FOR_LABELS)));
    ChartStyle.style(labels, theme);
    for (BarData.Row row : data.rows()) {
      if (data.isEmphasised(row)) {
        labels.setTickLabelFont(row.label(), BOLD_FONT);
      }
    }
    MemoryTimelineChart.Bound shown =
        bound != null && bound.bytes() <= FARTHEST_BOUND * data.cut() ? bound : null;
    Room room = Room.of(data, unit, shown == null ? 0 : shown.bytes(), width);
    NumberAxis axis =
        width <= NARROW_WIDTH
            ? unit.narrowAxis(room.top(), quantity)
            : unit.axis(room.top(), quantity);
    StackedBarRenderer renderer = new StackedBarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    LegendItemCollection legend = new LegendItemCollection();
    for (int part = 0; part < data.parts().size(); part++) {
      Color colour = colours.get(part % colours.size());
      renderer.setSeriesPaint(part, colour);
      if (data.has(part) || data.parts().size() == 1) {
        legend.add(ChartStyle.swatch(data.parts().get(part), colour));
      }
    }
    CategoryPlot plot = new CategoryPlot(dataset, labels, ChartStyle.style(axis, theme), renderer);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_RIGHT);
    plot.setBackgroundPaint(theme.paper());
    plot.setOutlineVisible(false);
    plot.setRangeGridlinePaint(theme.grid());
    plot.setRangeGridlineStroke(ChartStyle.stroke(1));
    for (BarData.Row row : data.rows()) {
      String after = text(row, data, unit);
      CategoryTextAnnotation sum =
          text(row, after, room.place(data.shown(row), after), TextAnchor.CENTER_LEFT);
      sum.setPaint(row.remark().isEmpty() ? theme.ink() : theme.either(0xA63C00, 0xFF9A5C));
      plot.addAnnotation(sum);
      if (row.sum() > data.cut()) {
        CategoryTextAnnotation cut = text(row, "//  ", data.cut(), TextAnchor.CENTER_RIGHT);
        cut.setFont(BOLD_FONT);
        cut.setPaint(theme.paper());
        plot.addAnnotation(cut);
      }
    }
    if (shown != null) {
      ValueMarker marker = bound(shown, theme);
      plot.addRangeMarker(marker, Layer.FOREGROUND);
      // A label beside the line would lie on a bar.
      legend.add(
          ChartStyle.line(
              shown.name() + " " + ByteFormat.human(shown.bytes()),
              (BasicStroke) marker.getStroke(),
              marker.getPaint()));
    }
    if (data.rows().isEmpty()) {
      ChartStyle.sayWithoutData(plot, "no policy was run", theme);
    }
    plot.setFixedLegendItems(legend);
    return ChartStyle.chart(title, subtitle, plot, theme);
  }

  /** What stands after a bar. */
  private static String text(BarData.Row row, BarData data, BarUnit unit) {
    return " "
        + unit.text(row.sum())
        + (row.sum() > data.cut() ? " (bar cut)" : "")
        + (row.remark().isEmpty() ? "" : "  " + row.remark());
  }

  private static CategoryTextAnnotation text(
      BarData.Row row, String text, double at, TextAnchor anchor) {
    CategoryTextAnnotation annotation = new CategoryTextAnnotation(text, row.label(), at);
    annotation.setCategoryAnchor(CategoryAnchor.MIDDLE);
    annotation.setTextAnchor(anchor);
    annotation.setFont(ChartStyle.SMALL_FONT);
    return annotation;
  }

  /**
   * An axis that leaves every sum its room after its bar, and the line of the bound free.
   *
   * @param boundAt where that line is; 0 for none
   * @param perPixel what a pixel stands for
   */
  private record Room(double top, double boundAt, double perPixel) {
    static Room of(BarData data, BarUnit unit, double boundAt, int width) {
      double labelWidth = 0;
      for (BarData.Row row : data.rows()) {
        labelWidth = Math.max(labelWidth, width(BOLD_FONT, row.label()));
      }
      double plotWidth = width - Math.min(MAX_FOR_LABELS * width, labelWidth) - MARGINS;
      double top = Math.max(boundAt, data.cut()) * HEADROOM;
      // Where a sum stands depends on the scale, and the scale on where sums stand.
      for (int attempt = 0; attempt < 3; attempt++) {
        Room room = new Room(top, boundAt, top / plotWidth);
        for (BarData.Row row : data.rows()) {
          String text = text(row, data, unit);
          double share = Math.max(MIN_FOR_BARS, 1 - width(ChartStyle.SMALL_FONT, text) / plotWidth);
          top = Math.max(top, room.place(data.shown(row), text) / share);
        }
      }
      return new Room(top, boundAt, top / plotWidth);
    }

    /** Where the text after a bar begins. */
    double place(double end, String text) {
      double gap = GAP * perPixel;
      double textEnd = end + LARGEST_TEXT * perPixel * width(ChartStyle.SMALL_FONT, text) + gap;
      return end < boundAt + gap && textEnd > boundAt ? boundAt + gap : end;
    }
  }

  private static double width(Font font, String text) {
    return font.getStringBounds(text, FONTS).getWidth();
  }

  private static ValueMarker bound(MemoryTimelineChart.Bound bound, ChartTheme theme) {
    return new ValueMarker(
        bound.bytes(), theme.either(0xA63C00, 0xFF9A5C), ChartStyle.stroke(1.4f, 1));
  }
}
