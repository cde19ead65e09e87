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
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows what a program holds when its memory is at the peak, and what that is for.",
      "",
      "The lines add up to the byte; what was recorded without a stack has a line of its own. Of a",
      "snapshot without a history the end is shown, the only moment that it holds. Of a folder"
          + " with",
      "the recordings of a job's ranks: what each rank holds at its own peak."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim peak snapshot.pickle",
      "  allocsim peak snapshot.pickle --by phase --of allocated",
      "  allocsim peak snapshot.pickle --by size --top 40 --json peak.json",
      "",
      "Stacks are in a snapshot if torch.cuda.memory._record_memory_history() recorded them",
      "(stacks=\"python\" keeps to Python); phases are its annotations: optimizer steps and",
      "torch.profiler.record_function() blocks."
    })
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
