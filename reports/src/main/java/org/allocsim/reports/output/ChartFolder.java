package org.allocsim.reports.output;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.RowTable;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartSeries;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.FigureStyle;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/**
 * The charts that a command writes into a folder, each as {@code NAME.svg}, {@code NAME.png},
 * {@code NAME-dark.svg} and {@code NAME-dark.png}.
 */
public class ChartFolder {
  private static final int LONGEST_NAME = 80;

  /** What tables of series call their columns. */
  private static final String SERIES_SCHEMA = "allocsim-series-1";

  private final OutputFiles outputs;
  private final String option;
  private final Path folder;
  private final @Nullable FigureStyle figure;

  /**
   * A folder that the option {@code option} names.
   *
   * @param figure how charts are drawn; null for screens
   */
  public ChartFolder(
      OutputFiles outputs, String option, Path folder, @Nullable FigureStyle figure) {
    this.figure = figure;
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

  /** How charts are drawn; null for screens. */
  public @Nullable FigureStyle figure() {
    return figure;
  }

  /**
   * Writes a chart in both themes, as SVG and PNG; a figure on light paper only, also as PDF, and
   * its series.
   */
  public void write(String name, int width, int height, Function<ChartTheme, JFreeChart> chart)
      throws IOException {
    if (figure != null) {
      JFreeChart drawn = chart.apply(ChartTheme.LIGHT);
      figure.apply(drawn);
      for (ChartFile format : ChartFile.values()) {
        String file = name + "." + format.name().toLowerCase(Locale.ROOT);
        try (OutputStream stream = open(file)) {
          format.write(drawn, figure.size(drawn, width, height), stream);
        }
      }
      writeSeries(name, figure.series(drawn));
      return;
    }
    for (ChartTheme theme : ChartTheme.values()) {
      JFreeChart drawn = chart.apply(theme);
      for (ChartFile format : ChartFile.OF_FOLDERS) {
        String file = name + theme.suffix() + "." + format.name().toLowerCase(Locale.ROOT);
        try (OutputStream stream = open(file)) {
          format.write(drawn, width, height, stream);
        }
      }
    }
  }

  private OutputStream open(String file) throws IOException {
    return new BufferedOutputStream(
        outputs.open(option, folder.resolve(file).toString(), null).stream());
  }

  /** Series as tables and as one object; maps have none. */
  private void writeSeries(String name, List<ChartSeries.Point> points) throws IOException {
    if (points.isEmpty()) {
      return;
    }
    try (PrintWriter out =
        new PrintWriter(
            new OutputStreamWriter(open(name + "-series.csv"), StandardCharsets.UTF_8))) {
      CsvText csv = new CsvText(out, "panel", "series", "at", "value");
      points.forEach(point -> csv.row(point.panel(), point.series(), point.at(), point.value()));
    }
    List<Map<String, Object>> series = new ArrayList<>();
    List<Object> ofLast = new ArrayList<>();
    ChartSeries.@Nullable Point last = null;
    for (ChartSeries.Point point : points) {
      if (last == null || !point.series().equals(last.series()) || point.panel() != last.panel()) {
        ofLast = new ArrayList<>();
        series.add(Map.of("panel", point.panel(), "series", point.series(), "points", ofLast));
        last = point;
      }
      ofLast.add(List.of(point.at(), point.value()));
    }
    try (OutputStream json = open(name + "-series.json")) {
      JsonText.write(Map.of("series", series), json);
    }
    Optional<RowTable> table = RowTable.installed();
    if (table.isPresent()) {
      try (OutputStream out = open(name + "-series.parquet")) {
        writeSeries(points, table.get(), out);
      }
    }
  }

  private static void writeSeries(List<ChartSeries.Point> points, RowTable table, OutputStream out)
      throws IOException {
    boolean isNamed = points.getFirst().at() instanceof String;
    List<RowTable.Column> columns =
        List.of(
            new RowTable.Column("panel", RowTable.Type.INTEGER),
            new RowTable.Column("series", RowTable.Type.TEXT),
            new RowTable.Column("at", isNamed ? RowTable.Type.TEXT : RowTable.Type.REAL),
            new RowTable.Column("value", RowTable.Type.REAL));
    try (RowTable.Writer rows =
        table.open(out, "point", columns, Map.of("allocsim.schema", SERIES_SCHEMA))) {
      for (ChartSeries.Point point : points) {
        rows.add(List.of((long) point.panel(), point.series(), point.at(), point.value()));
      }
    }
  }
}
