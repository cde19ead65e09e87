package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.analysis.job.RankPeak;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;

/** How evenly the ranks of a job use memory, in answers. */
final class BalancePart {
  static final Shape<JobBalance> SHAPE =
      Shape.of(job ->
          job.text(
                  "max_reserved_rank",
                  "The rank that reserves the most, or its file.",
                  each -> each.highest().rank().id())
              .bytes(
                  "max_reserved_bytes",
                  "Its peak of reserved memory.",
                  each -> each.highest().found().reservedBytes())
              .text(
                  "min_reserved_rank",
                  "The rank that reserves the least, or its file.",
                  each -> each.lowest().rank().id())
              .bytes(
                  "min_reserved_bytes",
                  "Its peak of reserved memory.",
                  each -> each.lowest().found().reservedBytes())
              .term(Columns.MEDIAN_RESERVED_BYTES, JobBalance::medianBytes)
              .term(Columns.IMBALANCE_RATIO, JobBalance::ratio)
              .text(
                  "peaks_by_rank",
                  "Whether allocated peaks rise or fall with the rank, as in a pipeline: rising or"
                      + " falling.",
                  each ->
                      each.slope().map(slope -> slope.name().toLowerCase(Locale.ROOT)).orElse(null))
              .missing("the recordings do not show it")
              .text(
                  "varying_rank",
                  "The rank whose peaks vary from step to step more than those of the others,"
                      + " although it has the same number of parameters.",
                  each -> each.varying().map(varying -> varying.rank().id()).orElse(null))
              .missing("the recordings show none"));

  /** What a rank takes. */
  static final Shape<RankPeak> RANK =
      Shape.of(rank ->
          rank.term(Columns.PEAK_RESERVED_BYTES, "peak reserved", RankPeak::reservedBytes)
              .term(Columns.PEAK_ALLOCATED_BYTES, "peak allocated", RankPeak::allocatedBytes)
              .rank(2));

  private static final double IN_WORDS = 1.005;

  private BalancePart() {}

  /** Which rank reserves the most and the least, and what shows in the order of the ranks. */
  static List<Sentence> sentences(List<Ranked<RankPeak>> ranks, JobBalance balance) {
    if (ranks.size() == 1) {
      return List.of();
    }
    List<Sentence> sentences = new ArrayList<>();
    Sentence lowest = Sentence.of("{}", bytes(balance.lowest().found().reservedBytes()));
    Sentence highest = Sentence.of("{}", bytes(balance.highest().found().reservedBytes()));
    if (balance.isEven()) {
      sentences.add(
          highest.toString().equals(lowest.toString())
              ? Sentence.of("All ranks reserve the same at their peaks: {}.", highest)
              : Sentence.of(
                  "All ranks reserve nearly the same at their peaks: {} to {}, the most on {}.",
                  lowest,
                  highest,
                  balance.highest().rank().label()));
    } else {
      sentences.add(
          Sentence.of(
              "{} reserves the most, {} at its peak{}; {} the least, {}.",
              JobWords.begin(balance.highest().rank()),
              highest,
              balance.ratio() < IN_WORDS
                  ? ""
                  : String.format(Locale.ROOT, ", %.2f times the median", balance.ratio()),
              balance.lowest().rank().label(),
              lowest));
    }
    balance.slope().ifPresent(slope -> sentences.add(slope(ranks, slope)));
    balance
        .varying()
        .ifPresent(varying ->
            sentences.add(
                Sentence.of(
                    "The peaks of {} vary from step to step, from {} to {}, more than those of"
                        + " the others, although it has as many parameters: it gets an uneven"
                        + " share of the work, as experts do.",
                    varying.rank().label(),
                    bytes(varying.found().lowestStepBytes()),
                    bytes(varying.found().highestStepBytes()))));
    return sentences;
  }

  private static Sentence slope(List<Ranked<RankPeak>> ranks, JobBalance.Slope slope) {
    return Sentence.of(
        "Allocated peaks {} with the rank, from {} on {} to {} on {}, as in the stages of a"
            + " pipeline.",
        slope == JobBalance.Slope.FALLING ? "fall" : "rise",
        bytes(ranks.getFirst().found().allocatedBytes()),
        ranks.getFirst().rank().label(),
        bytes(ranks.getLast().found().allocatedBytes()),
        ranks.getLast().rank().label());
  }
}
