package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.RankPeak;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.job.ReplayJob.Finding;
import org.allocsim.reports.answer.job.ReplayJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.replay.ReplayAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.jspecify.annotations.Nullable;

/** {@code replay} of a job: one policy on every rank. */
public final class ReplayJob extends JobView<ReplayAnswer, Row, Finding> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param addresses where addresses came from
   * @param peak what it takes
   * @param requests its allocation requests
   * @param failures how many of them failed
   * @param first the first that failed; null where none did
   * @param driverCalls calls of the driver; null where the device was a recording
   */
  public record Row(
      int device,
      String addresses,
      RankPeak peak,
      long requests,
      long failures,
      @Nullable FailedRequest first,
      @Nullable Long driverCalls) {}

  /**
   * What the ranks come to.
   *
   * @param failed ranks of which a request failed
   * @param balance how even the ranks are
   */
  public record Finding(List<Rank> failed, JobBalance balance) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .term(Columns.ADDRESSES, Row::addresses)
              .embed(BalancePart.RANK, Row::peak)
              .count("allocation_requests", "requests", "Allocation requests.", Row::requests)
              .rank(3)
              .count("failed_request_count", "failed", "How many of them failed.", Row::failures)
              .embed(FirstFailure.of(Row::first))
              .shown(
                  Unit.TEXT,
                  "out of memory",
                  "Index of the first failed request.",
                  each -> FirstFailure.at(each.first()).toString())
              .term(Columns.DRIVER_CALLS, "driver calls", Row::driverCalls)
              .rank(1)
              .missing("none are counted"));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.term(Columns.FAILED_RANKS, each -> each.failed().size())
              .embed(BalancePart.SHAPE, Finding::balance));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("replay", "one policy on every rank", ROW, FINDING);

  public ReplayJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(ReplayAnswer answer) {
    RunResult result = answer.result();
    return new Row(
        answer.run().program().input().device(),
        answer.addresses().toString(),
        new RankPeak(result.peakReservedBytes(), result.peakAllocatedBytes(), 0, new long[0]),
        result.requests(),
        result.failureCount(),
        result.failures().stream().findFirst().orElse(null),
        result.driverCallsByFunction().isEmpty() ? null : Long.valueOf(result.driverCalls()));
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        Ranked.where(ranks, each -> each.failures() > 0),
        JobBalance.of(Ranked.map(ranks, Row::peak)));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    List<Rank> failed = answer.finding().failed();
    List<Sentence> details =
        new ArrayList<>(
            BalancePart.sentences(
                Ranked.map(answer.ranks(), Row::peak), answer.finding().balance()));
    details.add(failed.isEmpty() ? answer.next().tune() : JobWords.diagnose(answer.next()));
    return new Verdict(
        failed.isEmpty() ? Tone.GOOD : Tone.BAD,
        failed.isEmpty()
            ? Sentence.of(
                "Every request of every rank succeeds, with at most {} reserved.",
                bytes(answer.finding().balance().highest().found().reservedBytes()))
            : Sentence.of(
                "Requests failed on {}, of {}.",
                JobWords.ranks(failed),
                count(answer.ranks().size(), "rank")),
        details);
  }
}
