package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.reports.question.tuning.CapacityQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim min-capacity}: the smallest device on which a program runs. */
@Command(
    name = "min-capacity",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Finds the smallest device on which a recorded program runs.",
      "",
      "For each allocator and setting: the minimum memory with which every request is served,"
          + " exact",
      "in steps of 2 MiB, and the ready GPUs that are large enough. A capacity is what is free",
      "before the first allocation; the sizes of GPUs include the context. Requests that failed",
      "in the recording must be served too; they are given back at once.",
      "",
      "A program that runs on one device may fail on a slightly larger one, because the allocator",
      "releases cached memory when it runs short: the 8 steps below and above the answer are tried",
      "as well, and failures above it are reported. With --report a chart, frontier, shows which",
      "allocator runs the program on which GPU.",
      "",
      "Of a folder with the recordings of a job's ranks: the smallest device on which every rank"
          + " runs."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:under an allocator or setting, requests fail on every device: the limit is too small"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim min-capacity snapshot.pickle",
      "  allocsim min-capacity ranks/",
      "  allocsim min-capacity snapshot.pickle --policies all --csv capacity.csv",
      "  allocsim min-capacity snapshot.pickle --confs \";expandable_segments:True\"",
      "  allocsim min-capacity snapshot.pickle --memory-fraction 0.9 --json capacity.json"
    })
public final class MinCapacityCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of pytorch, separated by semicolons; an empty one is PyTorch's default"
              + " (default: the recorded and some usual ones).")
  private String confs;

  @Option(
      names = "--memory-fraction",
      paramLabel = "F",
      description = "The allocator may reserve this share of each device that is tried.",
      converter = FractionConverter.class)
  private Double fraction;

  @Mixin private TorchVersionOption version;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    outputOptions.requireNoTime();
    Conditions conditions =
        Conditions.RECORDED
            .by(version.given())
            .within(fraction == null ? null : new Conditions.Limit.Fraction(fraction));
    return traceOptions
        .asking(outputOptions, conditions)
        .ask(new CapacityQuestion(choices(), ConfChoices.of(confs).given()), traceName);
  }

  private List<PolicyChoice> choices() {
    List<PolicyChoice> choices = policyOptions.choices();
    if (choices.stream().anyMatch(each -> each.options().containsKey("torch-version"))) {
      throw Failure.usage(
          "--policies "
              + policyOptions.text()
              + ": give the release with --torch-version, for all settings");
    }
    return choices;
  }
}
