package org.allocsim.reports.chart.comparison;

import java.awt.Color;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.NamedAxis;
import org.allocsim.reports.chart.Painting;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.plot.XYPlot;
import org.jspecify.annotations.Nullable;

/**
 * Allocators as rows, devices as columns: where every request is served, and where one fails. Cells
 * that fail are crossed, so that no colour is needed to distinguish them.
 */
public final class FrontierChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  /** Width on telephones. */
  public static final int NARROW_WIDTH = BarChart.NARROW_WIDTH;

  /** Devices that it has room for there. */
  public static final int NARROW_DEVICES = 5;

  private static final int ROW_HEIGHT = 28;
  private static final int FRAME_HEIGHT = 300;

  /** Share of the width that the plot has however long the names of allocators. */
  private static final double MIN_PLOT_SHARE = 0.68;

  /** The same on telephones, where names take the more. */
  private static final double MIN_NARROW_PLOT_SHARE = 0.38;

  /** Width that a size in words takes. */
  private static final double TEXT_WIDTH = 84;

  private FrontierChart() {}

  /** Height in pixels that gives every row its room. */
  public static int height(FrontierData data) {
    return FRAME_HEIGHT + ROW_HEIGHT * Math.max(2, data.rows().size());
  }

  /** Draws the chart for a width. */
  public static JFreeChart create(
      String title, String subtitle, FrontierData data, ChartTheme theme, int width) {
    int columns = data.columns().size();
    String[] devices = new String[columns + 1];
    for (int column = 0; column < columns; column++) {
      FrontierData.Column device = data.columns().get(column);
      devices[column] =
          (device.name().isEmpty() ? "" : device.name() + ", ") + ByteFormat.human(device.bytes());
    }
    devices[columns] = "smallest device";
    String[] labels =
        data.rows().isEmpty()
            ? new String[] {""}
            : data.rows().stream().map(FrontierData.Row::label).toArray(String[]::new);
    XYPlot plot = new XYPlot();
    double after = after(columns, width);
    NamedAxis across = axis(null, devices, theme);
    across.setRange(-0.5, columns - 0.5 + after);
    across.setVerticalTickLabels(true);
    NamedAxis down = axis(null, labels, theme);
    down.setInverted(true);
    plot.setDomainAxis(across);
    plot.setRangeAxis(down);
    ChartStyle.style(plot, theme);
    plot.setDomainGridlinesVisible(false);
    plot.setRangeGridlinesVisible(false);
    plot.addAnnotation(new Grid(data.rows(), List.of(devices), after, theme));
    LegendItemCollection legend = new LegendItemCollection();
    legend.add(ChartStyle.swatch("every request is served", fits(theme)));
    legend.add(ChartStyle.swatch("out of memory (crossed)", fails(theme)));
    plot.setFixedLegendItems(legend);
    String more =
        data.skipped() == 0
            ? ""
            : "; " + Numbers.count(data.skipped(), "larger GPU") + " also serve every request";
    return ChartStyle.chart(title, subtitle + more, plot, theme);
  }

  /** Width of the last column, which holds sizes in words, in columns of cells. */
  private static double after(int columns, int width) {
    double share = width > NARROW_WIDTH ? MIN_PLOT_SHARE : MIN_NARROW_PLOT_SHARE;
    return Math.max(1, TEXT_WIDTH * columns / (share * width - TEXT_WIDTH));
  }

  private static NamedAxis axis(@Nullable String label, String[] symbols, ChartTheme theme) {
    NamedAxis axis = new NamedAxis(label, symbols);
    axis.setRange(-0.5, symbols.length - 0.5);
    axis.setTickMarksVisible(false);
    return ChartStyle.style(axis, theme);
  }

  private static Color fits(ChartTheme theme) {
    return theme.either(0x8CCBEE, 0x1F86C4);
  }

  private static Color fails(ChartTheme theme) {
    return theme.either(0xF0B48C, 0xA04A0C);
  }

  private static final class Grid extends Painting {
    private static final long serialVersionUID = 1L;
    private static final double GAP = 1.5;

    private final transient List<FrontierData.Row> rows;
    private final transient List<String> devices;
    private final double after;
    private final transient ChartTheme theme;

    /** The last device stands for the smallest that serves all. */
    Grid(List<FrontierData.Row> rows, List<String> devices, double after, ChartTheme theme) {
      this.rows = rows;
      this.devices = devices;
      this.after = after;
      this.theme = theme;
    }

    @Override
    protected List<Cell> cells() {
      List<Cell> cells = new ArrayList<>();
      for (FrontierData.Row row : rows) {
        for (int column = 0; column < row.fits().size(); column++) {
          cells.add(new Cell(row.label(), devices.get(column), row.fits().get(column) ? 1 : 0));
        }
        if (row.smallestBytes() >= 0) {
          cells.add(new Cell(row.label(), devices.getLast(), row.smallestBytes()));
        }
      }
      return cells;
    }

    @Override
    protected void paint(Graphics2D graphics, Scale scale) {
      for (int row = 0; row < rows.size(); row++) {
        List<Boolean> fits = rows.get(row).fits();
        for (int column = 0; column < fits.size(); column++) {
          Rectangle2D cell = cell(scale, row, column, 1);
          graphics.setPaint(fits.get(column) ? fits(theme) : fails(theme));
          graphics.fill(cell);
          if (!fits.get(column)) {
            cross(graphics, cell);
          }
        }
        graphics.setFont(scale.font().deriveFont(ChartStyle.TEXT_FONT.getSize2D()));
        text(graphics, cell(scale, row, fits.size(), after), rows.get(row).smallestBytes());
      }
    }

    private static Rectangle2D cell(Scale scale, int row, int column, double columns) {
      double left = scale.x(column - 0.5) + GAP;
      double top = scale.y(row - 0.5) + GAP;
      return new Rectangle2D.Double(
          left, top, scale.x(column - 0.5 + columns) - GAP - left, scale.y(row + 0.5) - GAP - top);
    }

    private void cross(Graphics2D graphics, Rectangle2D cell) {
      double arm = Math.min(cell.getWidth(), cell.getHeight()) / 5;
      graphics.setPaint(theme.ink());
      graphics.setStroke(ChartStyle.stroke(1.6f));
      double x = cell.getCenterX();
      double y = cell.getCenterY();
      graphics.draw(new Line2D.Double(x - arm, y - arm, x + arm, y + arm));
      graphics.draw(new Line2D.Double(x - arm, y + arm, x + arm, y - arm));
    }

    private void text(Graphics2D graphics, Rectangle2D cell, long bytes) {
      String text = bytes < 0 ? "none" : ByteFormat.human(bytes);
      graphics.setPaint(theme.ink());
      FontMetrics metrics = graphics.getFontMetrics();
      graphics.drawString(
          text,
          (float) (cell.getCenterX() - metrics.stringWidth(text) / 2.0),
          (float) (cell.getCenterY() + metrics.getAscent() / 2.0 - 2));
    }
  }
}
