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
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Ranks settings of PyTorch's allocator for a recorded program.",
      "",
      "Each of some 50 settings (400 with --grid fine) is replayed: does it run out of memory,",
      "what is reserved at most, what does the driver cost? Settings that serve every request",
      "come first, ordered by the peak of reserved memory; peaks that differ by less than",
      "1 %% of that of the recorded settings count as equal and rank by the time in the driver",
      "(in steps of 1 %% of the recorded time), then by the number of settings. A replay ends at",
      "the first request that fails. A request that failed in the recording and is served now is",
      "given back at once. Of a folder with the recordings of a job's ranks, one setting for all",
      "is sought: what any rank has left decides."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:every setting runs out of memory"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim tune snapshot.pickle",
      "  allocsim tune ranks/",
      "  allocsim tune snapshot.pickle --capacity 24GiB",
      "  allocsim tune snapshot.pickle --memory-fraction 0.9 --torch-version 2.9 --os windows",
      "  allocsim tune snapshot.pickle --grid fine --top 0 --json tuning.json",
      "  allocsim tune snapshot.pickle --report tuned"
    })
public final class TuneCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--os",
      paramLabel = "linux|windows|wsl",
      description = "Where the program is to run (default: linux).")
  private Platform platform = Platform.LINUX;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--grid",
      paramLabel = "coarsest|coarse|usual|fine",
      description = {
        "coarsest: a handful of settings; coarse: a dozen; usual: some 50 (the default); fine:"
            + " some",
        "400, with values in between and more combinations."
      })
  private TuningGrid.Fineness fineness = TuningGrid.Fineness.USUAL;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Rows of the table, 0 for all (default: " + TuneAnswer.DEFAULT_TOP + ").")
  private int top = TuneAnswer.DEFAULT_TOP;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (top < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--top " + top + " is negative; give the number of rows, or 0 for all");
    }
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(new TuneQuestion(platform, fineness, top), traceName);
  }
}
