package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.tuning.TuneQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim tune}: which settings of the caching allocator would have been best. */
@Command(
    name = "tune",
    description = "Ranks settings of PyTorch's allocator for a recorded program.")
public final class TuneCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private DeviceOptions deviceOptions;

  @Option(names = "--os", paramLabel = "linux|windows|wsl")
  private Platform platform = Platform.LINUX;

  @Mixin private TraceOptions traceOptions;

  @Option(names = "--grid", paramLabel = "coarsest|coarse|usual|fine")
  private TuningGrid.Fineness fineness = TuningGrid.Fineness.USUAL;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Maximum number of rows, 0 for all (default: " + TuneAnswer.DEFAULT_TOP + ").")
  private int top = TuneAnswer.DEFAULT_TOP;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (top < 0) {
      throw new ParameterException(
          spec.commandLine(), "--top " + top + " must be at least 0; 0 shows all rows");
    }
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(new TuneQuestion(platform, fineness, top), traceName);
  }
}
