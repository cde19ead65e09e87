package org.allocsim.reports.chart.memory;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartStyle;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.Painting;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.plot.XYPlot;

/**
 * Segments as rows, their blocks in the colours of their categories. Blocks that are narrower than
 * a pixel share it: the colour is that of the category with the most bytes there.
 */
public final class SegmentMapChart {
  /** Width in pixels. */
  public static final int WIDTH = 1200;

  private static final int ROW_HEIGHT = 17;
  private static final int FRAME_HEIGHT = 190;

  /** How the categories of allocated blocks are coloured. */
  public enum Palette {
    /** One category. */
    STATE,
    /** From young to old: from light to dark, or on dark paper from dark to light. */
    SEQUENTIAL,
    /** Categories without an order; the last one, of all others, is grey. */
    DISTINCT
  }

  private SegmentMapChart() {}

  /** Height in pixels that gives every row its room. */
  public static int height(SegmentMapData data) {
    return FRAME_HEIGHT + ROW_HEIGHT * Math.max(4, data.rowLabels().size());
  }

  /** Draws the map. */
  public static JFreeChart create(
      String title, String subtitle, SegmentMapData data, Palette palette, ChartTheme theme) {
    List<Color> colours = colours(data, palette, theme);
    XYPlot plot = new XYPlot();
    NumberAxis offset = ByteAxis.upTo(data.rowBytes(), "offset in the row");
    plot.setDomainAxis(ChartStyle.style(offset, theme));
    int rows = Math.max(1, data.rowLabels().size());
    String[] labels = new String[rows];
    for (int row = 0; row < rows; row++) {
      labels[row] = data.rowLabels().isEmpty() ? "" : data.rowLabels().get(row);
    }
    SymbolAxis segments = new SymbolAxis("segments", labels);
    segments.setGridBandsVisible(false);
    segments.setInverted(true);
    segments.setRange(-0.5, rows - 0.5);
    segments.setTickMarksVisible(false);
    plot.setRangeAxis(ChartStyle.style(segments, theme));
    ChartStyle.style(plot, theme);
    plot.setRangeGridlinesVisible(false);
    plot.addAnnotation(new Map(data, colours, theme));
    plot.setFixedLegendItems(legend(data, colours));
    String scale =
        data.rowLabels().isEmpty()
            ? "; nothing was reserved"
            : "; a row is "
                + ByteAxis.label(data.rowBytes())
                + "; longer segments continue below, shorter ones share a row";
    return ChartStyle.chart(title, subtitle + scale, plot, theme);
  }

  private static List<Color> colours(SegmentMapData data, Palette palette, ChartTheme theme) {
    List<Color> colours = new ArrayList<>();
    int allocated = data.categories().size() - 3;
    for (int i = 0; i < allocated; i++) {
      colours.add(
          switch (palette) {
            case STATE -> theme.either(0x0072B2, 0x1F86C4);
            case SEQUENTIAL -> sequential(i, allocated, theme);
            case DISTINCT ->
                i == allocated - 1 && allocated > 1
                    ? theme.either(0x8A8F96, 0x8A8F96)
                    : theme.series(i);
          });
    }
    colours.add(ChartStyle.YELLOW);
    boolean stateOnly = palette == Palette.STATE;
    // Where blocks have many colours, what is free stays back.
    colours.add(stateOnly ? ChartStyle.VERMILLION : theme.either(0xD3D6DA, 0x44484E));
    colours.add(stateOnly ? theme.either(0xC6E5F8, 0x3B6A85) : theme.either(0xECEEF0, 0x2E3136));
    return colours;
  }

  /** Between the ends of a scale whose lightness grows evenly. */
  private static Color sequential(int index, int count, ChartTheme theme) {
    Color young = theme.either(0xF6D746, 0x5A2A6E);
    Color middle = new Color(0xE5, 0x5C, 0x30);
    Color old = theme.either(0x3B0F52, 0xF6D746);
    double place = count == 1 ? 0 : 2.0 * index / (count - 1);
    return place <= 1 ? mix(young, middle, place) : mix(middle, old, place - 1);
  }

  private static Color mix(Color a, Color b, double share) {
    return new Color(
        (int) Math.round(a.getRed() + share * (b.getRed() - a.getRed())),
        (int) Math.round(a.getGreen() + share * (b.getGreen() - a.getGreen())),
        (int) Math.round(a.getBlue() + share * (b.getBlue() - a.getBlue())));
  }

