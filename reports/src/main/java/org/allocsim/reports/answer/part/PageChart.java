package org.allocsim.reports.answer.part;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.document.Figure;
import org.jfree.chart.JFreeChart;

/** A chart as a part of a page. */
public final class PageChart {
  private PageChart() {}

  /** Draws a chart. */
  public interface Drawing {
    /** Draws it for paper of this theme and a width in pixels. */
    JFreeChart draw(ChartTheme theme, int width);
  }

  /**
   * The chart in both themes and at both widths.
   *
   * @param caption what it shows, for those who do not see it
   * @param broad size on ordinary screens
   * @param narrow size on telephones
   */
  public static Figure of(String caption, ChartSize broad, ChartSize narrow, Drawing drawing) {
    return new Figure(caption, drawn(broad, drawing), drawn(narrow, drawing));
  }

  private static Figure.Drawing drawn(ChartSize size, Drawing drawing) {
    return new Figure.Drawing(
        svg(ChartTheme.LIGHT, size, drawing), svg(ChartTheme.DARK, size, drawing));
  }

  private static String svg(ChartTheme theme, ChartSize size, Drawing drawing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      ChartFile.SVG.write(drawing.draw(theme, size.width()), size, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
