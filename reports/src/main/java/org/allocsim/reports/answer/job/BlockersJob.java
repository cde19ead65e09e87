package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.moment.Blockers;
import org.allocsim.analysis.moment.FitTrial;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.answer.job.BlockersJob.Finding;
import org.allocsim.reports.answer.job.BlockersJob.Row;
import org.allocsim.reports.answer.moment.BlockersAnswer;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.jspecify.annotations.Nullable;

/** {@code blockers} of a job: what keeps segments of each rank from being released. */
public final class BlockersJob extends JobView<BlockersAnswer, Row, Finding> {
  private static final String NO_FAILURE = "no request failed at the moment";

  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param moment which moment
   * @param segments segments held open
   * @param freeBytes free bytes in them
   * @param blockerBytes bytes of the blocks that pin them
   * @param missingBytes what had to be released for the failed request; null where none failed
   * @param remedyBytes the smallest blocks without which it would have fitted, as a simulation
   *     confirms; null where there are none
   */
  public record Row(
      int device,
      MomentQuery.Kind moment,
      int segments,
      long freeBytes,
      long blockerBytes,
      @Nullable Long missingBytes,
      @Nullable Long remedyBytes) {}

  /**
   * What the ranks come to.
   *
   * @param most the rank with the most free memory held open
   * @param freeBytes free bytes held open on all ranks
   */
  public record Finding(Ranked<Row> most, long freeBytes) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .text(
                  "moment",
                  "at",
                  "Which moment: peak_reserved, first_oom, end or request.",
                  each -> each.moment().name().toLowerCase(Locale.ROOT))
              .rank(3)
              .count("segments", "segments", "Segments held open by blocks.", Row::segments)
              .rank(2)
              .bytes(
                  "free_bytes",
                  "free, held open",
                  "Free bytes in them, which cannot be released.",
                  Row::freeBytes)
              .bytes(
                  "blocker_bytes", "by blocks of", "Bytes of the blocks in use.", Row::blockerBytes)
              .term(Columns.MISSING_AT_FAILURE, "short of", Row::missingBytes)
              .optional()
              .missing(NO_FAILURE)
              .rank(1)
              .bytes(
                  "remedy_bytes",
                  "fits without",
                  "The smallest blocks that would let the failed request fit if they were freed,"
                      + " confirmed by simulation.",
                  Row::remedyBytes)
              .optional()
              .missing(NO_FAILURE + ", or there are none"));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.text(
                  "most_blocked_rank",
                  "The rank with the most free memory held open, or its file.",
                  each -> each.most().rank().id())
              .bytes(
                  "free_bytes",
                  "Free memory held open on all ranks together.",
                  Finding::freeBytes));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("blockers", "the blocks that hold segments open, on each rank", ROW, FINDING);

  public BlockersJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(BlockersAnswer answer) {
    FitTrial trial = answer.trial();
    return new Row(
        answer.at().program().device(),
        answer.at().moment().kind(),
        answer.heldOpen().size(),
        answer.heldOpen().stream().mapToLong(Blockers.Segment::freeBytes).sum(),
        answer.heldOpen().stream().mapToLong(Blockers.Segment::blockerBytes).sum(),
        trial == null ? null : Long.valueOf(trial.missingBytes()),
        answer.remedies().stream()
            .filter(FitTrial.Remedy::confirmed)
            .map(FitTrial.Remedy::bytes)
            .min(Comparator.naturalOrder())
            .orElse(null));
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        Ranked.highest(ranks, Row::freeBytes),
        ranks.stream().mapToLong(each -> each.found().freeBytes()).sum());
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Ranked<Row> most = answer.finding().most();
    List<Sentence> details = new ArrayList<>();
    for (Ranked<Row> each : answer.ranks()) {
      Long remedyBytes = each.found().remedyBytes();
      if (remedyBytes != null) {
        details.add(
            Sentence.of(
                "If {} of blocks were freed, the failed request for {} would fit (confirmed by"
                    + " simulation).",
                bytes(remedyBytes),
                each.rank().label()));
      }
    }
    details.add(
        Sentence.of(
            "Next: {} names the blocks, with their age and stack.",
            answer.next(most.rank()).line("blockers")));
    return new Verdict(
        Ranked.where(answer.ranks(), each -> each.missingBytes() != null).isEmpty()
            ? Tone.NEUTRAL
            : Tone.BAD,
        most.found().freeBytes() == 0
            ? Sentence.of("No free memory is held open on any rank.")
            : Sentence.of(
                "{} has the most free memory held open: {} in {} by {} of blocks.",
                JobWords.begin(most.rank()),
                bytes(most.found().freeBytes()),
                count(most.found().segments(), "segment"),
                bytes(most.found().blockerBytes())),
        details);
  }
}
