package org.allocsim.reports.chart.gpu;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.QuantityScale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.DefaultXYDataset;

/**
 * What was predicted over what was measured. On the line, both are equal; between the faint lines
 * of a logarithmic chart, they differ by less than a factor of two. Series differ in colour and in
 * shape.
 */
public final class PredictedMeasuredChart {
  /** Width in pixels. */
  public static final int WIDTH = 900;

  /** Height in pixels. */
  public static final int HEIGHT = 960;

  private static final double SIZE = 4.5;
  private static final List<Shape> SHAPES =
      List.of(
          new Ellipse2D.Double(-SIZE, -SIZE, 2 * SIZE, 2 * SIZE),
          new Rectangle2D.Double(-SIZE, -SIZE, 2 * SIZE, 2 * SIZE),
          polygon(0, -1.25, 1.2, 0.95, -1.2, 0.95),
          polygon(0, -1.4, 1.2, 0, 0, 1.4, -1.2, 0),
          polygon(0, 1.25, 1.2, -0.95, -1.2, -0.95));

  private PredictedMeasuredChart() {}

  private static Shape polygon(double... corners) {
    Path2D path = new Path2D.Double();
    path.moveTo(corners[0], corners[1]);
    for (int i = 2; i < corners.length; i += 2) {
      path.lineTo(corners[i], corners[i + 1]);
    }
    path.closePath();
    return AffineTransform.getScaleInstance(SIZE, SIZE).createTransformedShape(path);
  }

  /**
   * Draws the chart.
   *
   * @param title one line
   * @param subtitle wraps where it is long
   * @param quantity what is compared, for the axes
   */
  public static JFreeChart create(
      String title,
      String subtitle,
      String quantity,
      PredictedMeasuredData data,
      QuantityScale.Unit unit,
      ChartTheme theme) {
    QuantityScale scale = QuantityScale.of(data.lowest(), data.greatest(), data.isWide(), unit);
    ValueAxis across = scale.axis(quantity + ", measured");
    ValueAxis up = scale.axis(quantity + ", predicted");
    ChartStyle.style(across, theme);
    ChartStyle.style(up, theme);
    XYPlot plot = new XYPlot();
    plot.setDomainAxis(across);
    plot.setRangeAxis(up);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    ChartStyle.style(plot, theme);
    if (data.series().isEmpty()) {
      ChartStyle.sayWithoutData(plot, "nothing was compared", theme);
    } else {
      line(plot, scale, 1, theme.faintInk(), ChartStyle.stroke(1.4f));
      if (scale.isLogarithmic()) {
        line(plot, scale, 2, theme.faintInk(), dashes());
        line(plot, scale, 0.5, theme.faintInk(), dashes());
      }
      points(plot, data, scale, theme);
      plot.setFixedLegendItems(legend(data, scale, theme));
    }
    String atTheEdge =
        data.oneSided() == 0
            ? ""
            : "; " + Numbers.count(data.oneSided(), "point") + " drawn at the edge: 0 on one axis";
    return ChartStyle.chart(title, subtitle + atTheEdge, plot, theme);
  }

  private static BasicStroke dashes() {
    return new BasicStroke(
        1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 1, new float[] {3, 4}, 0);
  }

  /** Where predicted is so many times measured. */
  private static void line(
      XYPlot plot, QuantityScale scale, double factor, Color colour, BasicStroke stroke) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    double left = Math.max(scale.low(), scale.low() / factor);
    double right = Math.min(scale.high(), scale.high() / factor);
    dataset.addSeries("line", new double[][] {{left, right}, {left * factor, right * factor}});
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    renderer.setSeriesPaint(0, colour);
    renderer.setSeriesStroke(0, stroke);
    int index = plot.getRenderer(0) == null ? 0 : plot.getDatasetCount();
    plot.setDataset(index, dataset);
    plot.setRenderer(index, renderer);
  }

  private static void points(
      XYPlot plot, PredictedMeasuredData data, QuantityScale scale, ChartTheme theme) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(false, true);
    renderer.setUseOutlinePaint(true);
    renderer.setDrawOutlines(true);
    List<PredictedMeasuredData.Series> all = data.series();
    for (int index = 0; index < all.size(); index++) {
      PredictedMeasuredData.Series series = all.get(index);
      double[][] places = new double[2][series.count()];
      for (int pair = 0; pair < series.count(); pair++) {
        places[0][pair] = Math.max(scale.low(), series.measured(pair));
        places[1][pair] = Math.max(scale.low(), series.predicted(pair));
      }
      dataset.addSeries(series.name(), places);
      renderer.setSeriesShape(index, shape(index));
      renderer.setSeriesPaint(index, theme.series(index));
      renderer.setSeriesOutlinePaint(index, theme.paper());
      renderer.setSeriesOutlineStroke(index, ChartStyle.stroke(0.8f));
    }
    int index = plot.getDatasetCount();
    plot.setDataset(index, dataset);
    plot.setRenderer(index, renderer);
  }

  /** Neighbours among the colours that repeat, and blue and sky blue, get different shapes. */
  private static Shape shape(int index) {
    return SHAPES.get((index + index / SHAPES.size()) % SHAPES.size());
  }

  private static LegendItemCollection legend(
      PredictedMeasuredData data, QuantityScale scale, ChartTheme theme) {
    LegendItemCollection items = new LegendItemCollection();
    List<PredictedMeasuredData.Series> all = data.series();
    for (int index = 0; index < all.size(); index++) {
      items.add(
          new LegendItem(
              all.get(index).name(), null, null, null, shape(index), theme.series(index)));
    }
    Shape stroke = new Line2D.Double(-9, 0, 9, 0);
    items.add(
        new LegendItem(
            "predicted = measured",
            null,
            null,
            null,
            stroke,
            ChartStyle.stroke(1.4f),
            theme.faintInk()));
    if (scale.isLogarithmic()) {
      items.add(
          new LegendItem(
              "twice and half the measured value",
              null,
              null,
              null,
              stroke,
              dashes(),
              theme.faintInk()));
    }
    return items;
  }
}
