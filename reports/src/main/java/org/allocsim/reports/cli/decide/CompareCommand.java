package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.replay.CompareQuestion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim compare}: one trace, every allocator. */
@Command(name = "compare", description = "Replays a program on many allocators and compares them.")
public final class CompareCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", arity = "1..*")
  private List<String> names;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions("all");

  @Mixin private ConfListOptions confOptions;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Option(names = "--charts", paramLabel = "DIR")
  private @Nullable String charts;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(charts != null, "--charts DIR, or omit it");
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(new CompareQuestion(policyOptions.choices(), confOptions.choices(), charts), names);
  }
}
