package org.allocsim.reports.question.page;

import java.util.List;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.PolicyChoice;

/**
 * A trace as a page shows it that is about no particular question: run and recorded.
 *
 * @param compared the figures of its runs
 * @param recording what the page shows of them
 */
public record ViewedTrace(ComparedTrace compared, TraceRecording recording) {
  /**
   * Runs a trace.
   *
   * @param choices settings, the recorded ones first
   */
  public static ViewedTrace of(Program program, List<PolicyChoice> choices) {
    RecordedTrial trial = new RecordedTrial(program, true);
    List<ObservedRun> observed;
    try (ProgressMeter progress = ProgressMeter.of("replaying", "policies")) {
      observed = trial.runAll(choices, progress::update);
    }
    ComparedTrace compared = ComparedTrace.of(program, null, observed);
    return new ViewedTrace(compared, trial.recording(compared.results(), program.input().conf()));
  }
}
