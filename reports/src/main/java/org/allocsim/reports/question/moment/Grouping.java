package org.allocsim.reports.question.moment;

import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.output.Failure;
import org.jspecify.annotations.Nullable;

/**
 * At which peak a program is looked at, and how its blocks are grouped.
 *
 * @param peak whose peak it is
 * @param by what the blocks of a group share; null for the stack where every program has stacks,
 *     else the size
 * @param limits how much is shown
 */
public record Grouping(MomentQuery peak, LiveSet.@Nullable By by, TableLimits limits) {
  /** The default. */
  public static final Grouping USUAL =
      new Grouping(MomentQuery.of(MomentQuery.Kind.PEAK_RESERVED), null, TableLimits.DEFAULT);

  /**
   * The grouping of programs.
   *
   * @throws Failure if grouped by stack and a program has no stacks
   */
  LiveSet.By of(ReplayedProgram... programs) {
    for (ReplayedProgram program : programs) {
      if (!program.origins().hasStacks() && by == LiveSet.By.STACK) {
        throw new Failure(
            program.name()
                + " has no stacks, which --by stack needs; use --by size or --by phase, or record"
                + " with torch.cuda.memory._record_memory_history(stacks=\"python\")");
      }
      if (!program.origins().hasStacks() && by == null) {
        return LiveSet.By.SIZE;
      }
    }
    return by == null ? LiveSet.By.STACK : by;
  }
}
