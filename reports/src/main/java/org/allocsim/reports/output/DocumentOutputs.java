package org.allocsim.reports.output;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.RowTable;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.FigureStyle;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.render.CsvRenderer;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.plugin.PluginLoader;
import org.allocsim.reports.text.VisibleText;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.workloads.io.EarlyEnd;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/** Where one answer goes: files, a page with charts, and the terminal. */
public final class DocumentOutputs implements AutoCloseable {
  private static final String REPORT = "--report";
  private static final String PARTIAL =
      "Partial: stopped early by a signal; unfinished parts are missing.";

  private final PrintWriter out;
  private final TextForm form;
  private final List<Path> inputs;
  private final OutputFiles outputs;
  private final @Nullable FigureStyle figure;
  private final List<OutputFiles.Output> json = new ArrayList<>();
  private final Map<String, OutputFiles.Output> further = new HashMap<>();
  private String name = "";
  private OutputFiles.@Nullable Output csv;
  private @Nullable Path folder;
  private OutputFiles.@Nullable Output page;
  private @Nullable String pageName;
  private boolean lacksParquet;

  /**
   * No outputs yet.
   *
   * @param figure how charts are drawn; null for screens
   */
  public DocumentOutputs(
      PrintWriter out, TextForm form, List<Path> inputs, @Nullable FigureStyle figure) {
    this.figure = figure;
    this.out = out;
    this.form = form;
    this.inputs = inputs.stream().filter(Objects::nonNull).toList();
    outputs = new OutputFiles(out);
  }

  /**
   * Opens what is wanted; names are null where an option is absent.
   *
   * @param answer how the names of files in the report's folder begin
   */
  public void open(
      String answer,
      @Nullable String jsonName,
      @Nullable String csvName,
      @Nullable String reportName) {
    name = answer;
    csv = open("--csv", csvName);
    if (jsonName != null) {
      json.add(openGiven("--json", jsonName));
    }
    if (reportName != null) {
      folder = OutputFolder.make(REPORT, reportName);
      json.add(inFolder(folder, ".json"));
      openPage(REPORT, folder.resolve(name + ".html").toString());
    }
  }

  /** Opens a further file of the report's folder, named as the answer with another ending. */
  public OutputFiles.Output inFolder(String ending) {
    if (folder == null) {
      throw new IllegalStateException("the report has no folder");
    }
    return inFolder(folder, ending);
  }

  private OutputFiles.Output inFolder(Path folder, String ending) {
    return openGiven(REPORT, folder.resolve(name + ending).toString());
  }

  /** Opens a page without a folder. */
  public void openPage(String option, String name) {
    page = openGiven(option, name);
    pageName = name;
  }

  /** Opens a further file, which appears with the others; null where the option is absent. */
  public OutputFiles.@Nullable Output open(String option, @Nullable String name) {
    if (name != null) {
      further.put(option, openGiven(option, name));
    }
    return further.get(option);
  }

  /** The further file that was opened for an option; null where there is none. */
  public OutputFiles.@Nullable Output opened(String option) {
    return further.get(option);
  }

  /** Opens a further file of an option that is there, which appears with the others. */
  public OutputFiles.Output openGiven(String option, String name) {
    return outputs.openApart(option, name, inputs);
  }

  /**
   * Draws a chart into the further file of an option.
   *
   * @param name the file's name, which ends in a format
   * @param width width on screens
   * @param height height on screens
   */
  public void draw(String option, String name, JFreeChart chart, int width, int height)
      throws IOException {
    try (OutputStream stream =
        new BufferedOutputStream(Objects.requireNonNull(opened(option)).stream())) {
      FigureStyle.write(
          figure,
          chart,
          ChartSize.screen(width, height),
          ChartFile.ofName(name).orElseThrow(),
          stream);
    }
  }

  /** Whether there is a page, for which runs must be recorded. */
  public boolean hasPage() {
    return page != null;
  }

  /** The folder that takes charts; null where none are wanted or there are no fonts for them. */
  public @Nullable ChartFolder charts() {
    return folder == null || !ChartFonts.areAvailable() ? null : chartFolder(REPORT, folder);
  }

  /** The folder that another option names for charts; null where the option is absent. */
  public @Nullable ChartFolder charts(String option, @Nullable String name) {
    return name == null ? null : chartFolder(option, ChartFolder.make(option, name));
  }

  private ChartFolder chartFolder(String option, Path charts) {
    lacksParquet = figure != null && RowTable.installed().isEmpty();
    return new ChartFolder(outputs, option, charts, figure);
  }

  /** As {@link #write(Document, List)}; runs are recorded only where there is a page. */
  public void write(Document<?> document, Supplier<List<TraceRecording>> recordings) {
    write(document, hasPage() ? recordings.get() : List.of());
  }

  /** As {@link #write(Document, List)}, of an answer without recorded runs. */
  public void write(Document<?> document) {
    write(document, List.of());
  }

  /**
   * Writes the answer everywhere; one that a signal made shorter says so. Files appear only when
   * all of them are complete.
   *
   * @param recordings what the page shows of runs, in the order of the document's tables
   */
  public void write(Document<?> document, List<TraceRecording> recordings) {
    if (figure != null) {
      figure
          .names()
          .complaint()
          .ifPresent(sentence -> {
            throw Failure.usage(sentence);
          });
    }
    boolean isPartial = EarlyEnd.isAsked();
    List<String> plugins =
        PluginLoader.current()
            .map(loader -> loader.jars().stream().map(Path::toString).toList())
            .orElse(List.of());
    Table<?> main = document.mainCsv();
    if (csv != null && main != null) {
      CsvRenderer.write(main, csv.stream());
    }
    if (folder != null) {
      document
          .csv()
          .forEach((part, table) -> CsvRenderer.write(table, inFolder(part + ".csv").stream()));
    }
    if (!json.isEmpty() || page != null) {
      Map<String, Object> results = JsonRenderer.json(document);
      if (isPartial) {
        results.put(JsonRenderer.PARTIAL, true);
      }
      if (!plugins.isEmpty()) {
        results.put(JsonRenderer.PLUGINS, plugins);
      }
      for (OutputFiles.Output each : json) {
        JsonText.write(results, each.stream());
      }
      if (page != null) {
        new ReportPage(document, results, recordings).write(page.stream());
      }
    }
    outputs.commit();
    if (!outputs.takesStandardOutput()) {
      if (isPartial) {
        WrappedText.printLine(out, PARTIAL);
        out.println();
      }
      if (!plugins.isEmpty()) {
        WrappedText.printLine(
            out, VisibleText.of("Uses plugins: " + String.join(", ", plugins) + "."));
        out.println();
      }
      form.print(document, out);
      if (pageName != null) {
        out.println();
        WrappedText.printLine(out, "Page: " + VisibleText.of(pageName));
      }
      if (folder != null && !ChartFonts.areAvailable()) {
        WrappedText.printItem(out, "", "No charts were drawn: " + ChartFonts.REMEDY + ".");
      }
      if (lacksParquet) {
        WrappedText.printItem(
            out, "", "Figure data was not written as Parquet: " + RowTable.REMEDY + ".");
      }
      out.flush();
    }
  }

  /** Removes what was not written. */
  @Override
  public void close() {
    outputs.close();
  }
}
