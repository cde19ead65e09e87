package org.allocsim.reports.cli.option;

import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say at which peak a program is looked at and how its blocks are grouped. */
public final class GroupingOptions {
  @Option(
      names = "--by",
      paramLabel = "stack|size|phase|category",
      description = "What the lines stand for (default: stack where recorded, else size).",
      converter = Choices.ByConverter.class)
  private LiveSet.By by;

  @Option(
      names = "--of",
      paramLabel = "requested|allocated|reserved",
      description = "Whose peak it is (default: allocated for peak, reserved for diff).",
      converter = Choices.PeakConverter.class)
  private MomentQuery query;

  @Mixin private TableOptions tableOptions;

  /** The peak that was asked for, or the default one. */
  public MomentQuery query(MomentQuery.Kind unlessGiven) {
    return query == null ? MomentQuery.of(unlessGiven) : query;
  }

  /**
   * The grouping that was asked for, or by stack where every program has stacks.
   *
   * @throws Failure where it was asked for by stack and a program has none
   */
  public LiveSet.By by(ReplayedProgram... programs) {
    for (ReplayedProgram program : programs) {
      if (!program.origins().hasStacks() && by == LiveSet.By.STACK) {
        throw new Failure(
            program.name()
                + " holds no stacks, which --by stack needs; choose --by size or --by phase, or"
                + " record with torch.cuda.memory._record_memory_history(stacks=\"python\")");
      }
      if (!program.origins().hasStacks() && by == null) {
        return LiveSet.By.SIZE;
      }
    }
    return by == null ? LiveSet.By.STACK : by;
  }

  /**
   * How much is shown.
   *
   * @throws Failure that names the option whose number makes no sense
   */
  public TableLimits limits() {
    return tableOptions.limits();
  }
}
