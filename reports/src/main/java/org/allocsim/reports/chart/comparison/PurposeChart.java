package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.reports.chart.ChartTheme;
import org.jfree.chart.JFreeChart;

/** What programs hold at their peaks, by purpose, as lying bars. */
public final class PurposeChart {
  /** Width in pixels. */
  public static final int WIDTH = BarChart.WIDTH;

  /** Width in pixels of charts for telephones. */
  public static final int NARROW_WIDTH = BarChart.NARROW_WIDTH;

  private PurposeChart() {}

  /** Height in pixels that gives every row its room. */
  public static int height(BarData data) {
    return BarChart.height(data);
  }

  /**
   * Draws the chart.
   *
   * @param data a row for each program, with a part for each purpose
   * @param width in pixels
   */
  public static JFreeChart create(
      String title, String subtitle, BarData data, ChartTheme theme, int width) {
    List<Color> colours = new ArrayList<>();
    for (int part = 0; part < data.parts().size(); part++) {
      colours.add(
          data.parts().get(part).equals(Category.UNKNOWN.label())
              ? theme.faintInk()
              : theme.series(part));
    }
    return BarChart.create(
        title,
        subtitle,
        "requested memory at its peak",
        BarUnit.BYTES,
        data,
        colours,
        null,
        theme,
        width);
  }
}
