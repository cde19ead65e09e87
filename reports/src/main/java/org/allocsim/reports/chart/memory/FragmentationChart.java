package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.Painting;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.XYPlot;

/**
 * Which share of reserved memory is of no use, over time. Each line has a panel of its own, as
 * lines that go up and down with every request would hide one another.
 */
public final class FragmentationChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  private static final int PANEL_HEIGHT = 120;
  private static final int FRAME_HEIGHT = 160;

  private static final double WHOLE = 100;
  private static final double[] SMALL_TOPS = {0.1, 1, 4, 10, 20};

  private FragmentationChart() {}

  /** Height in pixels that gives every panel its room. */
  public static int height(FragmentationData data) {
    return FRAME_HEIGHT + PANEL_HEIGHT * Math.max(2, data.lines().size());
  }

  /** Draws the chart. */
  public static JFreeChart create(
      String title, String subtitle, FragmentationData data, ChartTheme theme) {
    ValueAxis time = ChartStyle.style(MemoryTimelineChart.timeAxis(data.axis(), data.end()), theme);
    CombinedDomainXYPlot panels = new CombinedDomainXYPlot(time);
    panels.setGap(10);
    LegendItemCollection legend = new LegendItemCollection();
    List<FragmentationData.Line> lines = data.lines();
    boolean empty = lines.stream().allMatch(line -> line.points().count() == 0);
    for (int i = 0; i < lines.size() && !empty; i++) {
      FragmentationData.Line line = lines.get(i);
      Color colour = OverlayChart.colour(i, theme);
      panels.add(panel(line, colour, theme));
      legend.add(ChartStyle.swatch(line.label(), colour));
    }
    if (empty) {
      XYPlot plot = new XYPlot();
      plot.setRangeAxis(axis(WHOLE, theme));
      ChartStyle.style(plot, theme);
      ChartStyle.sayWithoutData(plot, "no memory was used", theme);
      panels.add(plot);
    }
    panels.setFixedLegendItems(legend);
    return ChartStyle.chart(title, subtitle, panels, theme);
  }

  private static XYPlot panel(FragmentationData.Line line, Color colour, ChartTheme theme) {
    XYPlot plot = new XYPlot();
    plot.setRangeAxis(axis(top(line.points()), theme));
    ChartStyle.style(plot, theme);
    Color fill = new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), 90);
    PlotLayers.add(plot, line.label(), line.points(), PlotLayers.area(fill));
    PlotLayers.add(
        plot, line.label(), line.points(), PlotLayers.line(colour, ChartStyle.stroke(1.2f)));
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    plot.addAnnotation(new PanelName(line.label(), theme));
    return plot;
  }

  /** What a panel shows, in its upper left corner. */
  private static final class PanelName extends Painting {
    private static final long serialVersionUID = 1L;
    private static final int PAPER_ALPHA = 200;

    private final transient ChartTheme theme;
    private String text;

    PanelName(String text, ChartTheme theme) {
      this.text = text;
      this.theme = theme;
    }

    @Override
    protected void rename(UnaryOperator<String> names) {
      text = names.apply(text);
    }

    @Override
    protected void paint(Graphics2D graphics, Scale scale) {
      graphics.setFont(scale.font());
      FontMetrics metrics = graphics.getFontMetrics();
      double left = scale.area().getX() + 4;
      double top = scale.area().getY() + 2;
      Color paper = theme.paper();
      graphics.setPaint(new Color(paper.getRed(), paper.getGreen(), paper.getBlue(), PAPER_ALPHA));
      graphics.fill(
          new Rectangle2D.Double(left, top, metrics.stringWidth(text) + 8, metrics.getHeight()));
      graphics.setPaint(theme.ink());
      graphics.drawString(text, (float) left + 4, (float) top + metrics.getAscent());
    }
  }

  /** Where a panel ends: at the whole, or for small shares at a round one just above them. */
  private static double top(TimelineData.Points points) {
    double highest = Arrays.stream(points.y()).max().orElse(0);
    return Arrays.stream(SMALL_TOPS).filter(top -> highest <= top).findFirst().orElse(WHOLE);
  }

  private static NumberAxis axis(double top, ChartTheme theme) {
    NumberAxis percent = new NumberAxis("share [%]");
    percent.setRange(0, top);
    percent.setTickUnit(new NumberTickUnit(top / 2));
    percent.setNumberFormatOverride(
        new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT)));
    return ChartStyle.style(percent, theme);
  }
}
