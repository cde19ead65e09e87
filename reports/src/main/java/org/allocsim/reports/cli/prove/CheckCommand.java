package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.moment.CheckQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim check}: does a program keep its limits? */
@Command(
    name = "check",
    description = "Checks a program against memory limits, for continuous integration.")
public final class CheckCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(names = "--max-reserved", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long maxReservedBytes;

  @Option(names = "--max-allocated", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long maxAllocatedBytes;

  @Option(names = "--max-requested", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long maxRequestedBytes;

  @Option(
      names = "--max-slack",
      paramLabel = "SIZE|PERCENT",
      converter = ShareOrSize.Converter.class)
  private ShareOrSize maxSlack;

  @Option(names = "--no-oom")
  private boolean noOom;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    CheckQuestion question =
        new CheckQuestion(
            maxReservedBytes,
            maxAllocatedBytes,
            maxRequestedBytes,
            maxSlack == null ? null : maxSlack::bytesOf,
            noOom);
    return programOptions.asking(outputOptions).ask(question, traceName);
  }
}
