package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.share;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.job.JobSetting;
import org.allocsim.analysis.job.JobTuning;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.RankTuning;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Cost;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/** One setting for all ranks of a job, in answers. */
final class SettingsPart {
  private static final double NANOS_PER_SECOND = 1e9;

  /** A smaller share, in per cent, is left where a slightly larger program fails. */
  private static final long TIGHT_PERCENT = 2;

  /** A setting at its place. */
  record Row(long place, JobSetting setting, JobTuning tuning) {
    private List<String> failing() {
      return setting.failing().stream().map(Rank::id).toList();
    }

    private boolean isRecorded() {
      return tuning.recordedConf().filter(setting.conf()::equals).isPresent();
    }

    private boolean isRecommended() {
      return tuning.recommended().filter(setting::equals).isPresent();
    }

    private boolean isLandmark() {
      return isRecorded() || isRecommended() || setting.conf().isEmpty();
    }

    private List<String> remarks() {
      List<String> remarks = new ArrayList<>();
      if (isRecommended()) {
        remarks.add("recommended");
      }
      if (isRecorded()) {
        remarks.add("recorded");
      }
      if (!setting.isSafe()) {
        remarks.add("not advised");
      }
      return remarks;
    }
  }

  static final Shape<Row> ROWS =
      Shape.of(row ->
          row.count("place", "place", "Rank of the setting, 1 for the best.", Row::place)
              .term(Columns.CONF, "setting", each -> each.setting().conf())
              .worded(each -> Settings.name(each.setting().conf()))
              .texts(
                  "failing_ranks",
                  "ranks that fail",
                  "Ranks on which a request fails.",
                  Row::failing)
              .worded(each ->
                  each.setting().passes()
                      ? "none"
                      : each.failing().size() == each.setting().outcomes().size()
                          ? "all"
                          : JobWords.list(each.failing(), 3))
              .term(
                  Columns.PEAK_RESERVED_OF_RANKS,
                  "peak reserved",
                  each -> each.setting().peakReservedBytes())
              .text(
                  "worst_rank",
                  "worst rank",
                  "A rank that fails, or else the one with the least memory to spare.",
                  each -> each.setting().worst().rank().id())
              .bytes(
                  "headroom_bytes",
                  "left there",
                  "Memory to spare on that rank, out of the memory that its allocator can use.",
                  each -> each.setting().passes() ? Long.valueOf(each.setting().leftBytes()) : null)
              .rank(1)
              .missing("a request fails")
              .term(
                  Columns.DRIVER_CALLS_OF_RANKS,
                  "driver calls",
                  each -> each.setting().driverCalls())
              .rank(3)
              .count(
                  "forced_synchronizations",
                  "Number of times that hosts waited for their devices, over all ranks.",
                  each -> each.setting().forcedSynchronizations())
              .seconds(
                  "driver_seconds",
                  "driver time",
                  "Minimum time of driver calls on the rank where they take longest.",
                  each -> each.setting().driverNanos() / NANOS_PER_SECOND)
              .rank(2)
              .texts(
                  "remarks",
                  "note",
                  "Whether it is recommended, what all ranks were recorded with, or not advised.",
                  Row::remarks));

  static final Shape<JobTuning> SHAPE =
      Shape.of(job ->
          job.text(
                  "recorded_conf",
                  "Settings that all ranks were recorded with.",
                  each -> each.recordedConf().orElse(null))
              .missing("they differ from rank to rank")
              .text(
                  "recommended_conf",
                  "Settings that are better for the job.",
                  each -> each.recommended().map(JobSetting::conf).orElse(null))
              .missing("none is")
              .flag(
                  "best_passes",
                  "Whether every request of every rank succeeds with them, or with the recorded"
                      + " ones if no other setting is better.",
                  each -> each.best().passes())
              .many(
                  "settings",
                  "The settings that were tried on every rank, the best first.",
                  ROWS,
                  SettingsPart::rows));

  private SettingsPart() {}

  private static List<Row> rows(JobTuning tuning) {
    List<Row> rows = new ArrayList<>();
    for (JobSetting setting : tuning.ranked()) {
      rows.add(new Row(rows.size() + 1, setting, tuning));
    }
    return rows;
  }

