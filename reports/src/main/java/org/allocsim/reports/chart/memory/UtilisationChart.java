package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.util.Locale;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.simulator.timing.BusyTimeline;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;

/** How busy the GPU was over simulated time: computing, and copying in both directions. */
public final class UtilisationChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Height in pixels. */
  public static final int HEIGHT = 480;

  private UtilisationChart() {}

  /** Draws the chart. */
  public static JFreeChart create(String subtitle, UtilisationData data, ChartTheme theme) {
    XYPlot plot = new XYPlot();
    NumberAxis time =
        data.isByEvent()
            ? MemoryTimelineChart.timeAxis(TimelineData.Axis.EVENTS, data.end())
            : ChartStyle.seconds(new NumberAxis("simulated time"), data.end());
    time.setRange(0, data.end());
    plot.setDomainAxis(ChartStyle.style(time, theme));
    NumberAxis percent = new NumberAxis("busy [%]");
    percent.setRange(0, 105);
    percent.setTickUnit(new NumberTickUnit(20));
    plot.setRangeAxis(ChartStyle.style(percent, theme));
    ChartStyle.style(plot, theme);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    LegendItemCollection legend = new LegendItemCollection();
    Color compute = theme.either(0x56B4E9, 0x1F86C4);
    PlotLayers.add(
        plot, "computing", data.points(data.result().compute()), PlotLayers.area(compute));
    legend.add(
        ChartStyle.swatch(
            String.format(Locale.ROOT, "computing (%.1f %% of the time)", data.computePercent()),
            compute));
    copies(plot, legend, data, data.result().toDevice(), "copying to the GPU", 1, theme);
    copies(plot, legend, data, data.result().toHost(), "copying from the GPU", 3, theme);
    plot.setFixedLegendItems(legend);
    boolean idle = data.result().compute().totalNanos() == 0;
    return ChartStyle.chart(
        idle
            ? "How busy the GPU is"
            : String.format(
                Locale.ROOT, "The GPU computes %.1f %% of the time", data.computePercent()),
        idle ? subtitle + "; GPU activity is unknown" : subtitle,
        plot,
        theme);
  }

  private static void copies(
      XYPlot plot,
      LegendItemCollection legend,
      UtilisationData data,
      BusyTimeline busy,
      String name,
      int series,
      ChartTheme theme) {
    if (busy.totalNanos() == 0) {
      return;
    }
    PlotLayers.add(
        plot,
        name,
        data.points(busy),
        PlotLayers.line(theme.series(series), ChartStyle.stroke(1.4f)));
    legend.add(
        ChartStyle.line(
            String.format(Locale.ROOT, "%s (%.1f %% of the time)", name, data.copyPercent(busy)),
            ChartStyle.stroke(2),
            theme.series(series)));
  }
}
