package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.awt.Stroke;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYAreaRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.DefaultXYDataset;
import org.jfree.data.xy.XYDataset;

/** Series of one plot that lie over each other, each drawn by a renderer of its own. */
final class PlotLayers {
  private PlotLayers() {}

  /** Adds a series above those that the plot has. */
  static void add(XYPlot plot, String name, TimelineData.Points points, XYItemRenderer renderer) {
    DefaultXYDataset dataset = new DefaultXYDataset();
    if (points.count() > 0) {
      dataset.addSeries(name, new double[][] {points.x(), points.y()});
    }
    add(plot, dataset, renderer);
  }

  static void add(XYPlot plot, XYDataset dataset, XYItemRenderer renderer) {
    int index = plot.getRenderer(0) == null ? 0 : plot.getDatasetCount();
    plot.setDataset(index, dataset);
    plot.setRenderer(index, renderer);
  }

  static XYAreaRenderer area(Color colour) {
    XYAreaRenderer renderer = new XYAreaRenderer(XYAreaRenderer.AREA);
    renderer.setSeriesPaint(0, colour);
    renderer.setOutline(false);
    return renderer;
  }

  static XYLineAndShapeRenderer line(Color colour, Stroke stroke) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    renderer.setDrawSeriesLineAsPath(true);
    renderer.setSeriesPaint(0, colour);
    renderer.setSeriesStroke(0, stroke);
    return renderer;
  }
}
