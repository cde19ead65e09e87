package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.imageio.ImageIO;
import org.allocsim.reports.chart.ChartFonts;

/**
 * A picture of the documentation: a chart at half its size, or the top of a page, made by a command
 * that is shown there.
 *
 * <p>Text looks different with other fonts. Where letters look as they did when the pictures were
 * made, every pixel has to be the same; elsewhere the size, and what is seen from afar.
 */
final class DocumentPicture {
  private static final int MAX_BYTES = 150_000;
  private static final String FONTS = "fonts.txt";

  /**
   * Sides of the squares that are compared from afar, and by how much their colours may differ.
   * Wider letters move what stands beside them, by tens of pixels where names are long.
   */
  private static final int SQUARE = 160;

  private static final int MAX_DIFFERENCE = 64;

  private final Path picture;
  private final Path made;

  /**
   * A picture of a document.
   *
   * @param picture where it is kept
   * @param made the chart or page that the commands made
   */
  DocumentPicture(Path picture, Path made) {
    this.picture = picture;
    this.made = made;
  }

  /** Fails unless the picture shows what was made. */
  void check() throws IOException {
    assumeTrue(ChartFonts.areAvailable(), "not run: this system has no fonts");
    boolean page = made.toString().endsWith(".html");
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.write(picture, page ? screenshot() : png(halved(ImageIO.read(made.toFile()))));
      Files.writeString(picture.resolveSibling(FONTS), fonts() + "\n");
      fail("wrote " + picture + "; look at it, then run without golden.regenerate");
    }
    assertTrue(Files.size(picture) <= MAX_BYTES, picture + " is too large");
    BufferedImage kept = ImageIO.read(picture.toFile());
    if (page) {
      assertTrue(Files.exists(made), made + " was not made");
      return;
    }
    BufferedImage now = halved(ImageIO.read(made.toFile()));
    assertEquals(
        now.getWidth() + " x " + now.getHeight(), kept.getWidth() + " x " + kept.getHeight());
    if (fonts().equals(Files.readString(picture.resolveSibling(FONTS)).strip())) {
      assertTrue(
          Arrays.equals(pixels(now), pixels(kept)),
          picture
              + " does not show what its command draws; -Dgolden.regenerate=true makes it anew");
    } else {
      assertTrue(looksLike(now, kept), picture + " looks different");
    }
  }

  /** Whether two pictures of the same size are alike from afar. */
  static boolean looksLike(BufferedImage now, BufferedImage kept) {
    for (int y = 0; y + SQUARE <= now.getHeight(); y += SQUARE) {
      for (int x = 0; x + SQUARE <= now.getWidth(); x += SQUARE) {
        int[] one = mean(now, x, y, SQUARE);
        int[] other = mean(kept, x, y, SQUARE);
        for (int channel = 0; channel < one.length; channel++) {
          if (Math.abs(one[channel] - other[channel]) > MAX_DIFFERENCE) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static int[] pixels(BufferedImage image) {
    return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
  }

  private static BufferedImage halved(BufferedImage image) {
    BufferedImage half =
        new BufferedImage(image.getWidth() / 2, image.getHeight() / 2, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < half.getHeight(); y++) {
      for (int x = 0; x < half.getWidth(); x++) {
        int[] mean = mean(image, 2 * x, 2 * y, 2);
        // Fewer shades make small files.
        half.setRGB(x, y, shade(mean[0]) << 16 | shade(mean[1]) << 8 | shade(mean[2]));
      }
    }
    return half;
  }

  private static int shade(int value) {
    return Math.min(255, (value + 4) / 8 * 8);
  }

  private static int[] mean(BufferedImage image, int left, int top, int side) {
    int[] sum = new int[3];
    for (int y = top; y < top + side; y++) {
      for (int x = left; x < left + side; x++) {
        int rgb = image.getRGB(x, y);
        sum[0] += rgb >> 16 & 0xff;
        sum[1] += rgb >> 8 & 0xff;
        sum[2] += rgb & 0xff;
      }
    }
    return Arrays.stream(sum).map(each -> each / (side * side)).toArray();
  }

  private static byte[] png(BufferedImage image) throws IOException {
    var out = new java.io.ByteArrayOutputStream();
    ImageIO.write(image, "png", out);
    return out.toByteArray();
  }

  private byte[] screenshot() throws IOException {
    try (Browser browser = Browser.start()) {
      browser.open(made);
      BufferedImage shot = ImageIO.read(new java.io.ByteArrayInputStream(browser.screenshot()));
      BufferedImage plain =
          new BufferedImage(shot.getWidth(), shot.getHeight(), BufferedImage.TYPE_INT_RGB);
      for (int y = 0; y < shot.getHeight(); y++) {
        for (int x = 0; x < shot.getWidth(); x++) {
          int[] rgb = mean(shot, x, y, 1);
          plain.setRGB(x, y, shade(rgb[0]) << 16 | shade(rgb[1]) << 8 | shade(rgb[2]));
        }
      }
      return png(plain);
    }
  }

  /** Shows how letters look here. */
  private static String fonts() {
    BufferedImage image = new BufferedImage(400, 60, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setColor(Color.WHITE);
    int line = 0;
    for (int style : new int[] {Font.PLAIN, Font.BOLD}) {
      graphics.setFont(new Font(Font.SANS_SERIF, style, 17));
      graphics.drawString("peak reserved 0123456789 GiB", 4, line += 25);
    }
    graphics.dispose();
    return Integer.toHexString(Arrays.hashCode(pixels(image)));
  }
}
