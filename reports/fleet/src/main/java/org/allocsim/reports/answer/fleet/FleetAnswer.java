package org.allocsim.reports.answer.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.fleet.ChoiceTally;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.FleetChoice;
import org.allocsim.analysis.fleet.FleetGpu;
import org.allocsim.analysis.fleet.GpuTally;
import org.allocsim.analysis.fleet.JobTally;
import org.allocsim.analysis.fleet.TraceTally;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.output.ChartFolder;
import org.jspecify.annotations.Nullable;

/**
 * What the rows of a sweep say.
 *
 * @param swept the folder of the sweep
 * @param analysis what was counted
 */
public record FleetAnswer(String swept, FleetAnalysis analysis) {
  /** What a setting or allocator does to runs. */
  private record Choice(FleetChoice choice, ChoiceTally tally) {}

  private record Family(String name, long traces, long failures, Choice best) {}

  private record Gpu(FleetGpu gpu, GpuTally tally, @Nullable FleetChoice best) {}

  /** A trace and the name that it has below the folder of all. */
  private record Trace(String name, TraceTally tally) {
    <T> @Nullable T served(T value) {
      return tally.gpu() == null ? null : value;
    }
  }

  /**
   * A job and the name that it has below the folder of all.
   *
   * @param fit the smallest GPU that one setting needs; null where there is none
   */
  private record Job(String name, JobTally tally, JobBalance balance, JobTally.@Nullable Fit fit) {}

  private static final String NO_GPU = "none that was swept does";
  private static final String NO_RUN = "no run can be compared";
  private static final String NOT_SERVED = "every GPU fails under its recorded settings";

  private static final Shape<Choice> CHOICE =
      Shape.of(choice ->
          choice
              .shown(Unit.TEXT, "setting", "The setting or allocator.", each -> each.choice.label())
              .text(
                  "policy",
                  "Allocator, as 'allocsim list policies' names it.",
                  each -> each.choice.policy())
              .term(Columns.CONF, each -> each.choice.conf())
              .text("options", "Other options of the policy.", each -> each.choice.options())
              .count(
                  "failures_saved",
                  "failures saved",
                  "Runs that fail under the recorded settings and not under this one.",
                  each -> each.tally.saved())
              .count(
                  "broken",
                  "broken",
                  "Runs that only this setting makes fail.",
                  each -> each.tally.broken())
              .count(
                  "ooms",
                  "out of memory",
                  "Runs that run out of memory.",
                  each -> each.tally.ooms())
              .rank(3)
              .term(Columns.RUNS, "runs", each -> each.tally.runs())
              .rank(4)
              .embed(saving("saving_p10_ratio", "10 % save less", "A tenth of the runs saves", 0.1))
              .rank(1)
              .embed(saving("saving_p50_ratio", "median", "Half of the runs save", 0.5))
              .embed(saving("saving_p90_ratio", "90 % save less", "Nine tenths save", 0.9))
              .rank(2)
              .embed(driverTime()));

  private static final Shape<SavingClass> SAVING =
      Shape.of(saving ->
          saving
              .shown(
                  Unit.TEXT,
                  "less reserved memory",
                  "Share of the baseline's peak that is saved.",
                  SavingClass::label)
              .ratio("saving_from_ratio", "The lowest share of the class.", SavingClass::from)
              .ratio("saving_to_ratio", "The share that it stays below.", SavingClass::to)
              .count("traces", "traces", "Traces that save so much.", SavingClass::traces)
              .shown(
                  Unit.RATIO,
                  "of all",
                  "Share of the traces of all classes.",
                  each -> each.all() == 0 ? Double.NaN : (double) each.traces() / each.all()));

  private static final Shape<Family> FAMILY =
      Shape.of(family ->
          family
              .text("family", "family", "Name of the family.", Family::name)
              .count("traces", "traces", "Its traces.", Family::traces)
              .count(
                  "failures",
                  "failures",
                  "Its traces on GPUs that fail under their recorded settings.",
                  Family::failures)
              .shown(
                  Unit.TEXT,
                  "best setting",
                  "Saves the most failures net of those that it breaks, then the most memory.",
                  each -> each.best.choice.label())
              .text("conf", "Its best setting.", each -> each.best.choice.conf())
              .count(
                  "failures_saved",
                  "saved",
                  "Failures that the best setting saves.",
                  each -> each.best.tally.saved())
              .count(
                  "broken",
                  "broken",
                  "Runs that only the best setting makes fail.",
                  each -> each.best.tally.broken())
              .rank(1)
              .embed(
                  saving("saving_p50_ratio", "median saving", "Half of the runs save", 0.5),
                  Family::best)
              .embed(driverTime(), Family::best)
              .rank(2));

