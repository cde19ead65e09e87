package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.job.InspectJob.Finding;
import org.allocsim.reports.answer.job.InspectJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.product.HistoryAccount;
import org.allocsim.reports.answer.product.InspectAnswer;
import org.allocsim.reports.answer.product.SnapshotContents;
import org.allocsim.reports.answer.product.TraceContents;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/** {@code inspect} of a job: what is in each rank's file. */
public final class InspectJob extends JobView<InspectAnswer, Row, Finding> {
  private static final String NOT_RECORDED = "the file holds only requests";

  /**
   * A rank.
   *
   * @param format id of the file's format
   * @param devices devices that did anything
   * @param events rows of their histories, or requests
   * @param isWhole whether every history begins before the first allocation; null for requests
   * @param withStack rows that have a stack; null for requests
   * @param release the release that the file shows; null where it shows none
   * @param conf settings that it was recorded with; null where they are not recorded
   * @param spanNanos from the first to the last row of the longest history; null without times
   */
  public record Row(
      String format,
      int devices,
      long events,
      @Nullable Boolean isWhole,
      @Nullable Long withStack,
      @Nullable String release,
      @Nullable String conf,
      @Nullable Long spanNanos) {}

  /**
   * What the ranks come to.
   *
   * @param incomplete ranks whose histories begin after the first allocation
   * @param isOfOneKind whether format, release and settings are the same on all
   * @param events rows of all ranks
   */
  public record Finding(List<Rank> incomplete, boolean isOfOneKind, long events) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.text("format", "format", "Id of the file's format.", Row::format)
              .rank(5)
              .count("devices", "devices", "Devices with activity.", Row::devices)
              .rank(4)
              .count("events", "events", "Rows of the histories, or requests.", Row::events)
              .flag(
                  "complete",
                  "whole",
                  "Whether every history begins before the first allocation.",
                  Row::isWhole)
              .missing(NOT_RECORDED)
              .term(Columns.EVENTS_WITH_STACK, "with stack", Row::withStack)
              .rank(1)
              .missing(NOT_RECORDED)
              .term(Columns.SPAN_NANOS, "span", Row::spanNanos)
              .rank(2)
              .missing("no times were recorded")
              .text(
                  "torch_version",
                  "PyTorch",
                  "PyTorch release identified from the file.",
                  Row::release)
              .rank(3)
              .missing("the file does not identify one")
              .text("conf", "settings", "Settings of the recording.", Row::conf)
              .worded(each -> each.conf() == null ? "-" : Settings.name(each.conf()))
              .missing("they are not recorded"));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.count("events", "Rows of all ranks.", Finding::events)
              .count(
                  "incomplete_ranks",
                  "Number of ranks whose histories begin after the first allocation.",
                  each -> each.incomplete().size())
              .flag(
                  "same_kind",
                  "Whether format, release and settings are the same on all ranks.",
                  Finding::isOfOneKind));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("inspect", "the contents of each rank's file", ROW, FINDING);

  public InspectJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(InspectAnswer answer) {
    String release = answer.source().release().map(PyTorchVersion::id).orElse(null);
    SnapshotContents snapshot = answer.snapshot();
    if (snapshot == null) {
      return new Row(
          answer.source().format(),
          answer.requests().size(),
          answer.requests().stream()
              .flatMap(each -> each.requests().values().stream())
              .mapToLong(Long::longValue)
              .sum(),
          null,
          null,
          release,
          null,
          span(answer.requests(), TraceContents.Device::spanNanos));
    }
    List<SnapshotContents.Device> devices =
        snapshot.devices().stream()
            .filter(each -> each.events() > 0 || each.segments() > 0)
            .toList();
    return new Row(
        answer.source().format(),
        devices.size(),
        devices.stream().mapToLong(SnapshotContents.Device::events).sum(),
        snapshot.accounts().stream().allMatch(HistoryAccount::complete),
        devices.stream().mapToLong(SnapshotContents.Device::withStack).sum(),
        release,
        answer.conf(),
        span(devices, SnapshotContents.Device::spanNanos));
  }

  private static <D> @Nullable Long span(List<D> devices, Function<D, Long> nanos) {
    long span = devices.stream().mapToLong(nanos::apply).max().orElse(-1);
    return span < 0 ? null : Long.valueOf(span);
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        Ranked.where(ranks, each -> Boolean.FALSE.equals(each.isWhole())),
        ranks.stream()
                .map(each ->
                    new Sort(each.found().format(), each.found().release(), each.found().conf()))
                .distinct()
                .count()
            == 1,
        ranks.stream().mapToLong(each -> each.found().events()).sum());
  }

  /** What recordings of one job have in common. */
  private record Sort(String format, @Nullable String release, @Nullable String conf) {}

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    List<Sentence> details = new ArrayList<>();
    if (!finding.isOfOneKind()) {
      details.add(Sentence.of("Format, release or settings differ from rank to rank."));
    }
    details.add(JobWords.diagnose(answer.next()));
    Sentence all =
        Sentence.of(
            "{}, {}", count(answer.ranks().size(), "rank"), count(finding.events(), "event"));
    return new Verdict(
        Tone.NEUTRAL,
        finding.incomplete().isEmpty()
            ? Sentence.of("{}.", all)
            : Sentence.of(
                "{}; the recording of {} does not include earlier allocations.",
                all,
                JobWords.ranks(finding.incomplete())),
        details);
  }
}
