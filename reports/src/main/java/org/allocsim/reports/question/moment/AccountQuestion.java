package org.allocsim.reports.question.moment;

import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.answer.job.AccountJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.moment.AccountAnswer;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * Where is the memory of a GPU?
 *
 * @param moment when; null for the first failed request, else the peak
 * @param gpu what is known about the GPU
 */
public record AccountQuestion(@Nullable MomentQuery moment, KnownGpu gpu)
    implements JobQuestion<AccountAnswer> {
  @Override
  public AccountAnswer ask(Asked asked) {
    TraceSource source = asked.trace().source();
    ReplayedProgram program = ProgramReplay.read(source, asked.trace().conditions());
    MemoryMoment memory = program.at(moment);
    return AccountAnswer.of(program, gpu.notes(), memory, gpu.at(source, program, memory));
  }

  @Override
  public Document<AccountAnswer> document(AccountAnswer answer) {
    return answer.document();
  }

  @Override
  public JobView<AccountAnswer, ?, ?> view(AskedJobs jobs) {
    return new AccountJob();
  }
}