  private static final Shape<Gpu> GPU =
      Shape.of(gpu ->
          gpu.shown(Unit.TEXT, "GPU", "Its profile or size.", each -> each.gpu.label())
              .text(
                  "device",
                  "Profile of the simulated GPU; 'capacity' for a size.",
                  each -> each.gpu.device())
              .bytes(
                  "capacity_bytes",
                  "free memory",
                  "Free before the first allocation.",
                  each -> each.gpu.capacityBytes())
              .rank(4)
              .flag(
                  "has_limit",
                  "Whether the allocator had a limit of its own.",
                  each -> each.gpu.isLimited())
              .count("traces", "traces", "Traces that were run on it.", each -> each.tally.traces())
              .count(
                  "served_as_recorded",
                  "as recorded",
                  "Traces that it serves under their recorded settings.",
                  each -> each.tally.servedByBaseline())
              .count(
                  "served_by_best_setting",
                  "one setting",
                  "Traces that it serves under the one setting that serves the most.",
                  each -> each.best == null ? 0 : each.tally.servedBy(each.best))
              .rank(3)
              .count(
                  "served_by_each_its_own",
                  "each its own",
                  "Traces that it serves under the best setting for each.",
                  each -> each.tally.servedBySetting())
              .rank(2)
              .count(
                  "served_by_any_allocator",
                  "any allocator",
                  "Traces that it serves with any allocator that was run.",
                  each -> each.tally.servedByAny())
              .rank(1)
              .count(
                  "too_large",
                  "too large",
                  "Traces that ask for more at once than it has: no allocator could serve them.",
                  each -> each.tally.tooLarge())
              .text(
                  "best_conf",
                  "the one setting",
                  "The one setting that serves the most traces.",
                  each -> each.best == null ? null : each.best.conf())
              .worded(each -> each.best == null ? "-" : each.best.label())
              .missing("no setting serves any"));

  private static final Shape<Trace> TRACE =
      Shape.of(trace ->
          trace
              .shown(Unit.TEXT, "trace", "Its file, below the folder of all.", Trace::name)
              .term(Columns.FILE, each -> each.tally.file())
              .text("family", "Its family.", each -> each.tally.family())
              .count(
                  "failures",
                  "GPUs it fails on",
                  "GPUs on which it fails under its recorded settings.",
                  each -> each.tally.failures())
              .count(
                  "failures_lost",
                  "GPUs it is lost on",
                  "Those on which no setting saves it either.",
                  each -> each.tally.lost())
              .bytes(
                  "peak_requested_bytes",
                  "asks for",
                  "Maximum that the program asks for at once.",
                  each -> each.tally.demandBytes())
              .bytes(
                  "capacity_bytes",
                  "Free memory of the GPU where a setting changes most.",
                  each -> each.tally.gpu() == null ? null : each.tally.gpu().capacityBytes())
              .missing(NOT_SERVED)
              .bytes(
                  "peak_reserved_bytes",
                  "reserves",
                  "Peak of reserved memory there, under the recorded settings.",
                  each -> each.served(each.tally.baselineBytes()))
              .missing(NOT_SERVED)
              .bytes(
                  "best_peak_reserved_bytes",
                  "could do with",
                  "The same under the best setting.",
                  each -> each.served(each.tally.bestBytes()))
              .missing(NOT_SERVED)
              .rank(2)
              .shown(
                  Unit.RATIO,
                  "less",
                  "Share that the best setting saves.",
                  each ->
                      each.served((double) each.tally.savedBytes() / each.tally.baselineBytes()))
              .rank(1)
              .text(
                  "best_conf",
                  "under",
                  "The best setting there.",
                  each -> each.tally.best() == null ? null : each.tally.best().conf())
              .worded(each ->
                  each.tally.best() == null || each.tally.savedBytes() <= 0
                      ? "-"
                      : each.tally.best().label())
              .missing(NOT_SERVED));

