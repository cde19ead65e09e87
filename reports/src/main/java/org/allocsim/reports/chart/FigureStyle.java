package org.allocsim.reports.chart;

import java.awt.Font;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.LegendItemSource;
import org.jfree.chart.annotations.CategoryTextAnnotation;
import org.jfree.chart.axis.Axis;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.Marker;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.Layer;
import org.jspecify.annotations.Nullable;

/**
 * How a chart is drawn for a paper or a talk.
 *
 * @param widthPoints on paper
 * @param heightPoints on paper; null for what suits the width
 * @param fontPoints size of ordinary text; headings and ticks keep their proportion to it
 * @param font family; null for the usual one
 * @param dpi dots an inch of a PNG
 * @param title null for the usual one, empty for none
 * @param isByEvent whether axes of time count events
 * @param from where axes of time begin, in seconds or events; null for the begin
 * @param to where they end; null for the end
 * @param names other names of series, by the usual ones
 */
public record FigureStyle(
    double widthPoints,
    @Nullable Double heightPoints,
    double fontPoints,
    @Nullable String font,
    int dpi,
    @Nullable String title,
    boolean isByEvent,
    @Nullable Double from,
    @Nullable Double to,
    FigureNames names) {
  /** Charts with a scale of their own for height are at least this high for their width. */
  private static final double NARROW_RATIO = 0.8;

  /** Below this width legends take several lines. */
  private static final int NARROW = 700;

  /** Bars leave room for words as if the chart were at least so wide. */
  private static final int MIN_BARS_WIDTH = 840;

  /** Room above lines that have a label, in a plot of few pixels. */
  private static final double HEADROOM = 1.15;

  /** Width of charts for screens, for which bars leave room for words. */
  private static final double USUAL_BARS_WIDTH = 1100;

  /** Pixels of a letter, on average. */
  private static final double LETTER = 7.5;

  /** The name of a series. */
  public String nameOf(String usual) {
    return names.of(usual);
  }

  /** The numbers that a chart draws, under the names that it shows. */
  public List<ChartSeries.Point> series(JFreeChart chart) {
    return ChartSeries.of(chart, this::nameOf);
  }

  /**
   * The size of a chart.
   *
   * @param width its usual width in pixels
   * @param height its usual height in pixels
   */
  public ChartSize size(JFreeChart chart, int width, int height) {
    double pointsPerPixel = fontPoints / ChartStyle.TEXT_FONT.getSize2D();
    if (chart.getPlot() instanceof CategoryPlot) {
      pointsPerPixel = Math.min(pointsPerPixel, widthPoints / MIN_BARS_WIDTH);
    }
    int layoutWidth = (int) Math.round(widthPoints / pointsPerPixel);
    int layoutHeight;
    if (heightPoints != null) {
      layoutHeight = (int) Math.round(heightPoints / pointsPerPixel);
    } else if (chart.getPlot() instanceof CategoryPlot
        || chart.getPlot() instanceof XYPlot plot && hasRows(plot)) {
      layoutHeight = height;
    } else {
      double ratio = (double) height / width;
      layoutHeight =
          (int)
              Math.round(
                  layoutWidth * (layoutWidth < NARROW ? Math.max(NARROW_RATIO, ratio) : ratio));
    }
    return new ChartSize(layoutWidth, layoutHeight, pointsPerPixel, dpi);
  }

  /** Whether each row needs its height. */
  private static boolean hasRows(XYPlot plot) {
    return plot instanceof CombinedDomainXYPlot || plot.getRangeAxis() instanceof SymbolAxis;
  }

  /**
   * Writes a chart and leaves the stream open.
   *
   * @param style null for screens
   * @param usual its size on screens
   */
  public static void write(
      @Nullable FigureStyle style,
      JFreeChart chart,
      ChartSize usual,
      ChartFile format,
      OutputStream out)
      throws IOException {
    if (style == null) {
      format.write(chart, usual, out);
    } else {
      style.apply(chart);
      format.write(chart, style.size(chart, usual.width(), usual.height()), out);
    }
  }

  /** Gives a chart that was drawn as usual this title, these names, fonts and range. */
  public void apply(JFreeChart chart) {
    boolean isTitle = true;
    for (Object each : List.copyOf(chart.getSubtitles())) {
      if (each instanceof TextTitle text) {
        text.setFont(in(text.getFont()));
        if (isTitle && title != null) {
          text.setText(title);
          text.setVisible(!title.isEmpty());
        }
        isTitle = false;
      } else if (each instanceof LegendTitle legend) {
        rename(legend);
      }
    }
    names.rename(chart);
    apply(chart.getPlot());
  }

  private void rename(LegendTitle legend) {
    legend.setItemFont(in(legend.getItemFont()));
    LegendItemCollection renamed = new LegendItemCollection();
    for (LegendItemSource source : legend.getSources()) {
      LegendItemCollection items = source.getLegendItems();
      for (Iterator<?> all = items.iterator(); all.hasNext(); ) {
        renamed.add(renamed((LegendItem) all.next()));
      }
    }
    legend.setSources(new LegendItemSource[] {() -> renamed});
  }

  private LegendItem renamed(LegendItem item) {
    return new LegendItem(
        cut(nameOf(item.getLabel())),
        null,
        null,
        null,
        item.isShapeVisible(),
        item.getShape(),
        item.isShapeFilled(),
        item.getFillPaint(),
        item.isShapeOutlineVisible(),
        item.getOutlinePaint(),
        item.getOutlineStroke(),
        item.isLineVisible(),
        item.getLine(),
        item.getLineStroke(),
        item.getLinePaint());
  }

  /** A legend's entry must fit into a line. */
  private String cut(String name) {
    int room = (int) (widthPoints / (fontPoints / ChartStyle.TEXT_FONT.getSize2D()) / LETTER) - 8;
    return name.length() <= room ? name : name.substring(0, Math.max(1, room)) + "…";
  }

  private void apply(Plot plot) {
    switch (plot) {
      case CombinedDomainXYPlot panels -> {
        apply(panels.getDomainAxis());
        clip(panels.getDomainAxis());
        for (Object panel : panels.getSubplots()) {
          apply((Plot) panel);
        }
      }
      case XYPlot one -> {
        apply(one.getDomainAxis());
        apply(one.getRangeAxis());
        clip(one.getDomainAxis());
        apply(one.getRangeMarkers(Layer.FOREGROUND));
        if (one.getRangeMarkers(Layer.FOREGROUND) != null) {
          one.getRangeAxis().setUpperBound(HEADROOM * one.getRangeAxis().getUpperBound());
        }
      }
      case CategoryPlot bars -> {
        apply(bars.getDomainAxis());
        apply(bars.getRangeAxis());
        bars.getRangeAxis()
            .setUpperBound(USUAL_BARS_WIDTH / MIN_BARS_WIDTH * bars.getRangeAxis().getUpperBound());
        apply(bars.getRangeMarkers(Layer.FOREGROUND));
        for (Object each : bars.getAnnotations()) {
          if (each instanceof CategoryTextAnnotation text) {
            text.setFont(in(text.getFont()));
          }
        }
      }
      default -> {}
    }
  }

  private void apply(@Nullable Collection<?> markers) {
    if (markers != null) {
      for (Object each : markers) {
        Marker marker = (Marker) each;
        marker.setLabelFont(in(marker.getLabelFont()));
      }
    }
  }

  private void apply(@Nullable Axis axis) {
    if (axis == null) {
      return;
    }
    axis.setLabelFont(in(axis.getLabelFont()));
    axis.setTickLabelFont(in(axis.getTickLabelFont()));
    if (axis instanceof CategoryAxis names && axis.getPlot() instanceof CategoryPlot plot) {
      Map<Comparable<?>, Font> fonts = new HashMap<>();
      for (Object each : plot.getCategories()) {
        Comparable<?> category = (Comparable<?>) each;
        fonts.put(category, in(names.getTickLabelFont(category)));
      }
      fonts.forEach(names::setTickLabelFont);
    }
  }

  private void clip(@Nullable ValueAxis axis) {
    if (axis == null || (from == null && to == null) || !ChartStyle.isTime(axis)) {
      return;
    }
    double begin = from == null ? axis.getLowerBound() : from;
    double end = to == null ? axis.getUpperBound() : to;
    if (end > begin) {
      axis.setRange(begin, end);
    }
  }

  private Font in(Font usual) {
    return font == null
        ? usual
        : new Font(font, usual.getStyle(), usual.getSize()).deriveFont(usual.getSize2D());
  }
}
