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
@Command(name = "inspect", description = "Shows what a file contains.")
public final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = TraceOptions.TRACE_OR_JOB)
  private String name;

  @Option(names = "--format", paramLabel = "ID")
  private String format;

  @Option(names = "--from", paramLabel = "N")
  private long from;

  @Option(names = "--to", paramLabel = "N")
  private long to = Long.MAX_VALUE;

  @Option(names = "--events", paramLabel = "FILE")
  private String eventsName;

  @Option(names = "--blocks", paramLabel = "FILE")
  private String blocksName;

  @Option(names = "--facts", paramLabel = "FILE")
  private String factsName;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return new Asking(outputOptions, format, Conditions.RECORDED)
        .ask(new InspectQuestion(from, to, eventsName, blocksName, factsName), name);
  }
}
