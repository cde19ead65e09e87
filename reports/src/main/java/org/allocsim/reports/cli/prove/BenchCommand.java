package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.validation.BenchBaseline;
import org.allocsim.reports.answer.validation.BenchTurns;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.validation.BenchQuestion;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkPlan.Subject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code allocsim bench}: how fast is allocsim on this machine? */
@Command(name = "bench", description = "Measures how fast allocsim is on this machine.")
public final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private BenchOptions options;

  @Mixin private OutputOptions outputOptions;

  @Option(names = "--baseline", paramLabel = "FILE")
  private String baselineName;

  @Option(names = "--tolerance", paramLabel = "PERCENT", defaultValue = "10%")
  private String tolerance;

  @Override
  public Integer call() throws IOException {
    double tolerated = tolerated();
    BenchmarkPlan plan = options.plan();
    if (options.isInTurns()) {
      requireTurns(plan);
      BenchTurns.run(BenchQuestion.engine(), plan, System.in, spec.commandLine().getOut());
      return ExitCodes.DONE;
    }
    BenchBaseline baseline = baselineName == null ? null : BenchBaseline.read(baselineName);
    return new Asking(outputOptions, null, Conditions.RECORDED)
        .beside(baselineName == null ? null : Path.of(baselineName))
        .ask(new BenchQuestion(plan, baseline, tolerated), List.of());
  }

  private void requireTurns(BenchmarkPlan plan) {
    if (outputOptions.isGiven() || baselineName != null || options.hasRuns()) {
      throw Failure.usage(
          "--in-turns prints samples as they come; omit --baseline, --runs and all outputs");
    }
    if (!plan.subjects().equals(Set.of(Subject.POLICIES))
        || plan.policies().size() != 1
        || plan.programs().size() != 1) {
      throw Failure.usage(
          "--in-turns measures one policy on one trace; give one --policies and one --trace");
    }
  }

  private double tolerated() {
    String number = tolerance.endsWith("%") ? tolerance.substring(0, tolerance.length() - 1) : "";
    try {
      double percent = Double.parseDouble(number);
      if (percent >= 0 && percent < Double.POSITIVE_INFINITY) {
        return percent / 100;
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw Failure.usage("--tolerance " + tolerance + " is not a percentage, such as 5%");
  }
}
