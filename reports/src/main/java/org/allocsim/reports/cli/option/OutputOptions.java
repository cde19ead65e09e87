package org.allocsim.reports.cli.option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SequencedMap;
import org.allocsim.reports.chart.FigureStyle;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.TextForm;
import org.allocsim.reports.question.AnswerOutputs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that say where an answer goes besides the terminal. */
public sealed class OutputOptions implements AnswerOutputs permits FigureOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the answer as JSON; - is standard output.")
  private String json;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write the table as CSV with units in the header; - is standard output.")
  private String csv;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Folder for the answer as a page, JSON and CSV, with charts; created if missing.")
  private String report;

  @Option(names = "--markdown", description = "Print the answer as Markdown.")
  private boolean markdown;

  @Option(names = "--all", description = "Print every row and part, not only a screen of them.")
  private boolean all;

  @Override
  public PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** How charts are drawn; null for screens. */
  @Nullable FigureStyle figure() {
    return null;
  }

  /** The command that has these options, as users know it; those below one share its name. */
  @Override
  public final String commandName() {
    CommandLine command = spec.commandLine();
    while (command.getParent() != null && command.getParent().getParent() != null) {
      command = command.getParent();
    }
    return command.getCommandName();
  }

  @Override
  public SequencedMap<String, List<String>> givenOptions() {
    return GivenOptions.of(spec);
  }

  /** Whether any of them is given. */
  public boolean isGiven() {
    return json != null || csv != null || report != null || markdown;
  }

  /** Whether there is a report with a page. */
  public boolean hasReport() {
    return report != null;
  }

  /** Whether Markdown is printed. */
  public boolean isMarkdown() {
    return markdown;
  }

  private TextForm form() {
    return markdown ? TextForm.MARKDOWN : all ? TextForm.EVERY_ROW : TextForm.FIRST_SCREEN;
  }

  /** Files of the report folder are called as the command. */
  @Override
  public DocumentOutputs open(@Nullable Path... inputs) {
    return open(commandName(), null, inputs);
  }

  /**
   * As {@link #open(Path...)}.
   *
   * @param answer how the names of files in the report folder begin
   * @param folder the report folder without {@code --report}; null for none
   */
  public DocumentOutputs open(String answer, @Nullable String folder, @Nullable Path... inputs) {
    DocumentOutputs outputs =
        new DocumentOutputs(spec.commandLine().getOut(), form(), Arrays.asList(inputs), figure());
    try {
      outputs.open(answer, json, csv, report == null ? folder : report);
      return outputs;
    } catch (RuntimeException e) {
      outputs.close();
      throw e;
    }
  }
}
