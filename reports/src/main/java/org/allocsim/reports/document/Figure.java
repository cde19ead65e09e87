package org.allocsim.reports.document;

/**
 * A drawing, which only a page shows.
 *
 * @param caption what it shows, for those who do not see it
 * @param broad for ordinary screens
 * @param narrow for telephones, with words as large
 */
public record Figure(String caption, Drawing broad, Drawing narrow) implements Block {
  /**
   * One drawing for both themes.
   *
   * @param lightSvg an SVG document for light paper
   * @param darkSvg the same for dark paper
   */
  public record Drawing(String lightSvg, String darkSvg) {}
}
