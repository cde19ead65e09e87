package org.allocsim.reports.cli.look;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.recording.InspectQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim inspect}: what is in a file. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows what is in a file.",
      "For each device: events by action, streams, sizes, segments and pools at the end; for the",
      "file: settings, annotations, stacks, and what the reader passed over. Shows whether the",
      "history is whole and adds up to the segments at the end. Of a folder with the recordings of"
          + " a",
      "job's ranks: a row for each."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim inspect snapshot.pickle",
      "  allocsim inspect snapshot.pickle --json -",
      "  allocsim inspect huge.pickle --from 200000 --to 400000 --events entries.csv"
    })
public final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = TraceOptions.TRACE_OR_JOB)
  private String name;

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the file (default: recognised by content).")
  private String format;

  @Option(
      names = "--from",
      paramLabel = "N",
      description = "Count entries of each history from number N on, from 0 (default: 0).")
  private long from;

  @Option(
      names = "--to",
      paramLabel = "N",
      description = "Count entries up to, but not with, number N (default: all).")
  private long to = Long.MAX_VALUE;

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description =
          "Write each entry of the histories as a row of CSV, with the program's frame; - is"
              + " standard output.")
  private String eventsName;

  @Option(
      names = "--blocks",
      paramLabel = "FILE",
      description =
          "Write each block at the end of the recording as a row of CSV, with what it is for where"
              + " that was recorded; - is standard output.")
  private String blocksName;

  @Option(
      names = "--facts",
      paramLabel = "FILE",
      description =
          "Write what 'allocsim record' added to the snapshot, as JSON; - is standard output.")
  private String factsName;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return new Asking(outputOptions, format, Conditions.RECORDED)
        .ask(new InspectQuestion(from, to, eventsName, blocksName, factsName), name);
  }
}
