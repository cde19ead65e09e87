package org.allocsim.reports.chart.idle;

import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.idle.activity.Lane;
import org.allocsim.analysis.idle.activity.Span;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.Painting;

/**
 * Lanes as rows. In each column parts are stacked, each as high as the part of the column's time
 * that it takes; what is left free is time in which nothing happens.
 */
final class LanePainting extends Painting {
  private static final long serialVersionUID = 1L;

  /** Height of a lane in parts of its row. */
  private static final double BAR = 0.82;

  /** Heights that are told apart: finer ones would only make files larger. */
  private static final int LEVELS = 48;

  /** Boundaries closer than this in pixels would cover what is between them. */
  private static final double MIN_BOUNDARY_GAP = 6;

  /**
   * A row.
   *
   * @param boundaryNanos where steps begin in it
   */
  record Row(Lane lane, Span span, List<Long> boundaryNanos) {}

  private final transient List<Row> rows;
  private final transient ChartTheme theme;

  LanePainting(List<Row> rows, ChartTheme theme) {
    this.rows = rows;
    this.theme = theme;
  }

  /** Seconds on the axis: from the begin of each row's own span. */
  private static double seconds(Span span, long nanos) {
    return (nanos - span.beginNanos()) / 1e9;
  }

  @Override
  protected List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Row row : rows) {
      for (Lane.Part part : row.lane.parts()) {
        for (int column = 0; column < row.span.columns(); column++) {
          cells.add(
              new Cell(
                  row.lane.name() + ": " + part.words(),
                  String.valueOf(seconds(row.span, row.span.boundary(column))),
                  part.nanos()[column]));
        }
      }
    }
    return cells;
  }

  @Override
  protected void paint(Graphics2D graphics, Scale scale) {
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      double top = Math.min(scale.y(i - BAR / 2), scale.y(i + BAR / 2));
      double height = Math.abs(scale.y(i + BAR / 2) - scale.y(i - BAR / 2));
      track(graphics, scale, row, top, height);
      stack(graphics, scale, row, top, height);
      boundaries(graphics, scale, row, top, height);
    }
  }

  private void track(Graphics2D graphics, Scale scale, Row row, double top, double height) {
    double from = scale.x(0);
    double to = scale.x(seconds(row.span, row.span.endNanos()));
    graphics.setPaint(theme.either(0xF3F4F6, 0x25282D));
    graphics.fill(new Rectangle2D.Double(from, top, to - from, height));
  }

  private void stack(Graphics2D graphics, Scale scale, Row row, double top, double height) {
    int columns = row.span.columns();
    long[] below = new long[columns];
    for (Lane.Part part : row.lane.parts()) {
      Path2D path = new Path2D.Double();
      int from = 0;
      int bottom = 0;
      int upper = 0;
      for (int column = 0; column <= columns; column++) {
        int nextBottom = 0;
        int nextUpper = 0;
        if (column < columns) {
          long whole = Math.max(1, row.span.boundary(column + 1) - row.span.boundary(column));
          nextBottom = level(below[column], whole);
          nextUpper = level(below[column] + part.nanos()[column], whole);
          below[column] += part.nanos()[column];
        }
        if (nextBottom == bottom && nextUpper == upper && column < columns) {
          continue;
        }
        if (upper > bottom) {
          add(
              path,
              scale.x(seconds(row.span, row.span.boundary(from))),
              scale.x(seconds(row.span, row.span.boundary(column))),
              top + height * (LEVELS - upper) / LEVELS,
              top + height * (LEVELS - bottom) / LEVELS);
        }
        from = column;
        bottom = nextBottom;
        upper = nextUpper;
      }
      graphics.setPaint(ActivityColours.of(part.id(), theme));
      graphics.fill(path);
    }
  }

  private static int level(long nanos, long whole) {
    return (int) Math.round((double) LEVELS * Math.min(nanos, whole) / whole);
  }

  private static void add(Path2D path, double left, double right, double top, double bottom) {
    path.moveTo(left, top);
    path.lineTo(right, top);
    path.lineTo(right, bottom);
    path.lineTo(left, bottom);
    path.closePath();
  }

  private void boundaries(Graphics2D graphics, Scale scale, Row row, double top, double height) {
    graphics.setPaint(theme.thinInk(150));
    graphics.setStroke(ChartStyle.stroke(0.8f));
    double last = Double.NEGATIVE_INFINITY;
    for (long boundary : row.boundaryNanos) {
      double x = scale.x(seconds(row.span, boundary));
      if (x - last >= MIN_BOUNDARY_GAP) {
        graphics.draw(new Line2D.Double(x, top, x, top + height));
        last = x;
      }
    }
  }
}
