package org.allocsim.reports.chart;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.jfree.chart.JFreeChart;
import org.jfree.svg.SVGGraphics2D;

/**
 * The file formats of charts. Files hold no time and no random names: the same chart gives the same
 * bytes wherever the same fonts are installed.
 */
public enum ChartFile {
  /** Pixels, at twice the nominal size. */
  PNG("png") {
    @Override
    public void write(JFreeChart chart, int width, int height, OutputStream out)
        throws IOException {
      BufferedImage image =
          new BufferedImage(SCALE * width, SCALE * height, BufferedImage.TYPE_INT_RGB);
      Graphics2D graphics = image.createGraphics();
      graphics.scale(SCALE, SCALE);
      chart.draw(graphics, new Rectangle2D.Double(0, 0, width, height));
      graphics.dispose();
      if (!ImageIO.write(image, "png", out)) {
        throw new IOException("this Java runtime cannot write PNG images");
      }
    }
  },
  /** Vector graphics. */
  SVG("svg") {
    @Override
    public void write(JFreeChart chart, int width, int height, OutputStream out)
        throws IOException {
      SVGGraphics2D graphics = new SVGGraphics2D(width, height);
      graphics.setDefsKeyPrefix("allocsim-");
      graphics.setGeomDoubleConverter(ChartFile::hundredths);
      graphics.setTransformDoubleConverter(ChartFile::hundredths);
      chart.draw(graphics, new Rectangle2D.Double(0, 0, width, height));
      out.write(graphics.getSVGDocument().getBytes(StandardCharsets.UTF_8));
      out.write('\n');
    }
  };

  private static final int SCALE = 2;

  private final String extension;

  ChartFile(String extension) {
    this.extension = extension;
  }

  /** The format that a file name asks for by its extension, if it is one of these. */
  public static Optional<ChartFile> ofName(String fileName) {
    String lowerCase = fileName.toLowerCase(Locale.ROOT);
    for (ChartFile format : values()) {
      if (lowerCase.endsWith("." + format.extension)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /** A hundredth of a pixel is finer than anybody sees. */
  private static String hundredths(double coordinate) {
    double rounded = Math.rint(coordinate * 100) / 100;
    return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
  }

  /** Writes a chart of this size in pixels and leaves the stream open. */
  public abstract void write(JFreeChart chart, int width, int height, OutputStream out)
      throws IOException;
}
