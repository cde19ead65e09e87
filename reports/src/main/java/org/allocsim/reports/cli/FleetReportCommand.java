package org.allocsim.reports.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.allocsim.analysis.fleet.Family;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.sweep.SweepException;
import org.allocsim.analysis.fleet.sweep.SweepResults;
import org.allocsim.reports.answer.fleet.FleetBars;
import org.allocsim.reports.answer.fleet.FleetSection;
import org.allocsim.reports.answer.fleet.FleetTables;
import org.allocsim.reports.answer.fleet.FleetVerdict;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.FleetChart;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.html.FleetPage;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.OutputFolder;
import org.allocsim.reports.text.MarkdownText;
import org.allocsim.reports.text.VisibleText;
import org.jfree.chart.JFreeChart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim fleet-report}: what the rows of a sweep say. */
@Command(
    name = "fleet-report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Says what a sweep found, and which setting would have saved what.",
      "Failures and memory that each setting saves, the best setting of each workload family, what",
      "each GPU serves, and the worst traces: fleet.html, fleet.md and five tables as CSV.",
      "",
      "A failure is a trace that runs out of memory on a GPU under the settings that it was",
      "recorded with (PyTorch's default where the sweep did not run those)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim fleet-report swept",
      "  allocsim fleet-report swept --family '([a-z]+)-[0-9]+' -o report"
    })
final class FleetReportCommand implements Callable<Integer> {
  private static final int MAX_BARS = 20;
  private static final String PAGE = "fleet.html";
  private static final String MARKDOWN = "fleet.md";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "Folder that 'allocsim sweep -o DIR' wrote.")
  private Path swept;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description = "Folder for the report; it is made where missing (default: that of the sweep).")
  private String out;

  @Option(
      names = "--family",
      paramLabel = "folder|size|REGEX",
      description =
          "What makes traces a family: the folder that a file lies in, the class of what the"
              + " program asks for at its peak, or what a regular expression finds in the file's"
              + " name, its first group if it has one (default: ${DEFAULT-VALUE}).")
  private String family = "folder";

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Rows of long tables in the page and the text (default: ${DEFAULT-VALUE}).")
  private int top = 20;

  @Override
  public Integer call() throws IOException {
    if (top < 1) {
      throw Failure.usage("--top " + top + " leaves nothing; give a number of rows above 0");
    }
    FleetAnalysis analysis = read();
    FleetVerdict verdict = new FleetVerdict(analysis);
    List<FleetSection> sections = new FleetTables(analysis).sections();
    Path folder = out == null ? swept : OutputFolder.make("-o", out);
    PrintWriter terminal = spec.commandLine().getOut();
    try (OutputFiles outputs = new OutputFiles(terminal)) {
      for (FleetSection section : sections) {
        try (PrintWriter csv = writer(outputs, folder, section.file())) {
          section.writeCsv(csv);
        }
      }
      try (PrintWriter markdown = writer(outputs, folder, MARKDOWN)) {
        markdown.println("# " + MarkdownText.of(verdict.sentence()));
        markdown.println();
        verdict.facts().forEach(fact -> markdown.println("- " + MarkdownText.of(fact)));
        markdown.println();
        sections.forEach(section -> section.printMarkdown(markdown, top));
      }
      page(verdict, new FleetBars(analysis), sections)
          .write(outputs.open("-o", folder.resolve(PAGE).toString(), null).stream());
      outputs.commit();
    }
    terminal.println(VisibleText.of(verdict.sentence()));
    verdict.facts().forEach(fact -> terminal.println("  " + VisibleText.of(fact)));
    terminal.println(
        VisibleText.of(folder.resolve(PAGE).toString()) + ", " + MARKDOWN + ", fleet-*.csv");
    terminal.flush();
    return ExitCodes.DONE;
  }

  private FleetAnalysis read() throws IOException {
    Path rows = swept.resolve(SweepResults.CSV);
    if (!Files.isRegularFile(rows)) {
      throw new Failure(
          rows + ": there is no such file; name the folder of a sweep that was finished");
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(rows))) {
      return FleetAnalysis.read(in, Family.of(family));
    } catch (SweepException e) {
      throw Failure.usage(e.getMessage());
    } catch (IOException e) {
      throw new Failure(rows + ": " + e.getMessage() + "; sweep again", e);
    }
  }

  private static PrintWriter writer(OutputFiles outputs, Path folder, String name) {
    return new PrintWriter(
        new OutputStreamWriter(
            outputs.open("-o", folder.resolve(name).toString(), null).stream(),
            StandardCharsets.UTF_8));
  }

  private FleetPage page(FleetVerdict verdict, FleetBars bars, List<FleetSection> sections)
      throws IOException {
    FleetPage page =
        new FleetPage(
            swept.toString(),
            Verdict.ofText(Verdict.Tone.NEUTRAL, verdict.sentence(), verdict.facts(), null));
    if (ChartFonts.areAvailable()) {
      if (bars.isAnyOutcomeChanged()) {
        draw(page, "Failures that settings save", "failures", bars.savedFailures(MAX_BARS));
      }
      draw(
          page,
          "Traces by what their best setting saves of reserved memory",
          "traces",
          bars.savings());
      draw(page, "Traces that each GPU serves", "traces", bars.frontier());
    }
    for (FleetSection section : sections) {
      String more =
          section.rowCount() > top
              ? " The first "
                  + top
                  + " of "
                  + section.rowCount()
                  + "; "
                  + section.file()
                  + " has all."
              : "";
      page.heading(section.title(), section.note() + more);
      page.table(section.title(), section.headings(), section.rows(top));
    }
    return page;
  }

  private static void draw(FleetPage page, String title, String quantity, BarData data)
      throws IOException {
    Function<ChartTheme, JFreeChart> chart =
        theme -> FleetChart.create(title, "", quantity, data, theme);
    page.figure(
        title,
        svg(chart.apply(ChartTheme.LIGHT), FleetChart.height(data)),
        svg(chart.apply(ChartTheme.DARK), FleetChart.height(data)));
  }

  private static String svg(JFreeChart chart, int height) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ChartFile.SVG.write(chart, FleetChart.WIDTH, height, bytes);
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
