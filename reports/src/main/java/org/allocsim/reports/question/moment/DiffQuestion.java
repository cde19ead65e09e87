package org.allocsim.reports.question.moment;

import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.reports.answer.job.DiffJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.answer.moment.ProgramMoment;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;

/**
 * Why does one program take more memory than another?
 *
 * @param grouping whose peaks, and how blocks are grouped
 * @param rules the user's own categories
 */
public record DiffQuestion(Grouping grouping, CategoryRules rules)
    implements JobQuestion<DiffAnswer> {
  @Override
  public DiffAnswer ask(Asked asked) {
    ReplayedProgram before = ProgramReplay.of(asked.traces().getFirst().program());
    ReplayedProgram after = ProgramReplay.of(asked.traces().getLast().program());
    LiveSet.By by = grouping.of(before, after);
    ProgramMoment first = new ProgramMoment(before, before.at(grouping.peak()));
    ProgramMoment second = new ProgramMoment(after, after.at(grouping.peak()));
    int frames = grouping.limits().frames();
    PeakDifference difference =
        PeakDifference.of(
            first.moment(),
            first.live(by, frames, before.attribution(rules)),
            second.moment(),
            second.live(by, frames, after.attribution(rules)));
    return new DiffAnswer(first, second, difference, grouping.limits().top());
  }

  @Override
  public Document<DiffAnswer> document(DiffAnswer answer) {
    return answer.document();
  }

  @Override
  public JobView<DiffAnswer, ?, ?> view(AskedJobs jobs) {
    Job before = jobs.jobs().getFirst();
    Job after = jobs.jobs().getLast();
    return new DiffJob(after, jobs.alone(before), jobs.alone(after));
  }
}
