package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.reports.answer.job.DiffJob;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.answer.moment.ProgramMoment;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.cli.option.GroupingOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.input.Jobs;
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
final class DiffCommand implements Callable<Integer> {
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
    TableLimits limits = grouping.limits();
    if (Jobs.isFolder(beforeName) || Jobs.isFolder(afterName)) {
      return diffJobs(limits);
    }
    try (DocumentOutputs outputs =
        outputOptions.open(Traces.file(beforeName), Traces.file(afterName))) {
      outputs.write(diff(beforeName, afterName, limits).document());
      return ExitCodes.DONE;
    }
  }

  private int diffJobs(TableLimits limits) throws IOException {
    List<Job> jobs = Jobs.openAll(List.of(beforeName, afterName));
    List<Ranked<List<Path>>> common = Jobs.common(jobs);
    DiffJob question =
        new DiffJob(jobs.get(1), jobs.get(0).without(common), jobs.get(1).without(common));
    return JobRun.ofSeveral(outputOptions, names -> diff(names.getFirst(), names.getLast(), limits))
        .run(jobs, common, Function.identity(), question);
  }

  private DiffAnswer diff(String beforeFile, String afterFile, TableLimits limits) {
    ReplayedProgram before = ReplayedProgram.replay(beforeFile, programOptions);
    ReplayedProgram after = ReplayedProgram.replay(afterFile, programOptions);
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
    return new DiffAnswer(first, second, difference, limits.top());
  }

  private ProgramMoment peak(ReplayedProgram program) {
    return new ProgramMoment(program, program.at(grouping.query(MomentQuery.Kind.PEAK_RESERVED)));
  }
}