  /**
   * The settings, the best first.
   *
   * @param top rows on paper, 0 for all; landmarks are kept
   * @param remedy where all can be had
   */
  static Table<Row> table(JobTuning tuning, int top, String remedy) {
    return Table.of("Settings for all ranks", ROWS, rows(tuning))
        .keeping(
            row -> top == 0 || row.place() <= top || row.isLandmark(),
            new Table.More("setting", remedy));
  }

  /** The setting for all ranks and what it leaves. */
  static List<Sentence> sentences(JobTuning tuning) {
    List<Sentence> sentences = new ArrayList<>();
    sentences.add(advice(tuning));
    if (tuning.best().passes()) {
      sentences.add(left(tuning.best(), tuning.ranks().size() > 1));
    }
    if (tuning.recommended().isPresent() && tuning.best().passes()) {
      JobSetting best = tuning.best();
      sentences.add(
          Sentence.of(
              "Cost on all ranks together: {} (modelled).",
              Cost.calls(
                  best.driverCalls(),
                  tuning.now().driverCalls(),
                  best.forcedSynchronizations(),
                  tuning.now().forcedSynchronizations())));
    }
    if (tuning.recordedConf().isEmpty()) {
      sentences.add(
          Sentence.of("The ranks were recorded with different settings; the table says which."));
    }
    return sentences;
  }

  private static Sentence advice(JobTuning tuning) {
    String name = tuning.bestConf().map(Settings::name).orElse("each rank's own settings");
    JobSetting best = tuning.best();
    Ranked<RankTuning.Outcome> worst = best.worst();
    if (!best.passes()) {
      return notServed(tuning, name, best);
    }
    if (!tuning.now().passes()) {
      return Sentence.of(
          "{} on every rank would have saved the job: every recorded request of every rank"
              + " succeeds, with at most {} reserved.",
          name,
          bytes(best.peakReservedBytes()));
    }
    return tuning.recommended().isPresent()
        ? Sentence.of(
            "{} on every rank would reserve at most {} instead of {}.",
            name,
            bytes(best.peakReservedBytes()),
            bytes(tuning.now().peakReservedBytes()))
        : Sentence.of(
            "No other safe setting saves {} more than 2 % of its peak: keep {}.",
            worst.rank().label(), name);
  }

  private static Sentence notServed(JobTuning tuning, String name, JobSetting best) {
    Ranked<RankTuning> hopeless =
        tuning.ranks().stream()
            .filter(each -> each.found().heldBytes() > each.found().maxBytes())
            .findFirst()
            .orElse(null);
    if (hopeless != null) {
      return Sentence.of(
          "No setting helps: {} needs {} at its peak, but its allocator can use only {}.",
          hopeless.rank().label(),
          bytes(hopeless.found().heldBytes()),
          bytes(hopeless.found().maxBytes()));
    }
    return Sentence.of(
        "None of {} works on every rank; with {}, {} {} still {}.",
        count(tuning.ranked().size(), "setting"),
        name,
        tuning.recommended().isPresent() ? "the best," : "as recorded,",
        JobWords.ranks(best.failing()),
        best.failing().size() == 1 ? "fails" : "fail");
  }

  private static Sentence left(JobSetting setting, boolean areSeveral) {
    Ranked<RankTuning.Outcome> worst = setting.worst();
    long leftBytes = worst.found().leftBytes();
    long maxBytes = leftBytes + worst.found().peakReservedBytes();
    return Sentence.of(
        leftBytes < maxBytes / 100 * TIGHT_PERCENT
            ? "It leaves only {} of {} ({}){}: a slightly larger program may fail."
            : "It leaves {} of {} ({}){}.",
        bytes(leftBytes),
        bytes(maxBytes),
        share(leftBytes, maxBytes),
        areSeveral ? " on " + worst.rank().label() + ", the least of all ranks" : "");
  }

  /** A line for a shell; null where nothing is to be changed. */
  static @Nullable String paste(JobTuning tuning, PyTorchVersion version) {
    return tuning
        .recommended()
        .filter(JobSetting::passes)
        .map(setting -> Settings.paste(setting.conf(), version))
        .orElse(null);
  }

  /** Where a setting fails first on a rank, for a table; "no" where nothing does. */
  static Sentence failure(RankTuning.Outcome outcome) {
    return FirstFailure.at(outcome.failure());
  }
}
