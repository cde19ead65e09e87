package org.allocsim.reports.question.moment;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.Blockers;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.answer.job.BlockersJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.moment.BlockersAnswer;
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
public record BlockersQuestion(
    @Nullable MomentQuery moment, Blockers.Order order, TableLimits limits)
    implements JobQuestion<BlockersAnswer> {
  @Override
  public BlockersAnswer ask(Asked asked) {
    ReplayedProgram program = ProgramReplay.read(asked.trace());
    return BlockersAnswer.of(program, program.at(moment), order, limits);
  }

  @Override
  public Document<BlockersAnswer> document(BlockersAnswer answer) {
    return answer.document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(BlockersAnswer answer) {
    ReplayedProgram program = answer.at().program();
    return Optional.of(PageRun.of(program, () -> program.attribution(CategoryRules.NONE)));
  }

  @Override
  public JobView<BlockersAnswer, ?, ?> view(AskedJobs jobs) {
    return new BlockersJob();
  }
}