  private static final Shape<Job> JOB =
      Shape.of(job ->
          job.shown(Unit.TEXT, "job", "Its folder, below the folder of all.", Job::name)
              .text("job", "Folder of the job.", each -> each.tally.job())
              .count("ranks", "ranks", "Its ranks that were run.", each -> each.tally.rankCount())
              .rank(3)
              .count(
                  "failures",
                  "GPUs it fails on",
                  "GPUs on which a rank fails under its recorded settings.",
                  each -> each.tally.failures())
              .count(
                  "failures_lost",
                  "GPUs it is lost on",
                  "Those on which no one setting serves every rank.",
                  each -> each.tally.lost())
              .text(
                  "highest_rank",
                  "rank",
                  "The rank that reserves the most as recorded: it decides.",
                  each -> each.balance.highest().rank().id())
              .bytes(
                  "highest_reserved_bytes",
                  "reserves",
                  "What it reserves at most, on its largest GPU.",
                  each -> each.balance.highest().found().reservedBytes())
              .term(Columns.MEDIAN_RESERVED_BYTES, each -> each.balance.medianBytes())
              .term(Columns.IMBALANCE_RATIO, each -> each.balance.ratio())
              .shown(
                  Unit.NUMBER,
                  "over median",
                  "The highest of these over the median; 1 where all are alike.",
                  each -> times(each.balance.ratio()))
              .text(
                  "smallest_gpu_recorded",
                  "serves as recorded",
                  "The smallest GPU that serves every rank under its recorded settings.",
                  each -> each.tally.smallestAsRecorded().map(FleetGpu::label).orElse(null))
              .rank(2)
              .missing(NO_GPU)
              .text(
                  "smallest_gpu",
                  "serves with one setting",
                  "The smallest GPU that serves every rank under one setting.",
                  each -> each.fit == null ? null : each.fit.gpu().label())
              .missing(NO_GPU)
              .text(
                  "best_conf",
                  "under",
                  "The setting with the lowest peak there.",
                  each -> each.fit == null ? null : each.fit.setting().conf())
              .worded(each -> each.fit == null ? "-" : each.fit.setting().label())
              .missing(NO_GPU)
              .bytes(
                  "best_peak_reserved_bytes",
                  "reserves then",
                  "What any rank reserves at most under it.",
                  each -> each.fit == null ? null : each.fit.peakBytes())
              .rank(1)
              .missing(NO_GPU));

  /** What {@code fleet-report} writes as JSON. */
  public static final Kind<FleetAnswer> KIND =
      new Kind<>(
          "fleet-report",
          "fleet-report --json FILE",
          "What a sweep found: failures and memory that settings save.",
          Shape.of(answer ->
              answer
                  .text("swept", "Folder of the sweep.", FleetAnswer::swept)
                  .count("traces", "Traces of the sweep.", each -> each.analysis.traceCount())
                  .term(Columns.RUNS, each -> each.analysis.runs())
                  .count("not_run", "Runs that could not be made.", each -> each.analysis.notRun())
                  .count(
                      "unreadable",
                      "Files that could not be read.",
                      each -> each.analysis.unreadable())
                  .count(
                      "failures",
                      "Traces on GPUs that fail under their recorded settings.",
                      each -> each.analysis.failures())
                  .count("lost", "Failures that no setting saves.", each -> each.analysis.lost())
                  .count(
                      "too_large",
                      "Of these, those in which the program asks for more at once than the GPU"
                          + " has.",
                      each -> each.analysis.tooLarge())
                  .many("settings", "Settings, the best first.", CHOICE, FleetAnswer::choices)
                  .many(
                      "savings",
                      "Traces by what their best setting saves.",
                      SAVING,
                      each -> SavingClass.of(each.analysis))
                  .many("families", "Workload families.", FAMILY, FleetAnswer::families)
                  .many("gpus", "GPUs, the smallest first.", GPU, FleetAnswer::gpus)
                  .many("jobs", "Jobs of several ranks, the worst first.", JOB, FleetAnswer::jobs)
                  .many("worst", "Traces, the worst first.", TRACE, FleetAnswer::worst)));

  private static Shape<Choice> saving(String key, String label, String who, double share) {
    return Shape.of(choice ->
        choice
            .ratio(
                key,
                label,
                who + " less than this share of the baseline's peak of reserved memory.",
                each -> each.tally.savingQuantile(share))
            .missing(NO_RUN));
  }

  private static Shape<Choice> driverTime() {
    String meaning = "Time in the driver as a multiple of the baseline's, in runs that both serve.";
    return Shape.of(choice ->
        choice
            .ratio("driver_time_ratio", meaning, each -> each.tally.driverRatio())
            .missing(NO_RUN)
            .shown(Unit.NUMBER, "driver time", meaning, each -> times(each.tally.driverRatio())));
  }

  private static @Nullable String times(double ratio) {
    return Double.isFinite(ratio) ? String.format(Locale.ROOT, "×%.2f", ratio) : null;
  }

  private static Choice choice(Map.Entry<FleetChoice, ChoiceTally> entry) {
    return new Choice(entry.getKey(), entry.getValue());
  }

  private List<Choice> choices() {
    return analysis.choices().stream().map(FleetAnswer::choice).toList();
  }

  private List<Family> families() {
    List<Family> families = new ArrayList<>();
    analysis
        .bestOfFamilies()
        .forEach((name, best) ->
            families.add(
                new Family(
                    name, analysis.tracesOf(name), analysis.failuresOf(name), choice(best))));
    return families;
  }

