package org.allocsim.reports.answer.validation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.PredictedMeasuredChart;
import org.allocsim.reports.output.OutputFiles;

/** The charts that {@code validate} writes, each in both themes, as SVG and PNG. */
public final class ValidateChartFiles {
  private final List<Picture> pictures = new ArrayList<>();

  private record Picture(
      ValidateCharts chart, ChartTheme theme, ChartFile format, OutputFiles.Output output) {}

  /** Opens them in a folder. */
  public ValidateChartFiles(OutputFiles outputs, Path folder) {
    for (ValidateCharts chart : ValidateCharts.values()) {
      for (ChartTheme theme : ChartTheme.values()) {
        for (ChartFile format : ChartFile.OF_FOLDERS) {
          String name =
              chart.fileName() + theme.suffix() + "." + format.name().toLowerCase(Locale.ROOT);
          OutputFiles.Output output =
              outputs.open("--report", folder.resolve(name).toString(), null);
          pictures.add(new Picture(chart, theme, format, output));
        }
      }
    }
  }

  /** Draws all of them. */
  public void write(ValidateReport report) throws IOException {
    for (Picture picture : pictures) {
      picture
          .format()
          .write(
              picture.chart().draw(report, picture.theme()),
              PredictedMeasuredChart.WIDTH,
              PredictedMeasuredChart.HEIGHT,
              picture.output().stream());
    }
  }
}
