package org.allocsim.reports.chart;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.title.Title;

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
      // Left alone, ImageIO writes a file beside, which a full disk or a strange folder for such
      // files may refuse.
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ImageOutputStream inMemory = new MemoryCacheImageOutputStream(bytes)) {
        if (!ImageIO.write(image, "png", inMemory)) {
          throw new IOException("this Java runtime cannot write PNG images");
        }
      }
      bytes.writeTo(out);
    }
  },
  /** Vector graphics for web pages. */
  SVG("svg") {
    @Override
    public void write(JFreeChart chart, int width, int height, OutputStream out)
        throws IOException {
      SvgDrawing.write(chart, width, height, out);
    }
  },
  /** Vector graphics for papers. */
  PDF("pdf") {
    @Override
    public void write(JFreeChart chart, int width, int height, OutputStream out)
        throws IOException {
      PdfDrawing.write(chart, width, height, out);
    }
  };

  /** The extensions of all formats, as a sentence lists them. */
  public static final String EXTENSIONS = ".png, .svg or .pdf";

  /** The formats of a command's folder of charts, for web pages and documents. */
  public static final List<ChartFile> OF_FOLDERS = List.of(PNG, SVG);

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

  /** The title of a chart, which programs that read pages aloud name it by. */
  static String titleOf(JFreeChart chart) {
    for (Title title : chart.getSubtitles()) {
      if (title instanceof TextTitle text) {
        return text.getText();
      }
    }
    return "";
  }

  /** Writes a chart of this size in pixels and leaves the stream open. */
  public abstract void write(JFreeChart chart, int width, int height, OutputStream out)
      throws IOException;
}
