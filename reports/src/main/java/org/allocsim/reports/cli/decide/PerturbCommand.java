package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.tuning.PerturbQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.workloads.transform.Perturbation;
import org.allocsim.workloads.transform.Perturbation.Resize;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code allocsim perturb}: does a program still pass if its requests differ a little? */
@Command(
    name = "perturb",
    description =
        "Tests how robust a passing run is: replays randomly perturbed copies of a program.")
public final class PerturbCommand implements Callable<Integer> {
  private static final int MAX_RUNS = 100_000;

  /** As the copies with which settings are ranked. */
  private static final double USUAL_SHARE = 0.02;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(names = "--swap-adjacent")
  private boolean swapsNeighbours;

  @Option(names = "--resize", paramLabel = "PERCENT", converter = PercentConverter.class)
  private Double resizeShare;

  @Option(names = "--resize-each", paramLabel = "size|request", converter = ResizeConverter.class)
  private Resize resize;

  @Option(names = "--runs", paramLabel = "N")
  private int runs = 100;

  @Option(names = "--seed", paramLabel = "N")
  private long seed = 1;

  @Option(names = "--policy", paramLabel = "ID")
  private String policyName = Program.PYTORCH;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    Perturbation perturbation = perturbation();
    PolicyChoice policy = policy();
    if (programOptions.conf() != null && !Scenario.takesConf(policy.provider().spec())) {
      throw Failure.usage(
          "--conf is for policy pytorch, not " + policy.label() + "; omit one of them");
    }
    return programOptions
        .asking(outputOptions)
        .ask(new PerturbQuestion(policy, perturbation, runs, seed), traceName);
  }

  private PolicyChoice policy() {
    PolicyChoice policy;
    try {
      policy = PolicyChoice.parse(policyName);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policy: " + e.getMessage());
    }
    if (Scenario.takesConf(policy.provider().spec()) && !policy.options().isEmpty()) {
      throw Failure.usage(
          "--policy " + policyName + ": use pytorch with --conf and --torch-version");
    }
    return policy;
  }

  private Perturbation perturbation() {
    boolean isByDefault = !swapsNeighbours && resizeShare == null;
    if (resize != null && resizeShare == null) {
      throw Failure.usage("--resize-each needs --resize; add it");
    }
    if (runs < 1 || runs > MAX_RUNS) {
      throw Failure.usage(
          "--runs " + runs + " is outside 1.." + MAX_RUNS + "; choose a value in that range");
    }
    if (seed > Long.MAX_VALUE - runs) {
      throw Failure.usage("--seed " + seed + " is too large to count up from; give a smaller seed");
    }
    return new Perturbation(
        swapsNeighbours || isByDefault,
        isByDefault ? USUAL_SHARE : resizeShare == null ? 0 : resizeShare,
        resize == null ? Resize.SIZE : resize);
  }

  /** Reads {@code 2%}, {@code ±2%} or {@code 2} as 0.02. */
  static final class PercentConverter implements ITypeConverter<Double> {
    private static final Pattern PERCENT =
        Pattern.compile("\u00b1?([0-9]{1,2}(?:\\.[0-9]{1,9})?)%?");

    @Override
    public Double convert(String text) {
      Matcher percent = PERCENT.matcher(text.strip());
      if (!percent.matches()) {
        throw new TypeConversionException(
            "'" + text + "' is not a percentage in [0%, 100%), such as 2%");
      }
      return new BigDecimal(percent.group(1)).movePointLeft(2).doubleValue();
    }
  }

  /** Reads what has a factor of its own. */
  static final class ResizeConverter implements ITypeConverter<Resize> {
    @Override
    public Resize convert(String text) {
      return Choices.of(Resize.class, text);
    }
  }
}
