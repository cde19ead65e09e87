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

  private static final String NO_GPU = "none of those swept";
  private static final String NO_RUN = "no comparable runs";
  private static final String NOT_SERVED = "every GPU fails under its recorded settings";

  private static final Shape<Choice> CHOICE =
      Shape.of(choice ->
          choice
              .shown(Unit.TEXT, "setting", "The setting or allocator.", each -> each.choice.label())
              .text(
                  "policy",
                  "Allocator; see 'allocsim list policies'.",
                  each -> each.choice.policy())
              .term(Columns.CONF, each -> each.choice.conf())
              .text("options", "Other options of the policy.", each -> each.choice.options())
              .count(
                  "prevented_failures",
                  "failures prevented",
                  "Runs that fail with the recorded settings but not with this one.",
                  each -> each.tally.saved())
              .count(
                  "introduced_failures",
                  "broken",
                  "Runs that fail only with this setting.",
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
                  "Saved fraction of the baseline's peak.",
                  SavingClass::label)
              .ratio("saving_from_ratio", "Lower bound of the class.", SavingClass::from)
              .ratio("saving_to_ratio", "Upper bound of the class, exclusive.", SavingClass::to)
              .count(
                  "traces",
                  "traces",
                  "Traces whose savings are in this class.",
                  SavingClass::traces)
              .shown(
                  Unit.RATIO,
                  "of all",
                  "Fraction of all traces.",
                  each -> each.all() == 0 ? Double.NaN : (double) each.traces() / each.all()));

  private static final Shape<Family> FAMILY =
      Shape.of(family ->
          family
              .text("family", "family", "Name of the family.", Family::name)
              .count("traces", "traces", "Its traces.", Family::traces)
              .count(
                  "failures",
                  "failures",
                  "Trace and GPU pairs that fail with the recorded settings.",
                  Family::failures)
              .shown(
                  Unit.TEXT,
                  "best setting",
                  "The setting that prevents the most failures minus the runs it breaks; ties go"
                      + " to the one that saves the most memory.",
                  each -> each.best.choice.label())
              .text("conf", "Its best setting.", each -> each.best.choice.conf())
              .count(
                  "prevented_failures",
                  "saved",
                  "Failures that the best setting prevents.",
                  each -> each.best.tally.saved())
              .count(
                  "introduced_failures",
                  "broken",
                  "Runs that fail only with the best setting.",
                  each -> each.best.tally.broken())
              .rank(1)
              .embed(
                  saving("saving_p50_ratio", "median saving", "Half of the runs save", 0.5),
                  Family::best)
              .embed(driverTime(), Family::best)
              .rank(2));

  private static final Shape<Gpu> GPU =
      Shape.of(gpu ->
          gpu.shown(Unit.TEXT, "GPU", "Its profile or memory size.", each -> each.gpu.label())
              .text(
                  "device",
                  "Profile of the simulated GPU, or 'capacity' for a given size.",
                  each -> each.gpu.device())
              .bytes(
                  "capacity_bytes",
                  "free memory",
                  "Free before the first allocation.",
                  each -> each.gpu.capacityBytes())
              .rank(4)
              .flag(
                  "has_limit",
                  "Whether the allocator had a memory limit.",
                  each -> each.gpu.isLimited())
              .count("traces", "traces", "Traces run on it.", each -> each.tally.traces())
              .count(
                  "served_as_recorded",
                  "as recorded",
                  "Traces that run with their recorded settings.",
                  each -> each.tally.servedByBaseline())
              .count(
                  "served_by_best_setting",
                  "one setting",
                  "Traces that run with the one setting that serves the most traces.",
                  each -> each.best == null ? 0 : each.tally.servedBy(each.best))
              .rank(3)
              .count(
                  "served_by_own_best_setting",
                  "each its own",
                  "Traces that run with the best setting for each trace.",
                  each -> each.tally.servedBySetting())
              .rank(2)
              .count(
                  "served_by_any_allocator",
                  "any allocator",
                  "Traces that run with at least one of the allocators tried.",
                  each -> each.tally.servedByAny())
              .rank(1)
              .count(
                  "too_large",
                  "too large",
                  "Traces whose peak of requested memory exceeds the GPU: no allocator can serve"
                      + " them.",
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
              .shown(
                  Unit.TEXT,
                  "trace",
                  "Its file, relative to the sweep's input folder.",
                  Trace::name)
              .term(Columns.FILE, each -> each.tally.file())
              .text("family", "Its family.", each -> each.tally.family())
              .count(
                  "failures",
                  "GPUs it fails on",
                  "GPUs on which it fails with its recorded settings.",
                  each -> each.tally.failures())
              .count(
                  "unpreventable_failures",
                  "GPUs it is lost on",
                  "GPUs on which it fails with every setting.",
                  each -> each.tally.lost())
              .bytes(
                  "peak_requested_bytes",
                  "asks for",
                  "Peak of requested memory.",
                  each -> each.tally.demandBytes())
              .bytes(
                  "capacity_bytes",
                  "Free memory of the GPU on which settings matter most.",
                  each -> each.tally.gpu() == null ? null : each.tally.gpu().capacityBytes())
              .missing(NOT_SERVED)
              .bytes(
                  "peak_reserved_bytes",
                  "reserves",
                  "Peak of reserved memory on that GPU with the recorded settings.",
                  each -> each.served(each.tally.baselineBytes()))
              .missing(NOT_SERVED)
              .bytes(
                  "best_peak_reserved_bytes",
                  "could run with",
                  "The same with the best setting.",
                  each -> each.served(each.tally.bestBytes()))
              .missing(NOT_SERVED)
              .rank(2)
              .shown(
                  Unit.RATIO,
                  "less",
                  "Fraction saved by the best setting.",
                  each ->
                      each.served((double) each.tally.savedBytes() / each.tally.baselineBytes()))
              .rank(1)
              .text(
                  "best_conf",
                  "under",
                  "The best setting on that GPU.",
                  each -> each.tally.best() == null ? null : each.tally.best().conf())
              .worded(each ->
                  each.tally.best() == null || each.tally.savedBytes() <= 0
                      ? "-"
                      : each.tally.best().label())
              .missing(NOT_SERVED));

  private static final Shape<Job> JOB =
      Shape.of(job ->
          job.shown(
                  Unit.TEXT, "job", "Its folder, relative to the sweep's input folder.", Job::name)
              .text("job", "Folder of the job.", each -> each.tally.job())
              .count("ranks", "ranks", "Ranks that were run.", each -> each.tally.rankCount())
              .rank(3)
              .count(
                  "failures",
                  "GPUs it fails on",
                  "GPUs on which a rank fails with its recorded settings.",
                  each -> each.tally.failures())
              .count(
                  "unpreventable_failures",
                  "GPUs it is lost on",
                  "GPUs on which no single setting serves every rank.",
                  each -> each.tally.lost())
              .text(
                  "max_reserved_rank",
                  "rank",
                  "The rank that reserves the most with the recorded settings; it determines the"
                      + " GPU size.",
                  each -> each.balance.highest().rank().id())
              .bytes(
                  "max_reserved_bytes",
                  "reserves",
                  "Peak of memory that this rank reserves on the largest GPU.",
                  each -> each.balance.highest().found().reservedBytes())
              .term(Columns.MEDIAN_RESERVED_BYTES, each -> each.balance.medianBytes())
              .term(Columns.IMBALANCE_RATIO, each -> each.balance.ratio())
              .shown(
                  Unit.NUMBER,
                  "over median",
                  "The highest peak of all ranks divided by their median; 1 if all are equal.",
                  each -> times(each.balance.ratio()))
              .text(
                  "smallest_gpu_recorded",
                  "serves as recorded",
                  "The smallest GPU that serves every rank with its recorded settings.",
                  each -> each.tally.smallestAsRecorded().map(FleetGpu::label).orElse(null))
              .rank(2)
              .missing(NO_GPU)
              .text(
                  "smallest_gpu",
                  "serves with one setting",
                  "The smallest GPU that serves every rank with one setting.",
                  each -> each.fit == null ? null : each.fit.gpu().label())
              .missing(NO_GPU)
              .text(
                  "best_conf",
                  "under",
                  "The setting with the lowest peak on that GPU.",
                  each -> each.fit == null ? null : each.fit.setting().conf())
              .worded(each -> each.fit == null ? "-" : each.fit.setting().label())
              .missing(NO_GPU)
              .bytes(
                  "best_peak_reserved_bytes",
                  "reserves then",
                  "Highest peak of reserved memory of any rank with that setting.",
                  each -> each.fit == null ? null : each.fit.peakBytes())
              .rank(1)
              .missing(NO_GPU));

  /** What {@code fleet-report} writes as JSON. */
  public static final Kind<FleetAnswer> KIND =
      new Kind<>(
          "fleet-report",
          "fleet-report --json FILE",
          "Results of a sweep: failures that settings prevent and memory that they save.",
          Shape.of(answer ->
              answer
                  .text("sweep", "Folder of the sweep.", FleetAnswer::swept)
                  .count("traces", "Traces of the sweep.", each -> each.analysis.traceCount())
                  .term(Columns.RUNS, each -> each.analysis.runs())
                  .count(
                      "not_run",
                      "Runs that could not be simulated.",
                      each -> each.analysis.notRun())
                  .count(
                      "unreadable",
                      "Files that could not be read.",
                      each -> each.analysis.unreadable())
                  .count(
                      "failures",
                      "Trace and GPU pairs that fail with the recorded settings.",
                      each -> each.analysis.failures())
                  .count(
                      "unpreventable_failures",
                      "Failures that no setting prevents.",
                      each -> each.analysis.lost())
                  .count(
                      "too_large",
                      "Of these, failures in which the program's requested memory exceeds the"
                          + " GPU.",
                      each -> each.analysis.tooLarge())
                  .many("settings", "Settings, best first.", CHOICE, FleetAnswer::choices)
                  .many(
                      "savings",
                      "Traces, by the fraction that their best setting saves.",
                      SAVING,
                      each -> SavingClass.of(each.analysis))
                  .many("families", "Workload families.", FAMILY, FleetAnswer::families)
                  .many("gpus", "GPUs, smallest first.", GPU, FleetAnswer::gpus)
                  .many("jobs", "Jobs of several ranks, worst first.", JOB, FleetAnswer::jobs)
                  .many("worst", "Traces, worst first.", TRACE, FleetAnswer::worst)));

  private static Shape<Choice> saving(String key, String label, String who, double share) {
    return Shape.of(choice ->
        choice
            .ratio(
                key,
                label,
                who + " less than this fraction of the baseline's peak of reserved memory.",
                each -> each.tally.savingQuantile(share))
            .missing(NO_RUN));
  }

  private static Shape<Choice> driverTime() {
    String meaning = "Driver time relative to the baseline, over runs that both serve.";
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
        Table.of("Failures prevented and memory saved, by setting", CHOICE, choices()),
        "A run is one trace on one GPU. Each run is compared with the same trace on the same GPU"
            + " with its recorded settings. Failures prevented: runs out of memory with the"
            + " recorded settings but not with this one. Broken: fails only with this setting."
            + " Saved memory is a percentage of the peak of reserved memory with the recorded"
            + " settings, over runs that both serve, as 10th, 50th and 90th percentile; negative"
            + " values mean more memory. Driver time covers the same runs, relative to the recorded"
            + " settings.",
        top,
        csv,
        sections);
    add(
        "savings",
        Table.of("Distribution of savings", SAVING, SavingClass.of(analysis)),
        "The number of traces by how much reserved memory their best setting saves, on the GPU"
            + " where it saves the most. Traces that fail on every GPU with their recorded"
            + " settings are not counted.",
        top,
        csv,
        sections);
    add(
        "families",
        Table.of("Best setting by workload family", FAMILY, families()),
        "For each family, the setting that prevents the most failures minus the runs it breaks;"
            + " ties go to the one that saves the most memory on average. The columns are those"
            + " of the first table, for the runs of the family. --family defines families.",
        top,
        csv,
        sections);
    add(
        "gpus",
        Table.of("Frontier of GPUs", GPU, gpus()),
        "The number of traces that each GPU serves: as recorded, with the one setting that"
            + " serves the most traces on it (ties go to the setting that is best over all"
            + " GPUs), with the best setting for each trace, and with any of the allocators"
            + " tried. Too large: the trace requests more memory at once than the GPU or its"
            + " limit has, so no allocator can serve it.",
        top,
        csv,
        sections);
    List<Job> jobs = jobs();
    if (!jobs.isEmpty()) {
      add(
          "jobs",
          Table.of("Jobs", JOB, jobs),
          "A job is a folder with one file for each rank, recognized by file name. One rank that"
              + " runs out of memory ends the job, so a GPU or a setting serves a job only if it"
              + " serves every rank. The rank that reserves the most determines the GPU size;"
              + " 'over the median' is its peak divided by the median of all ranks.",
          top,
          csv,
          sections);
    }
    add(
        "traces",
        Table.of("Worst offenders", TRACE, worst()),
        "Traces lost on the most GPUs come first: they fail there as recorded and with every"
            + " setting. Next come those that reserve the most beyond what their best setting"
            + " needs, on the GPU where the difference is largest. A program that requests more"
            + " memory than the GPU has must shrink; one that reserves far more than it requests"
            + " can use the setting in the last column.",
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
