package org.allocsim.reports.question.replay;

import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.replay.RepeatedAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * What does one allocator do with a program many times over?
 *
 * @param policy the allocator with its options; null for PyTorch's under the settings that hold
 * @param afterOom what to do after a failed request
 * @param passes how many times
 */
public record RepeatedReplayQuestion(@Nullable PolicyChoice policy, AfterOom afterOom, long passes)
    implements Question<RepeatedAnswer> {
  /** Failed requests that are shown. */
  private static final int FAILURES_SHOWN = 3;

  @Override
  public RepeatedAnswer ask(Asked asked) {
    Program program = asked.trace().program();
    PolicyChoice choice = policy == null ? program.pytorch() : policy;
    try (ProgressMeter progress = ProgressMeter.of("replaying", "passes")) {
      RunResult result =
          Run.of(
              program
                  .onModel(RunPolicy.of(choice))
                  .with(afterOom)
                  .repeated(passes)
                  .keepingFailures(FAILURES_SHOWN),
              new Passes(program.input(), passes, progress));
      String reason = result.notRunBecause();
      if (reason != null) {
        throw ReplayQuestion.cannotServe(program, choice, reason);
      }
      return new RepeatedAnswer(program, choice, result);
    }
  }

  /** Reports how many passes have begun. */
  private static final class Passes implements RunObserver {
    private final long total;
    private final ProgressMeter progress;
    private final int first;
    private long begun;

    Passes(DeviceTrace input, long total, ProgressMeter progress) {
      this.total = total;
      this.progress = progress;
      AllocationTrace trace = input.trace();
      int event = trace.prologueCount();
      while (event < trace.eventCount() && trace.device(event) != input.device()) {
        event++;
      }
      first = event;
    }

    @Override
    public boolean before(int row) {
      if (row == first) {
        progress.update(begun++, total);
      }
      return true;
    }
  }

  @Override
  public Document<RepeatedAnswer> document(RepeatedAnswer answer) {
    return answer.document();
  }
}
