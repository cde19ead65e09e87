package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.count;

import java.util.List;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.tuning.LimitCheck;
import org.allocsim.reports.answer.job.CheckJob.Finding;
import org.allocsim.reports.answer.job.CheckJob.Row;
import org.allocsim.reports.answer.moment.CheckAnswer;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.stats.ByteFormat;

/** {@code check} of a job: does every rank keep its limits? */
public final class CheckJob extends JobView<CheckAnswer, Row, Finding> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param checks the limits and what they were held against
   */
  public record Row(int device, List<LimitCheck> checks) {
    private boolean holds() {
      return checks.stream().allMatch(LimitCheck::holds);
    }

    private List<String> words() {
      return checks.stream()
          .map(each ->
              each.subject()
                  + " "
                  + (each.isSize() ? ByteFormat.human(each.actual()) : each.actual()))
          .toList();
    }

    private List<String> broken() {
      return checks.stream().filter(each -> !each.holds()).map(LimitCheck::subject).toList();
    }
  }

  /**
   * What the ranks come to.
   *
   * @param limits number of limits
   * @param failing ranks that do not keep every one
   */
  public record Finding(int limits, List<Rank> failing) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .texts("actual", "has", "The limited quantities of the rank.", Row::words)
              .worded(each -> String.join(", ", each.words()))
              .texts("exceeded_limits", "not met", "Limits that it exceeds.", Row::broken)
              .worded(each -> each.holds() ? "none" : String.join(", ", each.broken()))
              .term(Columns.HOLDS, Row::holds));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.flag(
                  "passes",
                  "Whether every rank meets every limit.",
                  each -> each.failing().isEmpty())
              .count(
                  "failing_ranks",
                  "Number of ranks that exceed a limit.",
                  each -> each.failing().size()));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("check", "whether every rank meets the limits", ROW, FINDING);

  public CheckJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(CheckAnswer answer) {
    return new Row(answer.program().device(), answer.checks());
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        ranks.getFirst().found().checks().size(), Ranked.where(ranks, each -> !each.holds()));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    Sentence limits = count(finding.limits(), "limit");
    Sentence ranks = count(answer.ranks().size(), "rank");
    return new Verdict(
        holds(finding) ? Tone.GOOD : Tone.BAD,
        holds(finding)
            ? Sentence.of("{} met on {}.", limits, ranks)
            : Sentence.of(
                "Some limits are not met on {}, of {}.", JobWords.ranks(finding.failing()), ranks));
  }

  @Override
  boolean holds(Finding finding) {
    return finding.failing().isEmpty();
  }
}
