package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.reports.answer.job.DiffJob.Finding;
import org.allocsim.reports.answer.job.DiffJob.Row;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;

/** {@code diff} of two jobs, rank by rank. */
public final class DiffJob extends JobView<DiffAnswer, Row, Finding> {
  /**
   * A rank in both jobs.
   *
   * @param beforeBytes reserved memory at the peak in the first job
   * @param afterBytes the same in the second one
   * @param programBytes the part of the change that the program's requests cause
   * @param roundingBytes change of what is lost to rounding
   * @param slackBytes change of reserved memory that no allocation uses
   */
  public record Row(
      long beforeBytes, long afterBytes, long programBytes, long roundingBytes, long slackBytes) {
    private long changeBytes() {
      return afterBytes - beforeBytes;
    }

    private long allocatorBytes() {
      return roundingBytes + slackBytes;
    }
  }

  /**
   * What the ranks come to.
   *
   * @param after the second job
   * @param onlyBefore ranks that only the first job has
   * @param onlyAfter ranks that only the second job has
   * @param most the rank whose reserved memory changes the most
   * @param before the rank that reserves the most in the first job
   * @param then the rank that reserves the most in the second one
   */
  public record Finding(
      Job after,
      List<Rank> onlyBefore,
      List<Rank> onlyAfter,
      Ranked<Row> most,
      Ranked<Row> before,
      Ranked<Row> then) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.bytes(
                  "before_reserved_bytes",
                  "before",
                  "Reserved memory at the peak in the first job.",
                  Row::beforeBytes)
              .bytes(
                  "after_reserved_bytes", "after", "The same in the second job.", Row::afterBytes)
              .term(Columns.RESERVED_CHANGE_BYTES, Row::changeBytes)
              .shown(
                  Unit.BYTES,
                  "change",
                  "Change of reserved memory.",
                  each -> DiffAnswer.signed(each.changeBytes()))
              .term(Columns.PROGRAM_CHANGE_BYTES, Row::programBytes)
              .shown(
                  Unit.BYTES,
                  "by the program",
                  "The part caused by the program's requests.",
                  each -> DiffAnswer.signed(each.programBytes()))
              .term(Columns.ALLOCATOR_CHANGE_BYTES, Row::allocatorBytes)
              .shown(
                  Unit.BYTES,
                  "by the allocator",
                  "The part caused by the allocator: rounding and slack.",
                  each -> DiffAnswer.signed(each.allocatorBytes()))
              .rank(1)
              .term(Columns.ROUNDING_CHANGE_BYTES, Row::roundingBytes)
              .term(Columns.SLACK_CHANGE_BYTES, Row::slackBytes));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.one("after", "The second job.", JobAnswer.JOB, Finding::after)
              .texts(
                  "ranks_only_before",
                  "Ranks that only the first job has.",
                  each -> each.onlyBefore().stream().map(Rank::id).toList())
              .texts(
                  "ranks_only_after",
                  "Ranks that only the second job has.",
                  each -> each.onlyAfter().stream().map(Rank::id).toList())
              .text(
                  "most_changed_rank",
                  "The rank whose reserved memory changes the most.",
                  each -> each.most().rank().id())
              .bytes(
                  "before_max_reserved_bytes",
                  "Highest peak of reserved memory of any rank of the first job.",
                  each -> each.before().found().beforeBytes())
              .bytes(
                  "after_max_reserved_bytes",
                  "Highest peak of reserved memory of any rank of the second job.",
                  each -> each.then().found().afterBytes()));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("diff", "two jobs at their peaks, rank by rank", ROW, FINDING);

  private final Job after;
  private final List<Rank> onlyBefore;
  private final List<Rank> onlyAfter;

  /**
   * The question.
   *
   * @param after the second job
   * @param onlyBefore ranks that only the first job has
   * @param onlyAfter ranks that only the second job has
   */
  public DiffJob(Job after, List<Rank> onlyBefore, List<Rank> onlyAfter) {
    super(KIND, ROW);
    this.after = after;
    this.onlyBefore = List.copyOf(onlyBefore);
    this.onlyAfter = List.copyOf(onlyAfter);
  }

  @Override
  public Row keep(DiffAnswer answer) {
    PeakDifference difference = answer.difference();
    return new Row(
        difference.before().bytes().reservedBytes(),
        difference.after().bytes().reservedBytes(),
        difference.programBytes(),
        difference.roundingBytes(),
        difference.slackBytes());
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        after,
        onlyBefore,
        onlyAfter,
        Ranked.highest(ranks, each -> Math.abs(each.changeBytes())),
        Ranked.highest(ranks, Row::beforeBytes),
        Ranked.highest(ranks, Row::afterBytes));
  }

  @Override
  Facts facts(JobAnswer<Row, Finding> answer) {
    return Facts.none()
        .and("before", "{}", JobAnswer.about(answer.job()))
        .and("after", "{}", JobAnswer.about(after));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    Ranked<Row> most = finding.most();
    List<Sentence> details = new ArrayList<>();
    details.add(
        Sentence.of(
            "The highest peak of the job: {} on {} before, {} on {} after.",
            bytes(finding.before().found().beforeBytes()),
            finding.before().rank().label(),
            bytes(finding.then().found().afterBytes()),
            finding.then().rank().label()));
    addUnmatched(details, answer.job(), finding.onlyBefore());
    addUnmatched(details, after, finding.onlyAfter());
    details.add(
        Sentence.of(
            "Next: {} shows which lines of {} request more.",
            answer.next(most.rank()).line("diff", file(after, most.rank())),
            most.rank().label()));
    return new Verdict(
        Tone.NEUTRAL,
        most.found().changeBytes() == 0
            ? Sentence.of("Reserved memory does not change on any rank.")
            : Sentence.of(
                "Reserved memory changes the most on {}, by {}: {} by the program, {} by the"
                    + " allocator.",
                most.rank().label(),
                DiffAnswer.signed(most.found().changeBytes()),
                DiffAnswer.signed(most.found().programBytes()),
                DiffAnswer.signed(most.found().allocatorBytes())),
        details);
  }

  private static String file(Job job, Rank rank) {
    return job.ranks().stream()
        .filter(each -> each.label().equals(rank.label()))
        .findFirst()
        .orElseThrow()
        .file()
        .toString();
  }

  private static void addUnmatched(List<Sentence> details, Job job, List<Rank> ranks) {
    if (!ranks.isEmpty()) {
      details.add(
          Sentence.of(
              "{} {} in {} only.",
              JobWords.begin(JobWords.ranks(ranks)),
              ranks.size() == 1 ? "is" : "are",
              job.folder()));
    }
  }
}
