package org.allocsim.reports.chart;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.Plot;
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
   * @param at where it is: seconds, a number of an event, or the name of a bar
   * @param value bytes, a share in percent, or what the axis says
   */
  public record Point(int panel, String series, Object at, double value) {}

  /** All points, each series once however often it is drawn; empty for maps. */
  public static List<Point> of(JFreeChart chart) {
    List<Point> points = new ArrayList<>();
    if (chart.getPlot() instanceof CombinedDomainXYPlot panels) {
      int number = 0;
      for (Object panel : panels.getSubplots()) {
        add((Plot) panel, number++, points);
      }
    } else {
      add(chart.getPlot(), 0, points);
    }
    return points;
  }

  private static void add(Plot plot, int panel, List<Point> points) {
    if (plot instanceof XYPlot lines) {
      Set<String> seen = new HashSet<>();
      for (int i = 0; i < lines.getDatasetCount(); i++) {
        XYDataset data = lines.getDataset(i);
        for (int series = 0; data != null && series < data.getSeriesCount(); series++) {
          String name = data.getSeriesKey(series).toString();
          if (seen.add(name)) {
            for (int item = 0; item < data.getItemCount(series); item++) {
              points.add(
                  new Point(
                      panel, name, data.getXValue(series, item), data.getYValue(series, item)));
            }
          }
        }
      }
    } else if (plot instanceof CategoryPlot bars) {
      CategoryDataset data = bars.getDataset();
      for (int row = 0; row < data.getRowCount(); row++) {
        for (int column = 0; column < data.getColumnCount(); column++) {
          Number value = data.getValue(row, column);
          if (value != null) {
            points.add(
                new Point(
                    panel,
                    data.getRowKey(row).toString(),
                    data.getColumnKey(column).toString(),
                    value.doubleValue()));
          }
        }
      }
    }
  }
}
