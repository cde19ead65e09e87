package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.fit.NamedSizes;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.PositiveConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.reports.question.tuning.FitQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim fit}: what a program needs at another batch or length. */
@Command(
    name = "fit",
    description = "Predicts a program's memory at another batch size or sequence length.")
public final class FitCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", arity = "1..*")
  private List<String> recordings;

  @Option(
      names = "--sizes",
      paramLabel = "N,N,...",
      split = ",",
      converter = PositiveConverter.class)
  private List<Double> sizes;

  @Option(
      names = {"--batch", "--length"},
      paramLabel = "N",
      required = true,
      converter = PositiveConverter.class)
  private double wanted;

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...")
  private String confs;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (recordings.size() < 2) {
      throw Failure.usage(
          "fit needs traces of at least two sizes, such as batch 8 and 16; give another one");
    }
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(
            new FitQuestion(wanted, values(), sizes == null, ConfChoices.of(confs).given()),
            recordings);
  }

  private List<Double> values() {
    if (sizes == null) {
      return NamedSizes.of(recordings)
          .orElseThrow(() ->
              Failure.usage(
                  "the file names do not show the batch sizes or lengths; give them with --sizes,"
                      + " such as --sizes 8,16"));
    }
    if (sizes.size() != recordings.size()) {
      throw Failure.usage(
          "--sizes has "
              + Numbers.count(sizes.size(), "number")
              + " for "
              + Numbers.count(recordings.size(), "recording")
              + "; give one per recording, in order");
    }
    return sizes;
  }
}
