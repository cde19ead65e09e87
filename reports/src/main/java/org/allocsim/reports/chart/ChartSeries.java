package org.allocsim.reports.chart;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.xy.XYDataset;

/** The numbers that a chart draws. */
public final class ChartSeries {
  private ChartSeries() {}

  /**
   * A point of a series.
   *
   * @param panel number of the panel, from above
   * @param series name of the series
   * @param at where it is: seconds, a number of an event, or the name of a bar, bin or device
   * @param value bytes, a share in percent, or what the axis says
   */
  public record Point(int panel, String series, Object at, double value) {}

  /**
   * All points, each series once however often it is drawn; empty for maps.
   *
   * @param names what a series is called, by its usual name
   */
  static List<Point> of(JFreeChart chart, UnaryOperator<String> names) {
    List<Point> points = new ArrayList<>();
    if (chart.getPlot() instanceof CombinedDomainXYPlot panels) {
      int number = 0;
      for (Object panel : panels.getSubplots()) {
        add((XYPlot) panel, panels.getDomainAxis(), number++, names, points);
      }
    } else if (chart.getPlot() instanceof XYPlot lines) {
      add(lines, lines.getDomainAxis(), 0, names, points);
    } else if (chart.getPlot() instanceof CategoryPlot bars) {
      add(bars.getDataset(), points);
    }
    return points;
  }

  private static void add(
      XYPlot plot, ValueAxis axis, int panel, UnaryOperator<String> names, List<Point> points) {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < plot.getDatasetCount(); i++) {
      XYDataset data = plot.getDataset(i);
      for (int series = 0; data != null && series < data.getSeriesCount(); series++) {
        String name = data.getSeriesKey(series).toString();
        if (seen.add(name)) {
          for (int item = 0; item < data.getItemCount(series); item++) {
            double x = data.getXValue(series, item);
            Object at = axis instanceof SymbolAxis symbols ? symbols.valueToString(x) : (Object) x;
            points.add(new Point(panel, names.apply(name), at, data.getYValue(series, item)));
          }
        }
      }
    }
    for (Object each : plot.getAnnotations()) {
      if (each instanceof Painting painting) {
        painting
            .cells()
            .forEach(cell ->
                points.add(
                    new Point(
                        panel, names.apply(cell.row()), names.apply(cell.column()), cell.value())));
      }
    }
  }

  /** Bars have their names already. */
  private static void add(CategoryDataset data, List<Point> points) {
    for (int row = 0; row < data.getRowCount(); row++) {
      for (int column = 0; column < data.getColumnCount(); column++) {
        Number value = data.getValue(row, column);
        if (value != null) {
          points.add(
              new Point(
                  0,
                  data.getRowKey(row).toString(),
                  data.getColumnKey(column).toString(),
                  value.doubleValue()));
        }
      }
    }
  }
}
