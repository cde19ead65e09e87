package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.leak.LeakVerdict;
import org.allocsim.reports.answer.diagnosis.LeaksAnswer;
import org.allocsim.reports.answer.job.LeaksJob.Finding;
import org.allocsim.reports.answer.job.LeaksJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;

/** {@code leaks} of a job: does the memory of a rank grow? */
public final class LeaksJob extends JobView<LeaksAnswer, Row, Finding> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param verdict what its memory does
   * @param iterations its iterations
   * @param slopeBytes how much the series that decides gains in an iteration
   */
  public record Row(int device, LeakVerdict verdict, long iterations, long slopeBytes) {}

  /**
   * What the ranks come to.
   *
   * @param growing ranks whose memory grows
   */
  public record Finding(List<Rank> growing) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .text(
                  "leak_verdict",
                  "verdict",
                  "How memory develops: LEAK, FRAGMENTATION, PLATEAU or NONE.",
                  each -> each.verdict().name())
              .count("iterations", "iterations", "Number of iterations.", Row::iterations)
              .bytes(
                  "slope_bytes",
                  "per iteration",
                  "Growth per iteration of the series that decides.",
                  Row::slopeBytes));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.count(
              "growing_ranks",
              "Number of ranks whose memory grows: LEAK or FRAGMENTATION.",
              each -> each.growing().size()));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("leaks", "how the memory of each rank develops over iterations", ROW, FINDING);

  public LeaksJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(LeaksAnswer answer) {
    return new Row(
        answer.input().device(),
        answer.analysis().verdict(),
        answer.analysis().iterations().count(),
        Math.round(answer.analysis().deciding().slope()));
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(Ranked.where(ranks, each -> each.verdict().isHarmful()));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    List<Rank> growing = answer.finding().growing();
    Sentence ranks = count(answer.ranks().size(), "rank");
    if (growing.isEmpty()) {
      return new Verdict(Tone.GOOD, Sentence.of("Memory does not grow on any of {}.", ranks));
    }
    List<Sentence> details = new ArrayList<>();
    answer.ranks().stream()
        .filter(each -> growing.contains(each.rank()))
        .max(Comparator.comparingLong(each -> each.found().slopeBytes()))
        .ifPresent(each ->
            details.add(
                Sentence.of(
                    "{} grows the fastest, by {} per iteration; {} shows what grows.",
                    JobWords.begin(each.rank()),
                    bytes(each.found().slopeBytes()),
                    answer.next(each.rank()).line("leaks"))));
    return new Verdict(
        Tone.BAD,
        Sentence.of("Memory grows on {}, of {}.", JobWords.ranks(growing), ranks),
        details);
  }

  @Override
  boolean holds(Finding finding) {
    return finding.growing().isEmpty();
  }
}
