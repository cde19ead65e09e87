package org.allocsim.reports.cli.diagnose;

import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.question.moment.Grouping;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say at which peak a program is looked at and how its blocks are grouped. */
final class GroupingOptions {
  @Option(
      names = "--by",
      paramLabel = "stack|size|phase|category",
      description = "How to group lines (default: stack if recorded, otherwise size).",
      converter = Choices.ByConverter.class)
  private LiveSet.By by;

  @Option(
      names = "--of",
      paramLabel = "requested|allocated|reserved",
      description = "Which peak to show (default: reserved, at its fullest moment).",
      converter = Choices.PeakConverter.class)
  private MomentQuery query;

  @Mixin private TableOptions tableOptions;

  /**
   * What was chosen, else the peak of reserved memory.
   *
   * @throws org.allocsim.reports.output.Failure that names the option whose number makes no sense
   */
  public Grouping grouping() {
    return new Grouping(query == null ? Grouping.USUAL.peak() : query, by, tableOptions.limits());
  }
}
