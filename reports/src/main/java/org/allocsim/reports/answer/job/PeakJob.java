package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.analysis.attribution.CategoryTotals;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.analysis.job.RankPeak;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.job.PeakJob.Row;
import org.allocsim.reports.answer.moment.PeakAnswer;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;

/** {@code peak} of a job: what each rank holds at its peak. */
public final class PeakJob extends JobView<PeakAnswer, Row, JobBalance> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param requestIndex number of the allocation request that reached the moment
   * @param peak what it takes at the moment
   * @param categories allocated bytes by what they are for
   */
  public record Row(int device, long requestIndex, RankPeak peak, Map<Category, Long> categories) {
    private long bytes(Category category) {
      return categories.getOrDefault(category, 0L);
    }

    private long others() {
      return peak.allocatedBytes()
          - bytes(Category.PARAMETER)
          - bytes(Category.GRADIENT)
          - bytes(Category.OPTIMIZER_STATE)
          - bytes(Category.SAVED_ACTIVATION);
    }
  }

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .count(
                  "request_index",
                  "Index of the allocation request at the moment, from 0.",
                  Row::requestIndex)
              .bytes(
                  "allocated_bytes",
                  "allocated",
                  "Allocated at the moment.",
                  each -> each.peak().allocatedBytes())
              .bytes(
                  "reserved_bytes",
                  "reserved",
                  "Reserved at the moment.",
                  each -> each.peak().reservedBytes())
              .rank(1)
              .shown(
                  Unit.BYTES,
                  "parameters",
                  "Parameters at the moment.",
                  each -> each.bytes(Category.PARAMETER))
              .shown(
                  Unit.BYTES,
                  "gradients",
                  "Gradients at the moment.",
                  each -> each.bytes(Category.GRADIENT))
              .rank(4)
              .shown(
                  Unit.BYTES,
                  "optimizer state",
                  "The optimizer's state at the moment.",
                  each -> each.bytes(Category.OPTIMIZER_STATE))
              .rank(3)
              .shown(
                  Unit.BYTES,
                  "saved activations",
                  "Activations saved for the backward pass.",
                  each -> each.bytes(Category.SAVED_ACTIVATION))
              .rank(2)
              .shown(Unit.BYTES, "others", "All else.", Row::others)
              .rank(5)
              .named(
                  Unit.BYTES,
                  "categories_bytes",
                  "What the allocated memory is for.",
                  "Allocated bytes of a category.",
                  PeakJob::categories));

  public static final Kind<JobAnswer<Row, JobBalance>> KIND =
      JobAnswer.kind("peak", "what each rank holds at its peak", ROW, BalancePart.SHAPE);

  public PeakJob() {
    super(KIND, ROW);
  }

  private static Map<String, Long> categories(Row row) {
    Map<String, Long> named = new TreeMap<>();
    row.categories().forEach((category, bytes) -> named.put(category.id(), bytes));
    return named;
  }

  @Override
  public Row keep(PeakAnswer answer) {
    Map<Category, Long> categories = new EnumMap<>(Category.class);
    for (CategoryTotals.Row row : answer.categories().rows()) {
      categories.put(row.category(), row.group().blockBytes());
    }
    return new Row(
        answer.at().program().device(),
        answer.at().moment().requestIndex(),
        new RankPeak(
            answer.at().moment().bytes().reservedBytes(),
            answer.at().moment().bytes().allocatedBytes(),
            categories.getOrDefault(Category.PARAMETER, 0L),
            new long[0]),
        categories);
  }

  @Override
  public JobBalance fold(List<Ranked<Row>> ranks) {
    return JobBalance.of(Ranked.map(ranks, Row::peak));
  }

  @Override
  Verdict verdict(JobAnswer<Row, JobBalance> answer) {
    Ranked<Row> fullest =
        answer.ranks().stream()
            .max(
                Comparator.comparingLong(
                    (Ranked<Row> each) -> each.found().peak().allocatedBytes()))
            .orElseThrow();
    List<Sentence> details =
        new ArrayList<>(
            BalancePart.sentences(Ranked.map(answer.ranks(), Row::peak), answer.finding()));
    details.add(
        Sentence.of(
            "Next: {} shows what {} holds, line by line.",
            answer.next(fullest.rank()).line("peak"),
            fullest.rank().label()));
    return new Verdict(
        Tone.NEUTRAL,
        Sentence.of(
            "{} holds the most, {} allocated.",
            JobWords.begin(fullest.rank()),
            bytes(fullest.found().peak().allocatedBytes())),
        details);
  }
}
