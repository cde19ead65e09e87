package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.util.Locale;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.QuantityScale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StandardXYBarPainter;
import org.jfree.chart.renderer.xy.XYBarRenderer;
import org.jfree.data.xy.DefaultXYDataset;
import org.jfree.data.xy.XYBarDataset;

/** A distribution of allocations: above, how many there are; below, what they come to in bytes. */
public final class DistributionChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 640;

  private static final double HEADROOM = 1.08;
  private static final double BAR = 0.86;

  /** Fewer bins are drawn as narrow as this many. */
  private static final int FEW_BINS = 8;

  private DistributionChart() {}

  /** Draws the chart. */
  public static JFreeChart create(String title, String subtitle, Histogram data, ChartTheme theme) {
    int bins = data.binLabels().size();
    String[] labels = bins == 0 ? new String[] {""} : data.binLabels().toArray(String[]::new);
    SymbolAxis axis = new SymbolAxis(data.quantity(), labels);
    axis.setGridBandsVisible(false);
    double beside = Math.max(0, FEW_BINS - labels.length) / 2.0;
    axis.setRange(-0.5 - beside, labels.length - 0.5 + beside);
    axis.setVerticalTickLabels(bins > 14);
    ChartStyle.style(axis, theme);
    CombinedDomainXYPlot both = new CombinedDomainXYPlot(axis);
    both.setGap(14);
    NumberAxis counts = new NumberAxis("allocations");
    counts.setStandardTickUnits(NumberAxis.createIntegerTickUnits(Locale.ROOT));
    counts.setNumberFormatOverride(QuantityScale.counts());
    counts.setRange(0, Math.max(1, top(data.counts())) * HEADROOM);
    Color first = theme.series(0);
    Color second = theme.series(1);
    both.add(plot(data.counts(), counts, first, theme));
    both.add(
        plot(
            data.bytes(),
            ByteAxis.upTo(Math.max(1, top(data.bytes())) * HEADROOM, "requested in total"),
            second,
            theme));
    // The axes say what the bars are.
    both.setFixedLegendItems(new LegendItemCollection());
    return ChartStyle.chart(
        title, bins == 0 ? subtitle + "; no allocations" : subtitle, both, theme);
  }

  private static double top(long[] values) {
    double top = 0;
    for (long value : values) {
      top = Math.max(top, value);
    }
    return top;
  }

  private static XYPlot plot(long[] values, NumberAxis axis, Color colour, ChartTheme theme) {
    double[][] points = new double[2][values.length];
    for (int bin = 0; bin < values.length; bin++) {
      points[0][bin] = bin;
      points[1][bin] = values[bin];
    }
    DefaultXYDataset dataset = new DefaultXYDataset();
    dataset.addSeries(axis.getLabel(), points);
    XYBarRenderer renderer = new XYBarRenderer();
    renderer.setBarPainter(new StandardXYBarPainter());
    renderer.setShadowVisible(false);
    renderer.setSeriesPaint(0, colour);
    XYPlot plot = new XYPlot();
    plot.setDataset(new XYBarDataset(dataset, BAR));
    plot.setRenderer(renderer);
    plot.setRangeAxis(ChartStyle.style(axis, theme));
    ChartStyle.style(plot, theme);
    plot.setDomainGridlinesVisible(false);
    return plot;
  }
}
