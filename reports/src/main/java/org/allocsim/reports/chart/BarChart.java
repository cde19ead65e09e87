package org.allocsim.reports.chart;

import java.awt.Color;
import java.util.List;
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
import org.jfree.chart.renderer.category.StackedBarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.text.TextBlockAnchor;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.DefaultCategoryDataset;

/** Lying bars, one for each row, stacked from their parts; their sums stand behind them. */
final class BarChart {
  /** Width in pixels. */
  static final int WIDTH = 1100;

  private static final int ROW_HEIGHT = 26;
  private static final int FRAME_HEIGHT = 190;

  /** Room for the sums behind the longest bar. */
  private static final double HEADROOM = 1.28;

  private BarChart() {}

  /** Height in pixels that gives every row its room. */
  static int height(BarData data) {
    return FRAME_HEIGHT + ROW_HEIGHT * Math.max(3, data.rows().size());
  }

  static JFreeChart create(
      String title,
      String subtitle,
      String quantity,
      BarUnit unit,
      BarData data,
      List<Color> colours,
      ChartTheme theme) {
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
    labels.setMaximumCategoryLabelWidthRatio(0.34f);
    labels.setCategoryLabelPositions(
        CategoryLabelPositions.replaceLeftPosition(
            CategoryLabelPositions.STANDARD,
            new CategoryLabelPosition(
                RectangleAnchor.RIGHT,
                TextBlockAnchor.CENTER_RIGHT,
                TextAnchor.CENTER_RIGHT,
                0,
                CategoryLabelWidthType.RANGE,
                0.34f)));
    NumberAxis axis = unit.axis(data.cut() * HEADROOM, quantity);
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
    CategoryPlot plot =
        new CategoryPlot(
            dataset, ChartStyle.style(labels, theme), ChartStyle.style(axis, theme), renderer);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_RIGHT);
    plot.setBackgroundPaint(theme.paper());
    plot.setOutlineVisible(false);
    plot.setRangeGridlinePaint(theme.grid());
    plot.setRangeGridlineStroke(ChartStyle.stroke(1));
    for (BarData.Row row : data.rows()) {
      boolean isCut = row.sum() > data.cut();
      String remark = row.remark().isEmpty() ? "" : "  " + row.remark();
      CategoryTextAnnotation sum =
          new CategoryTextAnnotation(
              " " + unit.text(row.sum()) + (isCut ? " (bar cut)" : "") + remark,
              row.label(),
              Math.min(row.sum(), data.cut()));
      sum.setCategoryAnchor(CategoryAnchor.MIDDLE);
      sum.setTextAnchor(TextAnchor.CENTER_LEFT);
      sum.setFont(ChartStyle.SMALL_FONT);
      sum.setPaint(theme.ink());
      plot.addAnnotation(sum);
    }
    if (data.rows().isEmpty()) {
      ChartStyle.sayWithoutData(plot, "no policy was run", theme);
    }
    plot.setFixedLegendItems(legend);
    return ChartStyle.chart(title, subtitle, plot, theme);
  }
}
