package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.moment.PeakQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code allocsim peak}: what fills the memory at its peak. */
@Command(
    name = "peak",
    description = "Shows what a program holds at its memory peak, and what for.")
public final class PeakCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private GroupingOptions grouping;

  @Mixin private CategoryOption categoryOption;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return programOptions
        .asking(outputOptions)
        .ask(new PeakQuestion(grouping.grouping(), categoryOption.rules()), traceName);
  }
}
