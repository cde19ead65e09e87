package org.allocsim.reports.chart;

import java.awt.Color;
import java.util.List;

/**
 * Paper and ink of charts, and colours for their series that colour-blind readers can distinguish:
 * those of Okabe and Ito (jfly.uni-koeln.de/color, 2008) that stand out from the paper.
 */
public enum ChartTheme {
  /** Dark on white. */
  LIGHT(
      "",
      Color.WHITE,
      ChartStyle.INK,
      ChartStyle.FAINT_INK,
      new Color(0xE4, 0xE4, 0xE4),
      List.of(
          ChartStyle.BLUE,
          ChartStyle.ORANGE,
          ChartStyle.GREEN,
          ChartStyle.VERMILLION,
          ChartStyle.PURPLE,
          ChartStyle.SKY_BLUE,
          ChartStyle.INK)),
  /** Light on nearly black. */
  DARK(
      "-dark",
      new Color(0x1B, 0x1D, 0x21),
      new Color(0xE6, 0xE6, 0xE6),
      new Color(0xA8, 0xA8, 0xA8),
      new Color(0x3A, 0x3D, 0x42),
      List.of(
          ChartStyle.SKY_BLUE,
          ChartStyle.ORANGE,
          ChartStyle.GREEN,
          ChartStyle.VERMILLION,
          ChartStyle.PURPLE,
          ChartStyle.YELLOW,
          new Color(0xE6, 0xE6, 0xE6)));

  private final String suffix;
  private final Color paper;
  private final Color ink;
  private final Color faintInk;
  private final Color grid;
  private final List<Color> series;

  ChartTheme(
      String suffix, Color paper, Color ink, Color faintInk, Color grid, List<Color> series) {
    this.suffix = suffix;
    this.paper = paper;
    this.ink = ink;
    this.faintInk = faintInk;
    this.grid = grid;
    this.series = series;
  }

  /** What names of files in this theme have before their extension. */
  public String suffix() {
    return suffix;
  }

  /** Of two colours the one for this paper. */
  public Color either(int onLight, int onDark) {
    return new Color(this == LIGHT ? onLight : onDark);
  }

  /** The ink, so thin that what is below it shows. */
  public Color thinInk(int alpha) {
    return new Color(ink.getRed(), ink.getGreen(), ink.getBlue(), alpha);
  }

  public Color paper() {
    return paper;
  }

  public Color ink() {
    return ink;
  }

  public Color faintInk() {
    return faintInk;
  }

  public Color grid() {
    return grid;
  }

  /** The colour of a series; they repeat where there are many. */
  public Color series(int index) {
    return series.get(index % series.size());
  }
}
