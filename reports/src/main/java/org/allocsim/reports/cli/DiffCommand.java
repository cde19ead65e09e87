package org.allocsim.reports.cli;

import java.util.concurrent.Callable;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.answer.moment.ProgramMoment;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.cli.option.GroupingOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
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
      "Everything adds up to the byte."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim diff before.pickle after.pickle",
      "  allocsim diff torch29.pickle torch210.pickle --of requested --by size"
    })
final class DiffCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "BEFORE",
      description = "The first trace, or program:ID(name=value;...).")
  private String beforeName;

  @Parameters(index = "1", paramLabel = "AFTER", description = "The second trace.")
  private String afterName;

  @Mixin private GroupingOptions grouping;

  @Mixin private CategoryOption categoryOption;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() {
    TableLimits limits = grouping.limits();
    try (DocumentOutputs outputs =
        outputOptions.open(Traces.file(beforeName), Traces.file(afterName))) {
      ReplayedProgram before = ReplayedProgram.replay(beforeName, programOptions);
      ReplayedProgram after = ReplayedProgram.replay(afterName, programOptions);
      CategoryRules rules = categoryOption.rules();
      LiveSet.By by = grouping.by(before, after);
      ProgramMoment first = peak(before);
      ProgramMoment second = peak(after);
      PeakDifference difference =
          PeakDifference.of(
              first.moment(),
              first.live(by, limits.frames(), before.attribution(rules)),
              second.moment(),
              second.live(by, limits.frames(), after.attribution(rules)));
      outputs.write(new DiffAnswer(first, second, difference, limits.top()).document());
      return ExitCodes.DONE;
    }
  }

  private ProgramMoment peak(ReplayedProgram program) {
    return new ProgramMoment(program, program.at(grouping.query(MomentQuery.Kind.PEAK_RESERVED)));
  }
}
