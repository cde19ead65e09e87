package org.allocsim.reports.chart;

import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;

/** Whether charts can be drawn here: Java takes its fonts from the system, which may have none. */
public final class ChartFonts {
  /** What to do where there are none. */
  public static final String REMEDY =
      "this system has no fonts to draw charts with; install fontconfig and a font, such as"
          + " fonts-dejavu-core";

  private static final boolean AVAILABLE = probe();

  private ChartFonts() {}

  /** Whether text can be drawn. */
  public static boolean areAvailable() {
    return AVAILABLE;
  }

  /** Java reports a system without fonts by exceptions and errors of its own inner classes. */
  private static boolean probe() {
    try {
      Graphics2D graphics = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
      graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
      boolean drawn = graphics.getFontMetrics().stringWidth("allocsim") > 0;
      graphics.dispose();
      return drawn;
    } catch (OutOfMemoryError | StackOverflowError e) {
      throw e;
    } catch (RuntimeException | Error _) {
      // Of any class: where fonts went since Java last looked for some, it is Error itself.
      return false;
    }
  }
}
