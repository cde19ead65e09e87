package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.question.moment.DiffQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code allocsim diff}: why one program takes more memory than another. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares two programs at their peaks.",
      "Shows how much of the difference is the program's, because it asks for more, and how much",
      "the allocator's, by rounding and slack; and which stacks, or sizes, ask for more.",
      "Everything adds up to the byte. Two folders with the recordings of jobs are compared rank"
          + " by",
      "rank."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim diff before.pickle after.pickle",
      "  allocsim diff torch29.pickle torch210.pickle --of requested --by size",
      "  allocsim diff ranks_before/ ranks_after/"
    })
public final class DiffCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "BEFORE",
      description = "The first trace, or program:ID(name=value;...); or a job's folder, for both.")
  private String beforeName;

  @Parameters(index = "1", paramLabel = "AFTER", description = "The second trace.")
  private String afterName;

  @Mixin private GroupingOptions grouping;

  @Mixin private CategoryOption categoryOption;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return programOptions
        .asking(outputOptions)
        .ask(
            new DiffQuestion(grouping.grouping(), categoryOption.rules()),
            List.of(beforeName, afterName));
  }
}
