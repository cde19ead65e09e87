package org.allocsim.reports.chart;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
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
  /** Pixels. */
  PNG("png") {
    @Override
    public void write(JFreeChart chart, ChartSize size, OutputStream out) throws IOException {
      double dots = size.dotsPerPixel();
      BufferedImage image =
          new BufferedImage(
              (int) Math.round(dots * size.width()),
              (int) Math.round(dots * size.height()),
              BufferedImage.TYPE_INT_RGB);
      Graphics2D graphics = image.createGraphics();
      graphics.scale(dots, dots);
      chart.draw(graphics, new Rectangle2D.Double(0, 0, size.width(), size.height()));
      graphics.dispose();
      // Left alone, ImageIO writes a file beside, which a full disk or a strange folder for such
      // files may refuse.
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ImageOutputStream inMemory = new MemoryCacheImageOutputStream(bytes)) {
        Iterator<ImageWriter> writers = ImageIO.getImageWritersByFormatName("png");
        if (!writers.hasNext()) {
          throw new IOException("this Java runtime cannot write PNG images");
        }
        ImageWriter writer = writers.next();
        writer.setOutput(inMemory);
        writer.write(new IIOImage(image, null, size.isScreen() ? null : resolution(writer, size)));
        writer.dispose();
      }
      bytes.writeTo(out);
    }
  },
  /** Vector graphics for web pages. */
  SVG("svg") {
    @Override
    public void write(JFreeChart chart, ChartSize size, OutputStream out) throws IOException {
      SvgDrawing.write(chart, size, out);
    }
  },
  /** Vector graphics for papers. */
  PDF("pdf") {
    @Override
    public void write(JFreeChart chart, ChartSize size, OutputStream out) throws IOException {
      PdfDrawing.write(chart, size, out);
    }
  };

  /** The extensions of all formats, as a sentence lists them. */
  public static final String EXTENSIONS = ".png, .svg or .pdf";

  /** The formats of a command's folder of charts, for web pages and documents. */
  public static final List<ChartFile> OF_FOLDERS = List.of(PNG, SVG);

  private static final double METRES_PER_INCH = 0.0254;

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

  /** Metadata of a PNG that say how large it is on paper. */
  private static IIOMetadata resolution(ImageWriter writer, ChartSize size) throws IOException {
    IIOMetadata metadata =
        writer.getDefaultImageMetadata(
            ImageTypeSpecifier.createFromBufferedImageType(BufferedImage.TYPE_INT_RGB), null);
    String perMetre = String.valueOf(Math.round(size.dpi() / METRES_PER_INCH));
    IIOMetadataNode dots = new IIOMetadataNode("pHYs");
    dots.setAttribute("pixelsPerUnitXAxis", perMetre);
    dots.setAttribute("pixelsPerUnitYAxis", perMetre);
    dots.setAttribute("unitSpecifier", "meter");
    IIOMetadataNode root = new IIOMetadataNode(metadata.getNativeMetadataFormatName());
    root.appendChild(dots);
    metadata.mergeTree(metadata.getNativeMetadataFormatName(), root);
    return metadata;
  }

  /** Writes a chart for a screen, of this size in pixels, and leaves the stream open. */
  public void write(JFreeChart chart, int width, int height, OutputStream out) throws IOException {
    write(chart, ChartSize.screen(width, height), out);
  }

  /** Writes a chart and leaves the stream open. */
  public abstract void write(JFreeChart chart, ChartSize size, OutputStream out) throws IOException;
}
