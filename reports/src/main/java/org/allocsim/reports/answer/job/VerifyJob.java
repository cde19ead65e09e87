package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.count;

import java.util.List;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.job.VerifyJob.Finding;
import org.allocsim.reports.answer.job.VerifyJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.validation.VerifiedDevice;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.jspecify.annotations.Nullable;

/** {@code verify} of a job: is every rank repeated exactly? */
public final class VerifyJob extends JobView<List<VerifiedDevice>, Row, Finding> {
  /**
   * A rank.
   *
   * @param devices devices with a history
   * @param recorded recorded events
   * @param matched events before the first that differs
   * @param isExact whether everything is equal
   * @param divergedAt number of the first event that differs; null where none does
   * @param seconds time that it took
   */
  public record Row(
      int devices,
      long recorded,
      long matched,
      boolean isExact,
      @Nullable Long divergedAt,
      double seconds) {}

  /**
   * What the ranks come to.
   *
   * @param notExact ranks that are not repeated exactly
   * @param recorded recorded events of all ranks
   * @param matched events of all ranks before the first that differs
   */
  public record Finding(List<Rank> notExact, long recorded, long matched) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.count("devices", "Devices with a history.", Row::devices)
              .term(Columns.EVENTS_RECORDED, "events", Row::recorded)
              .term(Columns.EVENTS_MATCHED, "as recorded", Row::matched)
              .term(Columns.EXACT, "exact", Row::isExact)
              .count(
                  "diverged_at_index",
                  "diverged at event",
                  "Number of the first event that differs, from 0.",
                  Row::divergedAt)
              .optional()
              .missing("none does")
              .term(Columns.WALL_SECONDS_OF_FILE, Row::seconds));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.flag(
                  "exact",
                  "Whether everything is equal on every rank that could be read.",
                  each -> each.notExact().isEmpty())
              .count("events_recorded", "Recorded events of all ranks.", Finding::recorded)
              .count(
                  "events_matched", "Events before the first one that differs.", Finding::matched));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("verify", "whether the simulation reproduces every rank", ROW, FINDING);

  public VerifyJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(List<VerifiedDevice> devices) {
    return new Row(
        devices.size(),
        devices.stream().mapToLong(each -> each.verification().eventsRecorded()).sum(),
        devices.stream().mapToLong(each -> each.verification().eventsMatched()).sum(),
        devices.stream().allMatch(VerifiedDevice::exact),
        devices.stream()
            .flatMap(each -> each.verification().firstDivergence().stream())
            .map(each -> Long.valueOf(each.index()))
            .findFirst()
            .orElse(null),
        devices.stream().mapToDouble(VerifiedDevice::seconds).max().orElse(0));
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        Ranked.where(ranks, each -> !each.isExact()),
        ranks.stream().mapToLong(each -> each.found().recorded()).sum(),
        ranks.stream().mapToLong(each -> each.found().matched()).sum());
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    Sentence events =
        Sentence.of(
            "{} of {} as recorded", count(finding.matched()), count(finding.recorded(), "event"));
    if (holds(finding)) {
      return new Verdict(
          answer.unreadable().isEmpty() ? Tone.GOOD : Tone.BAD,
          Sentence.of(
              "Exact on {}: {}, all segments and blocks at the end.",
              answer.unreadable().isEmpty() && answer.ranks().size() > 1
                  ? Sentence.of("all {}", count(answer.ranks().size(), "rank"))
                  : count(answer.ranks().size(), "rank"),
              events));
    }
    return new Verdict(
        Tone.BAD,
        Sentence.of(
            "Not exact on {}, of {}: {}.",
            JobWords.ranks(finding.notExact()),
            count(answer.ranks().size(), "rank"),
            events),
        List.of(
            Sentence.of(
                "Next: {} shows where it differs.",
                answer.next(finding.notExact().getFirst()).line("verify"))));
  }

  @Override
  boolean holds(Finding finding) {
    return finding.notExact().isEmpty();
  }
}
