package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.answer.job.InspectJob;
import org.allocsim.reports.answer.product.HistoryRows;
import org.allocsim.reports.answer.product.InspectAnswer;
import org.allocsim.reports.answer.product.SnapshotContents;
import org.allocsim.reports.answer.product.TraceContents;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
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
final class InspectCommand implements Callable<Integer> {
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

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (from < 0 || to < from) {
      throw Failure.usage(
          "--from " + from + " --to " + to + " is no range; give a start and an end after it");
    }
    if (Jobs.isFolder(name)) {
      if (eventsName != null) {
        throw Failure.usage(
            "--events writes those of one recording; give the file of one rank instead of the"
                + " folder "
                + name);
      }
      return JobRun.of(outputOptions, rank -> inspect(rank, null)).run(name, new InspectJob());
    }
    List<Path> inputs = Collections.singletonList(Traces.file(name));
    try (DocumentOutputs outputs = outputOptions.open(inputs.toArray(Path[]::new))) {
      outputs.write(inspect(name, outputs.open("--events", eventsName)).document());
      return ExitCodes.DONE;
    }
  }

  /**
   * Looks into a file.
   *
   * @param events gets the entries of its histories; null without {@code --events}
   */
  private InspectAnswer inspect(String file, OutputFiles.@Nullable Output events) {
    TraceSource source = Traces.open(file, format);
    Snapshot snapshot = source.snapshot().orElse(null);
    if (snapshot == null && (from > 0 || to < Long.MAX_VALUE || events != null)) {
      throw Failure.usage(
          file + " holds no history, which --from, --to and --events mean; leave them out");
    }
    if (events != null && snapshot != null) {
      HistoryRows.write(snapshot, from, to, events.stream());
    }
    return new InspectAnswer(
        source,
        summary(source),
        snapshot == null ? null : SnapshotContents.of(snapshot, from, to),
        snapshot != null
            ? List.of()
            : TraceContents.of(Traces.read(source, source.defaultOptions()).trace()));
  }

  private static String summary(TraceSource source) {
    return TraceFormats.named(source.format())
        .map(TraceFormat::summary)
        .orElse("generated; 'allocsim list programs' shows the programs");
  }
}
