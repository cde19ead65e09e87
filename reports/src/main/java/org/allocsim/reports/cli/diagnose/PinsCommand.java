package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Pins;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.moment.PinsQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim pins}: the blocks that keep segments from being released. */
@Command(
    name = "pins",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Names the blocks that keep segments from being released.",
      "Shows their age and stack, and the free memory that they pin. At a failed request it also",
      "looks for the cheapest blocks without which the request would have fitted, and asks the",
      "simulated allocator whether that is so. Of a folder with the recordings of a job's ranks:",
      "what is pinned on each rank, and on which the most."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim pins snapshot.pickle",
      "  allocsim pins snapshot.pickle --at end --sort free --top 5",
      "  allocsim pins snapshot.pickle --memory-limit 16GiB --conf max_split_size_mb:128"
    })
public final class PinsCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(
      names = "--at",
      paramLabel = "oom|peak|end|N",
      description =
          "When: at the first failed request, the peak of reserved memory, the end, or after"
              + " allocation request N, from 0 (default: oom if a request fails, else peak).",
      converter = Choices.MomentConverter.class)
  private MomentQuery query;

  @Option(
      names = "--sort",
      paramLabel = "ratio|free",
      description =
          "Rank segments by the free bytes that each byte in use pins, or by free bytes (default:"
              + " ratio).",
      defaultValue = "ratio",
      converter = Choices.OrderConverter.class)
  private Pins.Order order;

  @Mixin private TableOptions tableOptions;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return programOptions
        .asking(outputOptions)
        .ask(new PinsQuestion(query, order, tableOptions.limits()), traceName);
  }
}
