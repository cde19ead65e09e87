package org.allocsim.reports.question.moment;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Pins;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.PinsJob;
import org.allocsim.reports.answer.moment.PinsAnswer;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.PageRun;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks keep segments from being released?
 *
 * @param moment when; null for the first failed request, else the peak
 * @param order how segments are ranked
 * @param limits how much is shown
 */
public record PinsQuestion(@Nullable MomentQuery moment, Pins.Order order, TableLimits limits)
    implements JobQuestion<PinsAnswer> {
  @Override
  public PinsAnswer ask(Asked asked) {
    ReplayedProgram program = ProgramReplay.read(asked.trace());
    return PinsAnswer.of(program, program.at(moment), order, limits);
  }

  @Override
  public Document<PinsAnswer> document(PinsAnswer answer) {
    return answer.document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(PinsAnswer answer) {
    ReplayedProgram program = answer.at().program();
    return Optional.of(PageRun.of(program, () -> program.attribution(CategoryRules.NONE)));
  }

  @Override
  public JobView<PinsAnswer, ?, ?> view(AskedJobs jobs) {
    return new PinsJob();
  }
}
