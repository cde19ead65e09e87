package org.allocsim.reports.answer.gpu;

import java.util.TreeMap;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.validation.torch.TorchJob;
import org.allocsim.validation.torch.TorchVerdict;
import org.jspecify.annotations.Nullable;

/**
 * One program under one setting, as {@code validate pytorch} ran it.
 *
 * @param program what was run
 * @param conf settings of the allocator
 * @param job what was sent
 * @param verdict how PyTorch and the simulation agree, or null where the case was not run
 * @param error why it was not run, or null
 */
public record TorchCase(
    TorchProgram program,
    String conf,
    TorchJob job,
    @Nullable TorchVerdict verdict,
    @Nullable String error) {
  private static final Shape<TorchVerdict> VERDICT =
      Shape.of(verdict ->
          verdict
              .term(Columns.EXACT, TorchVerdict::exact)
              .term(Columns.EVENTS, each -> each.predicted().recorded())
              .count(
                  "events_predicted",
                  "Events predicted exactly from the requests alone.",
                  each -> each.predicted().equal())
              .text(
                  "first_mispredicted",
                  "The first event that was not predicted.",
                  each -> each.predicted().difference())
              .missing("all were")
              .term(Columns.ADDRESSES_COMPARED, each -> each.predicted().addresses())
              .term(Columns.ADDRESSES_EQUAL, each -> each.predicted().equalAddresses())
              .text(
                  "first_other_address",
                  "The first address that was not predicted.",
                  each -> each.predicted().addressDifference())
              .missing("all were")
              .term(Columns.FAILED_REQUESTS, TorchVerdict::failures)
              .texts(
                  "failure_differences",
                  "Failures that differ from the prediction.",
                  TorchVerdict::failureDifferences)
              .term(Columns.STATISTICS_COMPARED, TorchVerdict::statisticsCompared)
              .texts(
                  "statistics_mispredicted",
                  "Statistics that differ from the prediction.",
                  TorchVerdict::predictedStatistics)
              .count(
                  "events_reproduced",
                  "Events that are equal when the driver returns the recorded addresses.",
                  each -> each.repeated().equal())
              .text(
                  "first_not_reproduced",
                  "The first event that is not reproduced.",
                  TorchCase::notRepeated)
              .missing("all are")
              .texts(
                  "statistics_not_reproduced",
                  "Statistics that are not reproduced.",
                  TorchVerdict::repeatedStatistics)
              .count(
                  "events_verified",
                  "Events that are equal when only the snapshot is known.",
                  each -> each.verification().eventsMatched())
              .text("first_divergence", "The first event that differs.", TorchCase::divergence)
              .missing("none does")
              .texts(
                  "layout_differences",
                  "Segments and blocks at the end that differ.",
                  each -> each.verification().layoutDifferences())
              .texts(
                  "statistics_differences",
                  "Statistics that differ.",
                  TorchVerdict::verifiedStatistics)
              .count(
                  "forced_waits",
                  "Number of times the allocator waited for the GPU.",
                  TorchVerdict::forcedWaits));

  /** Its columns. */
  static final Shape<TorchCase> SHAPE =
      Shape.of(row ->
          row.text("program", "Name of the program.", each -> each.program().name())
              .term(Columns.SHA256, each -> each.program().sha256())
              .missing("the program is synthetic")
              .term(Columns.CONF, TorchCase::conf)
              .term(
                  Columns.LIMIT_BYTES,
                  each -> each.job().limitBytes() < 0 ? null : each.job().limitBytes())
              .missing("there is none")
              .term(Columns.REQUESTS, each -> each.program().requests().trace().eventCount())
              .named(
                  Unit.COUNT,
                  "skipped",
                  "What was not tested, and why.",
                  "Requests skipped for this reason.",
                  each -> new TreeMap<>(each.program().requests().skipped()))
              .term(Columns.NOT_RUN, TorchCase::error)
              .missing("it ran")
              .where(
                  each -> each.verdict() != null,
                  "the case did not run",
                  Shape.of(run -> run.embed(VERDICT, TorchCase::verdict))));

  /** Whether it was run and all of it is exact. */
  public boolean exact() {
    return verdict != null && verdict.exact();
  }

  /** What came of it, in a line. */
  String line() {
    return program.name()
        + (conf.isEmpty() ? "" : " with " + conf)
        + (job.limitBytes() < 0 ? "" : ", limit " + ByteFormat.human(job.limitBytes()))
        + ": "
        + (verdict == null ? "not run: " + error : text(verdict));
  }

  private static String text(TorchVerdict verdict) {
    StringBuilder text = new StringBuilder(Numbers.count(verdict.predicted().recorded(), "event"));
    if (verdict.failures() > 0) {
      text.append(", ").append(Numbers.count(verdict.failures(), "failed request"));
    }
    if (verdict.exact()) {
      return text.append(", all exact").toString();
    }
    if (!verdict.foreseen()) {
      text.append("; not predicted: ")
          .append(
              !verdict.predicted().hasSameActions()
                  ? verdict.predicted().difference()
                  : verdict.failureDifferences().isEmpty()
                      ? verdict.predictedStatistics().getFirst()
                      : verdict.failureDifferences().getFirst());
    }
    if (verdict.predicted().addressDifference() != null) {
      text.append("; ")
          .append(
              Numbers.share(verdict.predicted().equalAddresses(), verdict.predicted().addresses()))
          .append(" of addresses predicted, the first different one in ")
          .append(verdict.predicted().addressDifference());
    }
    String notRepeated = notRepeated(verdict);
    text.append(
        verdict.repeats()
            ? "; repeated"
            : "; not repeated: "
                + (notRepeated == null ? verdict.repeatedStatistics().getFirst() : notRepeated));
    String divergence = divergence(verdict);
    text.append(
        verdict.verified()
            ? "; verified"
            : "; not verified: "
                + (divergence != null
                    ? divergence
                    : verdict.verification().layoutDifferences().isEmpty()
                        ? verdict.verifiedStatistics().getFirst()
                        : verdict.verification().layoutDifferences().getFirst()));
    if (verdict.forcedWaits() > 0) {
      text.append("; ")
          .append(Numbers.count(verdict.forcedWaits(), "wait"))
          .append(" for the GPU inside the allocator");
    }
    return text.toString();
  }

  private static @Nullable String notRepeated(TorchVerdict verdict) {
    return verdict.repeated().hasSameActions()
        ? verdict.repeated().addressDifference()
        : verdict.repeated().difference();
  }

  private static @Nullable String divergence(TorchVerdict verdict) {
    return verdict
        .verification()
        .firstDivergence()
        .map(found ->
            "entry %d: recorded %s, simulated %s"
                .formatted(found.index(), found.expected(), found.actual()))
        .orElse(null);
  }
}
