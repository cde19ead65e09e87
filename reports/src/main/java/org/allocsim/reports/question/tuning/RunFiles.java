package org.allocsim.reports.question.tuning;

import java.io.PrintWriter;
import java.util.List;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.LogInput;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.jspecify.annotations.Nullable;

/**
 * What is there of a run: a recording, a log, or one of each; or the recordings of a job.
 *
 * @param log the log; null where there is none
 * @param traces the recordings
 */
public record RunFiles(@Nullable LogInput log, List<String> traces) {
  /**
   * Tells recordings from logs.
   *
   * @throws Failure where there are two of a kind
   */
  public static RunFiles of(List<String> names) {
    if (names.stream().anyMatch(Jobs::isFolder)) {
      return new RunFiles(null, names);
    }
    List<String> logs = names.stream().filter(RunFiles::isLog).toList();
    List<String> traces = names.stream().filter(each -> !logs.contains(each)).toList();
    if (logs.size() > 1 || traces.size() > 1) {
      throw Failure.usage(
          String.join(" and ", names)
              + " are both "
              + (logs.size() > 1 ? "logs" : "recordings")
              + "; give one recording, one log, or one of each");
    }
    return new RunFiles(logs.isEmpty() ? null : LogInput.of(logs.getFirst()), traces);
  }

  private static boolean isLog(String name) {
    return name.equals(LogInput.STANDARD_INPUT) || !Traces.isTrace(name);
  }

  /**
   * What the log says; null where there is none.
   *
   * @param err gets what keeps it from being read in full
   */
  public DiagnoseQuestion.@Nullable RunLog said(PrintWriter err) {
    LogInput given = log;
    if (given == null) {
      return null;
    }
    return () -> {
      try {
        return ExplainOomAnswer.of(given.label(), given.read(err), null);
      } catch (Failure e) {
        given.refuseForeign();
        throw e;
      }
    };
  }
}
