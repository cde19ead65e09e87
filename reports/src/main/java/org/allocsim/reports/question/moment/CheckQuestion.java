package org.allocsim.reports.question.moment;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.tuning.LimitCheck;
import org.allocsim.reports.answer.job.CheckJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.moment.CheckAnswer;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.jspecify.annotations.Nullable;

/**
 * Does a program keep its limits? What is null is not limited.
 *
 * @param maxReservedBytes maximum that may be reserved
 * @param maxAllocatedBytes maximum that may be allocated
 * @param maxRequestedBytes maximum that the program may ask for
 * @param maxSlack maximum that may be reserved and not allocated at the peak, of what is reserved
 * @param noFailures whether no request may fail
 */
public record CheckQuestion(
    @Nullable Long maxReservedBytes,
    @Nullable Long maxAllocatedBytes,
    @Nullable Long maxRequestedBytes,
    @Nullable LongUnaryOperator maxSlack,
    boolean noFailures)
    implements JobQuestion<CheckAnswer> {
  /** Without a limit, no request may fail. */
  public CheckQuestion {
    noFailures |=
        maxReservedBytes == null
            && maxAllocatedBytes == null
            && maxRequestedBytes == null
            && maxSlack == null;
  }

  @Override
  public CheckAnswer ask(Asked asked) {
    ReplayedProgram program = ProgramReplay.of(asked.trace().program());
    return new CheckAnswer(program, checks(program));
  }

  private List<LimitCheck> checks(ReplayedProgram program) {
    Landmarks landmarks = program.landmarks().orElseThrow();
    List<LimitCheck> checks = new ArrayList<>();
    add(checks, "reserved", landmarks.peakReservedBytes(), maxReservedBytes);
    add(checks, "allocated", landmarks.peakAllocatedBytes(), maxAllocatedBytes);
    add(checks, "requested", landmarks.peakRequestedBytes(), maxRequestedBytes);
    if (maxSlack != null) {
      MemoryMoment peak = program.at(MomentQuery.of(MomentQuery.Kind.PEAK_RESERVED));
      add(
          checks,
          "slack",
          peak.bytes().slackBytes(),
          maxSlack.applyAsLong(peak.bytes().reservedBytes()));
    }
    if (noFailures) {
      checks.add(new LimitCheck("failed requests", landmarks.failures(), 0, false));
    }
    return checks;
  }

  private static void add(
      List<LimitCheck> checks, String subject, long actualBytes, @Nullable Long limitBytes) {
    if (limitBytes != null) {
      checks.add(new LimitCheck(subject, actualBytes, limitBytes, true));
    }
  }

  @Override
  public Document<CheckAnswer> document(CheckAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(CheckAnswer answer) {
    return answer.holds();
  }

  @Override
  public JobView<CheckAnswer, ?, ?> view(AskedJobs jobs) {
    return new CheckJob();
  }
}
