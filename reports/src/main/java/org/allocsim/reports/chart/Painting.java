package org.allocsim.reports.chart;

import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
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

  public Painting() {
    super();
  }

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
