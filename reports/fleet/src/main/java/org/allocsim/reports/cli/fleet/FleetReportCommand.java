package org.allocsim.reports.cli.fleet;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.allocsim.analysis.fleet.Family;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.sweep.SweepException;
import org.allocsim.analysis.fleet.sweep.SweepResults;
import org.allocsim.reports.answer.fleet.FleetAnswer;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.render.MarkdownRenderer;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.format.SimilarPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim fleet-report}: what the rows of a sweep say. */
@Command(
    name = "fleet-report",
    description = "Summarizes a sweep: failures, and what each setting would have saved.")
public final class FleetReportCommand implements Callable<Integer> {
  @Parameters(paramLabel = "DIR")
  private Path swept;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR")
  private String out;

  @Option(names = "--family", paramLabel = "folder|size|REGEX")
  private String family = "folder";

  @Option(names = "--top", paramLabel = "N")
  private int top = 20;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (top < 1) {
      throw Failure.usage("--top " + top + " must be at least 1");
    }
    outputOptions.requireNoTime();
    FleetAnswer answer = new FleetAnswer(swept.toString(), read());
    String folder = Objects.requireNonNullElse(out, swept.toString());
    try (DocumentOutputs outputs = outputOptions.open("fleet", folder)) {
      Document<?> document = answer.document(top, ChartFonts.areAvailable());
      PrintWriter markdown =
          new PrintWriter(
              new OutputStreamWriter(outputs.inFolder(".md").stream(), StandardCharsets.UTF_8));
      MarkdownRenderer.print(document, markdown);
      markdown.flush();
      ChartFolder charts = outputOptions.figure() == null ? null : outputs.charts();
      if (charts != null) {
        answer.draw(charts);
      }
      outputs.write(document);
    }
    return ExitCodes.DONE;
  }

  private FleetAnalysis read() throws IOException {
    Path rows = swept.resolve(SweepResults.CSV);
    if (!Files.isRegularFile(rows)) {
      String hint = Files.isDirectory(swept) ? "" : SimilarPath.hint(swept);
      throw new Failure(
          rows
              + ": no such file; "
              + (hint.isEmpty() ? "name the folder of a finished sweep" : hint));
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(rows))) {
      return FleetAnalysis.read(in, Family.of(family));
    } catch (SweepException e) {
      throw Failure.usage(e.getMessage());
    } catch (IOException e) {
      throw new Failure(rows + ": " + e.getMessage() + "; sweep again", e);
    }
  }
}