  private static LegendItemCollection legend(SegmentMapData data, List<Color> colours) {
    LegendItemCollection items = new LegendItemCollection();
    for (int category = 0; category < colours.size(); category++) {
      if (data.blocks(category) > 0) {
        items.add(
            ChartStyle.swatch(
                data.categories().get(category) + ": " + ByteFormat.human(data.bytes(category)),
                colours.get(category)));
      }
    }
    if (data.askedBytes() > 0) {
      items.add(
          ChartStyle.swatch(
              "the failed request, drawn to scale: " + ByteFormat.human(data.askedBytes()),
              ChartStyle.PURPLE));
    }
    return items;
  }

  private static final class Map extends Painting {
    private static final long serialVersionUID = 1L;
    private static final double BAR = 0.80;

    private final transient SegmentMapData data;
    private final transient List<Color> colours;
    private final transient ChartTheme theme;

    Map(SegmentMapData data, List<Color> colours, ChartTheme theme) {
      this.data = data;
      this.colours = colours;
      this.theme = theme;
    }

    @Override
    protected void paint(Graphics2D graphics, Scale scale) {
      Object smoothing = graphics.getRenderingHint(RenderingHints.KEY_ANTIALIASING);
      graphics.setRenderingHint(
          RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_OFF);
      Pixel pixel = new Pixel(graphics, scale);
      for (SegmentMapData.Piece piece : data.blockPieces()) {
        double from = scale.x(piece.fromByte());
        double to = scale.x(piece.fromByte() + piece.bytes());
        if (to - from < 1) {
          pixel.add(piece, Math.floor(from));
        } else {
          pixel.flush();
          fill(graphics, scale, piece.row(), from, to - from, piece.category());
          if (to - from > 3) {
            graphics.setPaint(theme.paper());
            graphics.fill(
                new Rectangle2D.Double(
                    to - 0.5,
                    top(scale, piece.row()),
                    0.5,
                    bottom(scale, piece.row()) - top(scale, piece.row())));
          }
        }
      }
      pixel.flush();
      graphics.setPaint(ChartStyle.PURPLE);
      for (SegmentMapData.Piece piece : data.askedPieces()) {
        double from = scale.x(piece.fromByte());
        graphics.fill(
            rectangle(scale, piece.row(), from, scale.x(piece.fromByte() + piece.bytes()) - from));
      }
      graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, smoothing);
      graphics.setPaint(theme.ink());
      graphics.setStroke(ChartStyle.stroke(0.9f));
      for (SegmentMapData.Piece piece : data.segmentPieces()) {
        double from = scale.x(piece.fromByte());
        double to = scale.x(piece.fromByte() + piece.bytes());
        if (to - from > 2) {
          graphics.draw(rectangle(scale, piece.row(), from, to - from));
        }
      }
    }

    private static double top(Scale scale, int row) {
      return Math.min(scale.y(row - BAR / 2), scale.y(row + BAR / 2));
    }

    private static double bottom(Scale scale, int row) {
      return Math.max(scale.y(row - BAR / 2), scale.y(row + BAR / 2));
    }

    private static Rectangle2D rectangle(Scale scale, int row, double from, double width) {
      double top = top(scale, row);
      return new Rectangle2D.Double(from, top, width, bottom(scale, row) - top);
    }

    private void fill(
        Graphics2D graphics, Scale scale, int row, double from, double width, int category) {
      graphics.setPaint(colours.get(category));
      graphics.fill(rectangle(scale, row, from, width));
    }

    /** Collects narrow blocks that lie in one pixel. */
    private final class Pixel {
      private final Graphics2D graphics;
      private final Scale scale;
      private final long[] bytes = new long[colours.size()];
      private int row = -1;
      private double column;

      Pixel(Graphics2D graphics, Scale scale) {
        this.graphics = graphics;
        this.scale = scale;
      }

      void add(SegmentMapData.Piece piece, double at) {
        if (piece.row() != row || at != column) {
          flush();
          row = piece.row();
          column = at;
        }
        bytes[piece.category()] += piece.bytes();
      }

      void flush() {
        if (row < 0) {
          return;
        }
        int highest = 0;
        for (int category = 1; category < bytes.length; category++) {
          highest = bytes[category] > bytes[highest] ? category : highest;
        }
        fill(graphics, scale, row, column, 1, highest);
        Arrays.fill(bytes, 0);
        row = -1;
      }
    }
  }
}