  private List<Gpu> gpus() {
    List<Gpu> gpus = new ArrayList<>();
    analysis
        .gpus()
        .forEach((gpu, tally) ->
            gpus.add(new Gpu(gpu, tally, analysis.bestSettingOn(tally).orElse(null))));
    return gpus;
  }

  private List<Job> jobs() {
    int folder = analysis.commonFolder().length();
    return analysis.jobs().stream()
        .map(job ->
            new Job(
                job.job().length() <= folder ? job.job() : job.job().substring(folder),
                job,
                job.balance(),
                job.smallest().orElse(null)))
        .toList();
  }

  private List<Trace> worst() {
    int folder = analysis.commonFolder().length();
    return analysis.worst().stream()
        .map(trace -> new Trace(trace.file().substring(folder), trace))
        .toList();
  }

  /** Draws its charts into a folder. */
  public void draw(ChartFolder folder) throws IOException {
    new FleetFigures(analysis).draw(folder);
  }

  /**
   * The answer for all renderers.
   *
   * @param top rows of each table that people read
   * @param withFigures whether there is a page, which shows charts
   */
  public Document<FleetAnswer> document(int top, boolean withFigures) {
    Map<String, Table<?>> csv = new LinkedHashMap<>();
    List<Section> sections = new ArrayList<>();
    if (withFigures) {
      sections.add(new Section(null, List.copyOf(new FleetFigures(analysis).all())));
    }
    add(
        "settings",
        Table.of("Failures saved and memory saved, by setting", CHOICE, choices()),
        "A run is a trace on a GPU; it is compared with the run under the recorded settings on"
            + " the same GPU. Failures saved run out of memory there and not under the"
            + " setting; broken are runs that only the setting makes fail. Saved memory is a"
            + " share of the recorded settings' peak of reserved memory, where neither runs"
            + " out; a tenth, half and nine tenths of the runs save less, and a negative share"
            + " is more memory. Driver time is that of the same runs, as a multiple of what it"
            + " is under the recorded settings.",
        top,
        csv,
        sections);
    add(
        "savings",
        Table.of("Distribution of savings", SAVING, SavingClass.of(analysis)),
        "How many traces could do with how much less reserved memory, each under its own best"
            + " setting and on the GPU where that saves the most. Traces that fail on every GPU"
            + " under their recorded settings are not among them.",
        top,
        csv,
        sections);
    add(
        "families",
        Table.of("Best setting by workload family", FAMILY, families()),
        "The setting that saves the most failures net of those that it breaks, then the most"
            + " memory on average; figures are as in the first table, of this family's runs"
            + " only. What makes a family is given with --family.",
        top,
        csv,
        sections);
    add(
        "gpus",
        Table.of("Frontier of GPUs", GPU, gpus()),
        "How many traces each GPU serves: as recorded, under the one setting that serves the"
            + " most on it (of equals the one that is best on all GPUs), with the best setting"
            + " for each trace, and with any allocator that was run. Too large are traces that"
            + " ask for more at once than the GPU has, or than the limit on it allows: no"
            + " allocator could serve them.",
        top,
        csv,
        sections);
    List<Job> jobs = jobs();
    if (!jobs.isEmpty()) {
      add(
          "jobs",
          Table.of("Jobs", JOB, jobs),
          "A job is a folder whose files are of its ranks, by their names. One rank that runs out"
              + " of memory ends the job, so a GPU serves it where it serves every rank, and a"
              + " setting where it does so on every rank. The rank that reserves the most decides"
              + " how large a GPU has to be; over the median is how much more it reserves than the"
              + " others.",
          top,
          csv,
          sections);
    }
    add(
        "traces",
        Table.of("Worst offenders", TRACE, worst()),
        "First traces that are lost on most GPUs: they fail there as recorded, and no setting"
            + " saves them. Then those that reserve the most beyond what their best setting"
            + " needs, on the GPU where that is highest. A program that asks for more than a"
            + " GPU has must become smaller; one that reserves far more than it asks for can do"
            + " with the setting in the last column.",
        top,
        csv,
        sections);
    return new Document<>(KIND, swept, FleetVerdict.of(analysis), sections, csv, this);
  }

  private static void add(
      String name,
      Table<?> table,
      String note,
      int top,
      Map<String, Table<?>> csv,
      List<Section> sections) {
    csv.put("-" + name, table);
    Table.More more = new Table.More("row", "fleet-" + name + ".csv has all");
    sections.add(
        new Section(
            table.caption(), List.of(Notes.of(null, List.of(note)), table.first(top, more))));
  }
}
