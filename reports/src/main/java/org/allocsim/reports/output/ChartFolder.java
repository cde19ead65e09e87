package org.allocsim.reports.output;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartTheme;
import org.jfree.chart.JFreeChart;

/**
 * The charts that a command writes into a folder, each as {@code NAME.svg}, {@code NAME.png},
 * {@code NAME-dark.svg} and {@code NAME-dark.png}.
 */
public class ChartFolder {
  private static final int LONGEST_NAME = 80;

  private final OutputFiles outputs;
  private final String option;
  private final Path folder;

  /** A folder that the option {@code option} names. */
  public ChartFolder(OutputFiles outputs, String option, Path folder) {
    this.outputs = outputs;
    this.option = option;
    this.folder = folder;
  }

  /** Makes the folder that an option names where it is missing. */
  public static Path make(String option, String name) {
    if (!ChartFonts.areAvailable()) {
      throw new Failure(option + " " + name + ": " + ChartFonts.REMEDY);
    }
    return OutputFolder.make(option, name);
  }

  /** A label as part of a file's name: letters, digits, dots and dashes, not too many. */
  public static String nameOf(String label) {
    String name = label.replaceAll("[^A-Za-z0-9._]+", "-").replaceAll("-$", "");
    return name.substring(0, Math.min(LONGEST_NAME, name.length()));
  }

  /** Writes a chart in both themes, as SVG and PNG. */
  public void write(String name, int width, int height, Function<ChartTheme, JFreeChart> chart)
      throws IOException {
    for (ChartTheme theme : ChartTheme.values()) {
      JFreeChart drawn = chart.apply(theme);
      for (ChartFile format : ChartFile.OF_FOLDERS) {
        String file = name + theme.suffix() + "." + format.name().toLowerCase(Locale.ROOT);
        OutputFiles.Output output = outputs.open(option, folder.resolve(file).toString(), null);
        try (OutputStream stream = new BufferedOutputStream(output.stream())) {
          format.write(drawn, width, height, stream);
        }
      }
    }
  }
}
