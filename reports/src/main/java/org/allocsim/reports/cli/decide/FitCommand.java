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
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Predicts what a program needs at another batch or length.",
      "",
      "Give two recordings or more that differ in their batch or length only. Their sizes are the",
      "number in which the file names differ, or those of --sizes.",
      "",
      "Requests are aligned by stack, stream and order, so recordings may differ in their number.",
      "Each size is a line, or a parabola, through those of the recordings. The requests at the",
      "size that is asked for then run through the allocator. Two recordings cannot show where a",
      "program begins to work differently: three narrow the interval or show that it is wide. Of",
      "folders with the recordings of jobs it predicts every rank, and what all of them can do."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, runs of different programs, unwritable output",
      "2:wrong usage",
      "3:under every setting a request fails at the size that is asked for"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim fit --batch 64 batch8.pickle batch16.pickle",
      "  allocsim fit --length 4096 --sizes 512,1024,2048 a.pickle b.pickle c.pickle --device t4",
      "  allocsim fit --batch 64 b8.pickle b16.pickle --confs ';expandable_segments:True' --json -",
      "  allocsim fit --batch 64 ranks8/ ranks16/"
    })
public final class FitCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE",
      arity = "2..*",
      description =
          "Recordings of different batches or lengths, or folders with the recordings of such"
              + " jobs.")
  private List<String> recordings;

  @Option(
      names = "--sizes",
      paramLabel = "N,N,...",
      split = ",",
      description =
          "Batches or lengths of the recordings, in their order (default: the number in which their"
              + " names differ).",
      converter = PositiveConverter.class)
  private List<Double> sizes;

  @Option(
      names = {"--batch", "--length"},
      paramLabel = "N",
      required = true,
      description = "Batch or length that is asked for.",
      converter = PositiveConverter.class)
  private double wanted;

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of policy pytorch, separated by semicolons; an empty one is PyTorch's default"
              + " (default: the recorded ones and expandable segments).")
  private String confs;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
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
                  "the names of the recordings do not say their batches or lengths; give them with"
                      + " --sizes, such as --sizes 8,16"));
    }
    if (sizes.size() != recordings.size()) {
      throw Failure.usage(
          "--sizes has "
              + Numbers.count(sizes.size(), "number")
              + " for "
              + Numbers.count(recordings.size(), "recording")
              + "; give one for each, in their order");
    }
    return sizes;
  }
}
