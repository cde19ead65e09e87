package org.allocsim.reports.chart;

import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jfree.chart.annotations.AbstractXYAnnotation;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.PlotRenderingInfo;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.RectangleEdge;

/** Something that is drawn into a plot in the coordinates of its axes. */
public abstract class Painting extends AbstractXYAnnotation {
  private static final long serialVersionUID = 1L;

  /** Pixels of the values of both axes, and the plot's place. */
  public record Scale(ValueAxis domain, ValueAxis range, Rectangle2D area) {
    /** The font of small text. */
    public Font font() {
      return domain.getTickLabelFont();
    }

    public double x(double value) {
      return domain.valueToJava2D(value, area, RectangleEdge.BOTTOM);
    }

    public double y(double value) {
      return range.valueToJava2D(value, area, RectangleEdge.LEFT);
    }
  }

  /**
   * A number that is drawn as a cell of a grid.
   *
   * @param value 1 for yes and 0 for no where it is an answer
   */
  public record Cell(String row, String column, double value) {}

  public Painting() {
    super();
  }

  /** The numbers of a grid; empty for all else. */
  protected List<Cell> cells() {
    return List.of();
  }

  /** Gives what it names other names. */
  protected void rename(UnaryOperator<String> names) {}

  @Override
  public final void draw(
      Graphics2D graphics,
      XYPlot plot,
      Rectangle2D area,
      ValueAxis domain,
      ValueAxis range,
      int rendererIndex,
      PlotRenderingInfo info) {
    paint(graphics, new Scale(domain, range, area));
  }

  protected abstract void paint(Graphics2D graphics, Scale scale);
}
