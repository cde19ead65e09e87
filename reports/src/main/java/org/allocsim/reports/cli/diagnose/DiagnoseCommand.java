package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.LogInput;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.tuning.DiagnoseQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim diagnose}: why did a run fail, and what would have saved it? */
@Command(
    name = "diagnose",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Says why a run failed and what would have saved it, from a recording, a log, or both.",
      "",
      "A recording shows what happened, which lines of the program hold the memory, the setting",
      "that would have saved the run with its margin and its cost, or how much less the program",
      "must need, and the smallest GPU for it. The margin is tried on 50 changed copies of the",
      "program. Of a program with over a million events fewer settings and copies are tried, so"
          + " that",
      "the answer takes seconds; 'allocsim tune' tries all. A log shows why its request failed;",
      "beside a recording, its message says what that leaves open: how much memory there was, and",
      "the limit.",
      "",
      "Of a folder with the recordings of a job's ranks it says which rank failed first and why,",
      "how even the ranks are, which one setting serves all of them, and the smallest GPU on which",
      "every rank runs."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:no request fails, or none under the setting that is recommended",
      " 1:failed: unreadable input, no message found, unwritable output",
      " 2:wrong usage",
      " 3:a request fails under every setting",
      "10-20:for a log alone, those of 'allocsim explain-oom'"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim diagnose snapshot.pickle",
      "  allocsim diagnose snapshot.pickle train.log --report diagnosis",
      "  allocsim diagnose ranks/",
      "  python train.py 2>&1 | allocsim diagnose -"
    })
public final class DiagnoseCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      arity = "1..2",
      description =
          "A recording ('allocsim list formats'), a log with the message (- is standard input), or"
              + " one of each; or a folder with one recording for each rank of a job.")
  private List<String> names;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--os",
      paramLabel = "linux|windows|wsl",
      description = "Where the program is to run (default: linux).")
  private Platform platform = Platform.LINUX;

  @Mixin private CategoryOption categoryOption;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    boolean isJob = names.stream().anyMatch(Jobs::isFolder);
    List<String> logs =
        names.stream()
            .filter(
                each -> !isJob && (each.equals(LogInput.STANDARD_INPUT) || !Traces.isTrace(each)))
            .toList();
    List<String> traces = names.stream().filter(each -> !logs.contains(each)).toList();
    if (!isJob && (logs.size() > 1 || traces.size() > 1)) {
      throw Failure.usage(
          String.join(" and ", names)
              + " are two "
              + (logs.size() > 1 ? "logs" : "recordings")
              + "; give one recording, one log, or one of each");
    }
    LogInput log = logs.isEmpty() ? null : LogInput.of(logs.getFirst());
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .beside(log == null ? null : log.file())
        .ask(
            new DiagnoseQuestion(
                platform, categoryOption.rules(), log == null ? null : () -> explain(log)),
            traces);
  }

  private ExplainOomAnswer explain(LogInput log) throws IOException {
    try {
      return ExplainOomAnswer.of(log.label(), log.read(outputOptions.err()), null);
    } catch (Failure e) {
      log.refuseForeign();
      throw e;
    }
  }
}
