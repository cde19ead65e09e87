package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.PredictedMeasuredChart;
import org.allocsim.reports.json.JsonText;

/** The files that {@code validate} writes; they are opened before the GPU is used. */
final class ValidateFiles {
  private static final String REPORT = "--report";

  private final List<Content> contents = new ArrayList<>();

  /** What one file gets. */
  @FunctionalInterface
  private interface Writer {
    void write(ValidateReport report, Outputs.Output output) throws IOException;
  }

  private record Content(Outputs.Output output, Writer writer) {}

  /**
   * Opens what was asked for.
   *
   * @param jsonName file for JSON, or null
   * @param reportName folder for everything, or null
   */
  ValidateFiles(Outputs outputs, String jsonName, String reportName) {
    if (jsonName != null) {
      add(outputs.open("--json", jsonName, null), ValidateFiles::writeJson);
    }
    if (reportName != null) {
      openFolder(outputs, reportName);
    }
  }

  private void add(Outputs.Output output, Writer writer) {
    contents.add(new Content(output, writer));
  }

  private void openFolder(Outputs outputs, String reportName) {
    Path folder;
    try {
      folder = Files.createDirectories(Path.of(reportName));
    } catch (InvalidPathException | IOException e) {
      throw new Failure(
          "--report " + reportName + ": the folder cannot be made; name another one", e);
    }
    add(open(outputs, folder, "validate.json"), ValidateFiles::writeJson);
    add(open(outputs, folder, "validate.txt"), ValidateFiles::writeText);
    for (ValidateCharts chart : ValidateCharts.values()) {
      for (ChartTheme theme : ChartTheme.values()) {
        for (ChartFile format : ChartFile.values()) {
          String name =
              chart.fileName() + theme.suffix() + "." + format.name().toLowerCase(Locale.ROOT);
          add(
              open(outputs, folder, name),
              (report, output) ->
                  format.write(
                      chart.draw(report, theme),
                      PredictedMeasuredChart.WIDTH,
                      PredictedMeasuredChart.HEIGHT,
                      output.stream()));
        }
      }
    }
  }

  private static Outputs.Output open(Outputs outputs, Path folder, String name) {
    return outputs.open(REPORT, folder.resolve(name).toString(), null);
  }

  private static void writeJson(ValidateReport report, Outputs.Output output) throws IOException {
    JsonText.write(ValidateJson.of(report), output.stream());
  }

  private static void writeText(ValidateReport report, Outputs.Output output) {
    try (PrintWriter writer = new PrintWriter(output.stream(), false, StandardCharsets.UTF_8)) {
      ValidateText.print(report, writer);
    }
  }

  /** Writes all of them. */
  void write(ValidateReport report) throws IOException {
    for (Content content : contents) {
      content.writer().write(report, content.output());
    }
  }
}
