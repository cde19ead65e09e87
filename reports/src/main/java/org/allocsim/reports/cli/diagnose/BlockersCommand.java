package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.Blockers;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.moment.BlockersQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim blockers}: the blocks that keep segments from being released. */
@Command(
    name = "blockers",
    description = "Names the blocks that keep segments from being released.")
public final class BlockersCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(names = "--at", paramLabel = "oom|peak|end|N", converter = Choices.MomentConverter.class)
  private MomentQuery query;

  @Option(
      names = "--sort",
      paramLabel = "ratio|free",
      defaultValue = "ratio",
      converter = Choices.OrderConverter.class)
  private Blockers.Order order;

  @Mixin private TableOptions tableOptions;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return programOptions
        .asking(outputOptions)
        .ask(new BlockersQuestion(query, order, tableOptions.limits()), traceName);
  }
}
