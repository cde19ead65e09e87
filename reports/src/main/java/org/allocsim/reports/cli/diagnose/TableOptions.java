package org.allocsim.reports.cli.diagnose;

import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Option;

/** Options that say how much of a table is shown. */
final class TableOptions {
  private static final int MAX_FRAMES = 64;

  @Option(
      names = "--top",
      paramLabel = "N",
      description =
          "Maximum number of lines to show; the rest is summed up (default: "
              + TableLimits.DEFAULT_TOP
              + ").",
      defaultValue = "" + TableLimits.DEFAULT_TOP)
  private int top;

  @Option(
      names = "--frames",
      paramLabel = "N",
      description =
          "Maximum number of frames used to tell stacks apart, not counting PyTorch's own (default:"
              + " 3).",
      defaultValue = "" + StackLabels.DEFAULT_FRAMES)
  private int frames;

  /**
   * How much is shown.
   *
   * @throws Failure that names the option
   */
  public TableLimits limits() {
    if (top < 1) {
      throw Failure.usage("--top " + top + " must be at least 1");
    }
    if (frames < 1 || frames > MAX_FRAMES) {
      throw Failure.usage(
          "--frames " + frames + " is outside 1.." + MAX_FRAMES + "; choose a value in that range");
    }
    return new TableLimits(top, frames);
  }
}
