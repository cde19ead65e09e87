package org.allocsim.reports.cli;

import org.allocsim.reports.advice.LiveSet;
import org.allocsim.reports.advice.MomentQuery;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say at which peak a program is looked at and how its blocks are grouped. */
final class GroupingOptions {
  @Option(
      names = "--by",
      paramLabel = "stack|size|phase",
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
  MomentQuery query(MomentQuery.Kind unlessGiven) {
    return query == null ? MomentQuery.of(unlessGiven) : query;
  }

  /** The grouping that was asked for, or by stack where every program has stacks. */
  LiveSet.By by(Program... programs) {
    if (by != null) {
      return by;
    }
    for (Program program : programs) {
      if (!program.origins().hasStacks()) {
        return LiveSet.By.SIZE;
      }
    }
    return LiveSet.By.STACK;
  }

  TableOptions table() {
    return tableOptions;
  }
}
