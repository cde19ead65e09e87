package org.allocsim.reports.question.moment;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.PeakJob;
import org.allocsim.reports.answer.moment.PeakAnswer;
import org.allocsim.reports.answer.moment.ProgramMoment;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.PageRun;

/**
 * What fills the memory of a program at its peak?
 *
 * @param grouping whose peak, and how blocks are grouped
 * @param rules the user's own categories
 */
public record PeakQuestion(Grouping grouping, CategoryRules rules)
    implements JobQuestion<PeakAnswer> {
  @Override
  public PeakAnswer ask(Asked asked) {
    ReplayedProgram program = ProgramReplay.read(asked.trace());
    ProgramMoment peak = new ProgramMoment(program, program.peak(grouping.peak()));
    Attribution attribution = program.attribution(rules);
    LiveSet live = peak.live(grouping.of(program), grouping.limits().frames(), attribution);
    return new PeakAnswer(peak, live, attribution, grouping.limits().top());
  }

  @Override
  public Document<PeakAnswer> document(PeakAnswer answer) {
    return answer.document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(PeakAnswer answer) {
    return Optional.of(PageRun.of(answer.at().program(), answer::attribution));
  }

  @Override
  public JobView<PeakAnswer, ?, ?> view(AskedJobs jobs) {
    return new PeakJob();
  }
}
