package org.allocsim.reports.document;

/**
 * A drawing, which only a page shows.
 *
 * @param caption what it shows, for those who do not see it
 * @param lightSvg an SVG document for light paper
 * @param darkSvg the same for dark paper
 */
public record Figure(String caption, String lightSvg, String darkSvg) implements Block {}
