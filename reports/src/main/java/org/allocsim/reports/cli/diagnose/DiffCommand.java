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
@Command(name = "diff", description = "Compares two programs at their peaks.")
public final class DiffCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BEFORE")
  private String beforeName;

  @Parameters(index = "1", paramLabel = "AFTER")
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
