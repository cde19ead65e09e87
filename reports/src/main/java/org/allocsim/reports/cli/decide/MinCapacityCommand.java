package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.reports.question.tuning.CapacityQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim min-capacity}: the smallest device on which a program runs. */
@Command(
    name = "min-capacity",
    description = "Finds the smallest device on which a recorded program runs.")
public final class MinCapacityCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...")
  private String confs;

  @Option(names = "--memory-fraction", paramLabel = "F", converter = FractionConverter.class)
  private Double fraction;

  @Mixin private TorchVersionOption version;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or omit it");
    outputOptions.requireNoTime();
    Conditions conditions =
        Conditions.RECORDED
            .by(version.given())
            .within(fraction == null ? null : new Conditions.Limit.Fraction(fraction));
    return traceOptions
        .asking(outputOptions, conditions)
        .ask(
            new CapacityQuestion(policyOptions.choices(), ConfChoices.of(confs).given()),
            traceName);
  }
}
