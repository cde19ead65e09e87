package org.allocsim.reports.chart;

import java.util.List;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;

/** Which share of reserved memory is of no use, over time. */
public final class FragmentationChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 560;

  private FragmentationChart() {}

  /** Draws the chart. */
  public static JFreeChart create(
      String title, String subtitle, FragmentationData data, ChartTheme theme) {
    XYPlot plot = new XYPlot();
    plot.setDomainAxis(
        ChartStyle.style(MemoryTimelineChart.timeAxis(data.axis(), data.end()), theme));
    NumberAxis percent = new NumberAxis("share of reserved memory [%]");
    percent.setRange(0, 100);
    percent.setTickUnit(new NumberTickUnit(20));
    plot.setRangeAxis(ChartStyle.style(percent, theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    LegendItemCollection legend = new LegendItemCollection();
    List<FragmentationData.Line> lines = data.lines();
    boolean empty = true;
    for (int i = 0; i < lines.size(); i++) {
      FragmentationData.Line line = lines.get(i);
      empty &= line.points().count() == 0;
      XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
      renderer.setDrawSeriesLineAsPath(true);
      renderer.setSeriesPaint(0, theme.series(i));
      renderer.setSeriesStroke(0, ChartStyle.stroke(1.6f, i));
      plot.setDataset(i, MemoryTimelineChart.dataset(line.points()));
      plot.setRenderer(i, renderer);
      legend.add(
          ChartStyle.line(
              String.format(Locale.ROOT, "%s (peak %.1f %%)", line.label(), line.peakPercent()),
              ChartStyle.stroke(2.4f, i),
              theme.series(i)));
    }
    if (empty) {
      ChartStyle.sayWithoutData(plot, "no memory was used", theme);
    }
    plot.setFixedLegendItems(legend);
    return ChartStyle.chart(title, subtitle, plot, theme);
  }
}
