package org.allocsim.reports.chart.memory;

import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.Painting;

/** A strip along the top of a timeline that names the phases below it. */
final class PhaseStrip extends Painting {
  private static final long serialVersionUID = 1L;
  private static final int HEIGHT = 18;
  private static final int MARGIN = 4;

  /** Boundaries closer than this in pixels would cover what is between them. */
  private static final double MIN_BOUNDARY_GAP = 6;

  private final transient PhaseData data;
  private final transient ChartTheme theme;

  PhaseStrip(PhaseData data, ChartTheme theme) {
    this.data = data;
    this.theme = theme;
  }

  @Override
  protected void paint(Graphics2D graphics, Scale scale) {
    Rectangle2D area = scale.area();
    graphics.setFont(scale.font());
    FontMetrics metrics = graphics.getFontMetrics();
    double lastBoundary = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < data.spans().size(); i++) {
      PhaseData.Span span = data.spans().get(i);
      double from = scale.x(span.from());
      double to = scale.x(span.to());
      graphics.setPaint(
          i % 2 == 0 ? theme.either(0xE3E6EA, 0x34383E) : theme.either(0xF1F3F5, 0x272A2F));
      graphics.fill(new Rectangle2D.Double(from, area.getMinY(), Math.max(1, to - from), HEIGHT));
      if (from - lastBoundary >= MIN_BOUNDARY_GAP) {
        graphics.setPaint(theme.thinInk(70));
        graphics.setStroke(ChartStyle.stroke(0.8f));
        graphics.draw(new Line2D.Double(from, area.getMinY(), from, area.getMaxY()));
        lastBoundary = from;
      }
      String text = span.count() > 1 ? span.name() + " ×" + span.count() : span.name();
      if (metrics.stringWidth(text) + 2 * MARGIN <= to - from) {
        graphics.setPaint(theme.ink());
        graphics.drawString(
            text, (float) (from + MARGIN), (float) (area.getMinY() + HEIGHT - MARGIN - 1));
      }
    }
  }
}
