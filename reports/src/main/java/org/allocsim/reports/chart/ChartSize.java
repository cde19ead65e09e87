package org.allocsim.reports.chart;

/**
 * How large a chart is, laid out and on paper.
 *
 * @param width of the layout, in pixels
 * @param height of the layout, in pixels
 * @param pointsPerPixel what a pixel of the layout is on paper, in points of 1/72 inch
 * @param dpi dots an inch of a PNG
 */
public record ChartSize(int width, int height, double pointsPerPixel, int dpi) {
  static final double POINTS_PER_INCH = 72;

  /** A PNG has two dots for each pixel of the layout. */
  private static final int SCREEN_DPI = 144;

  /** For screens: a pixel of the layout is one of a page, and a point. */
  public static ChartSize screen(int width, int height) {
    return new ChartSize(width, height, 1, SCREEN_DPI);
  }

  /** Whether it is made for a screen. */
  boolean isScreen() {
    return pointsPerPixel == 1 && dpi == SCREEN_DPI;
  }

  /** Dots of a PNG for each pixel of the layout. */
  double dotsPerPixel() {
    return pointsPerPixel * dpi / POINTS_PER_INCH;
  }
}
