package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.nanos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.analysis.diagnosis.SettingTrial;
import org.allocsim.analysis.job.FailureOrder;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.analysis.job.JobSetting;
import org.allocsim.analysis.job.JobTuning;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.RankFailure;
import org.allocsim.analysis.job.RankPeak;
import org.allocsim.analysis.job.RankTuning;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.moment.CodeLine;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.answer.diagnosis.DiagnosedProgram;
import org.allocsim.reports.answer.job.DiagnoseJob.Finding;
import org.allocsim.reports.answer.job.DiagnoseJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.jspecify.annotations.Nullable;

/** {@code diagnose} of a job: which rank failed first and why, and what helps all of them. */
public final class DiagnoseJob extends JobView<DiagnosedProgram, Row, Finding> {
  private static final int SETTINGS_ON_PAPER = 5;
  private static final int FAILURES_SHOWN = 3;
  private static final String NO_GPU = "no known GPU is large enough";

  /** Opens a rank once more and tries a setting on it. */
  @FunctionalInterface
  public interface Trials {
    /** What a setting comes to on a rank. */
    SettingTrial of(Rank rank, String conf);
  }

  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param version whose rules applied
   * @param gpu the GPU that it ran on
   * @param failed when its first request failed; null where none did
   * @param line the line that made that request; null where no stack shows it
   * @param why why it failed; null where none did
   * @param peak what it takes
   * @param tuning what its settings come to
   * @param recorded its own settings tried
   * @param best the setting that is best for it alone tried
   * @param missingBytes how much less it must need; null where some setting serves it, or nothing
   *     helps
   * @param leak what its memory does over its steps; null without steps
   * @param isLeak whether that fills any GPU in the end
   */
  public record Row(
      int device,
      PyTorchVersion version,
      String gpu,
      @Nullable RankFailure failed,
      @Nullable String line,
      @Nullable OomExplanation why,
      RankPeak peak,
      RankTuning tuning,
      SettingTrial recorded,
      SettingTrial best,
      @Nullable Long missingBytes,
      @Nullable String leak,
      boolean isLeak) {
    private @Nullable FailedRequest failure() {
      return tuning.recorded().failure();
    }
  }

  /**
   * What the ranks come to.
   *
   * @param order which rank failed first
   * @param balance how even the ranks are
   * @param tuning the setting for all
   * @param trials that setting on each rank; empty where it fails on one
   * @param recordedGpu the smallest known GPU on which every rank runs as it was recorded
   * @param bestGpu the same under the setting for all
   */
  public record Finding(
      FailureOrder order,
      JobBalance balance,
      JobTuning tuning,
      Map<Rank, SettingTrial> trials,
      Optional<DeviceProfile> recordedGpu,
      Optional<DeviceProfile> bestGpu) {
    private @Nullable Rank first() {
      return order.failed().isEmpty() || order.unknown().isPresent()
          ? null
          : order.failed().getFirst().rank();
    }
  }

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .term(Columns.TORCH_VERSION, each -> each.version().id())
              .term(Columns.DEVICE, Row::gpu)
              .embed(BalancePart.RANK, Row::peak)
              .embed(tuned(), Row::tuning)
              .text(
                  "first_failed_request_line",
                  "asked for at",
                  "Program line of the first failed request.",
                  Row::line)
              .rank(4)
              .optional()
              .missing("none failed, or no stack shows it")
              .text(
                  "first_failed_request_verdict",
                  "why",
                  "Why it failed, as one word.",
                  each -> each.why() == null ? null : each.why().verdict().word())
              .optional()
              .missing("no request failed")
              .nanos(
                  "first_failed_request_unix_nanos",
                  "When it failed, on the clock of its host.",
                  each ->
                      each.failed() == null || !each.failed().isWallClock()
                          ? null
                          : Long.valueOf(each.failed().failedNanos()))
              .missing("none failed, or the recording does not have the time of day")
              .bytes(
                  "parameter_bytes",
                  "Memory of parameters at the peak, or when the request failed.",
                  each -> each.peak().parameterBytes() == 0 ? null : each.peak().parameterBytes())
              .missing("the recording does not show it")
              .series(
                  Unit.BYTES,
                  "step_peak_bytes",
                  "Peak of live memory in each step.",
                  each -> Arrays.stream(each.peak().stepPeakBytes()).boxed().toList())
              .term(Columns.MISSING_BYTES, Row::missingBytes)
              .missing("a setting serves every request, or the limit is too low on every GPU")
              .text(
                  "smallest_gpu",
                  "smallest GPU",
                  "The smallest known GPU for the setting that is best for it alone.",
                  each -> each.best().smallestGpu().map(DeviceProfile::name).orElse(null))
              .rank(3)
              .missing(NO_GPU)
              .term(Columns.LEAK_VERDICT, Row::leak)
              .missing("the program has no steps"));

  private static Shape<RankTuning> tuned() {
    return new Shape<>(
        TuneJob.outcome().columns().stream()
            .filter(column -> !"peak_reserved_bytes".equals(column.key()))
            .toList());
  }

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.term(Columns.FAILED_RANKS, each -> each.order().failed().size())
              .text(
                  "first_failed_rank",
                  "The rank that failed first, or its file.",
                  each -> each.first() == null ? null : each.first().id())
              .missing("none failed, or it is unknown which failed first")
              .text(
                  "order_unknown_reason",
                  "Why it is not known which rank failed first.",
                  each -> each.order().unknown().map(FailureOrder.Unknown::clause).orElse(null))
              .missing("it is known, or fewer than two failed")
              .embed(BalancePart.SHAPE, Finding::balance)
              .text(
                  "smallest_gpu",
                  "The smallest known GPU on which every rank runs under the setting for all.",
                  each -> each.bestGpu().map(DeviceProfile::name).orElse(null))
              .missing("there is none")
              .text(
                  "smallest_gpu_recorded",
                  "The same for the settings that the ranks were recorded with.",
                  each -> each.recordedGpu().map(DeviceProfile::name).orElse(null))
              .missing("there is none")
              .embed(SettingsPart.SHAPE, Finding::tuning));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind(
          "diagnose", "which rank failed first and why, and what helps all of them", ROW, FINDING);

  private final Platform platform;
  private final Trials trials;

  /**
   * The question.
   *
   * @param platform where the job is to run
   * @param trials tries the job's setting on a rank to which the rank's own diagnosis recommends
   *     another one
   */
  public DiagnoseJob(Platform platform, Trials trials) {
    super(KIND, ROW);
    this.platform = platform;
    this.trials = trials;
  }

  @Override
  public Row keep(DiagnosedProgram program) {
    var diagnosis = program.diagnosis();
    var tuning = diagnosis.tuning();
    return new Row(
        program.input().device(),
        program.version(),
        program.recordedConditions().profile().name(),
        diagnosis
            .landmarks()
            .firstFailure()
            .map(failure -> RankFailure.of(program.input(), failure.row()))
            .orElse(null),
        diagnosis.askedAt().map(CodeLine::text).orElse(null),
        diagnosis.why().orElse(null),
        new RankPeak(
            tuning.recorded().result().peakReservedBytes(),
            diagnosis.landmarks().peakAllocatedBytes(),
            program.categories().rows().stream()
                .filter(row -> row.category() == Category.PARAMETER)
                .mapToLong(row -> row.group().blockBytes())
                .sum(),
            diagnosis.leaks().map(leaks -> leaks.series().peakBytes()).orElse(new long[0])),
        RankTuning.of(tuning, program.recordedConditions()),
        new SettingTrial(diagnosis.recordedGpu(), 0, 0),
        SettingTrial.of(diagnosis.bestGpu(), diagnosis.copies()),
        diagnosis.missingBytes().isPresent()
            ? Long.valueOf(diagnosis.missingBytes().getAsLong())
            : null,
        diagnosis.leaks().map(leaks -> leaks.verdict().name()).orElse(null),
        diagnosis.leaks().map(leaks -> leaks.verdict().isHarmful()).orElse(false));
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    List<Ranked<RankFailure>> failed = new ArrayList<>();
    for (Ranked<Row> each : ranks) {
      RankFailure failure = each.found().failed();
      if (failure != null) {
        failed.add(new Ranked<>(each.rank(), failure));
      }
    }
    JobTuning tuning = JobTuning.of(Ranked.map(ranks, Row::tuning));
    Map<Rank, SettingTrial> tried = new LinkedHashMap<>();
    if (tuning.best().passes()) {
      ranks.forEach(each -> tried.put(each.rank(), trial(each, tuning.recommended())));
    }
    return new Finding(
        FailureOrder.of(failed),
        JobBalance.of(Ranked.map(ranks, Row::peak)),
        tuning,
        tried,
        largest(ranks.stream().map(each -> each.found().recorded()).toList()),
        largest(List.copyOf(tried.values())));
  }

  private SettingTrial trial(Ranked<Row> rank, Optional<JobSetting> recommended) {
    Row row = rank.found();
    String conf = recommended.map(JobSetting::conf).orElse(row.tuning().recorded().conf());
    if (conf.equals(row.tuning().bestConf())) {
      return row.best();
    }
    return recommended.isEmpty() ? row.recorded() : trials.of(rank.rank(), conf);
  }

  /** The largest of the smallest GPUs; empty where a rank runs on none, or none was tried. */
  private static Optional<DeviceProfile> largest(List<SettingTrial> trials) {
    return trials.stream().allMatch(each -> each.smallestGpu().isPresent())
        ? trials.stream()
            .map(each -> each.smallestGpu().orElseThrow())
            .max(Comparator.comparingLong(DeviceProfile::capacityBytes))
        : Optional.empty();
  }

  @Override
  public NextCommand next(NextCommand same) {
    return same.on(platform);
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    JobTuning tuning = finding.tuning();
    List<Sentence> details = new ArrayList<>();
    addFailures(answer, details);
    details.addAll(SettingsPart.sentences(tuning));
    addCopies(answer, details);
    addMissing(answer, details);
    details.addAll(BalancePart.sentences(Ranked.map(answer.ranks(), Row::peak), finding.balance()));
    addLeaks(answer, details);
    details.add(gpus(answer));
    details.add(next(answer));
    return new Verdict(
        finding.order().failed().isEmpty()
            ? Tone.NEUTRAL
            : tuning.best().passes() ? Tone.GOOD : Tone.BAD,
        happened(answer),
        details,
        SettingsPart.paste(tuning, answer.ranks().getFirst().found().version()));
  }

  private static Sentence happened(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    List<Ranked<RankFailure>> failed = finding.order().failed();
    if (failed.isEmpty()) {
      Ranked<RankPeak> highest = finding.balance().highest();
      return Sentence.of(
          "No rank failed: {} reserved the most, {} of the {} available to it.",
          highest.rank().label(),
          bytes(highest.found().reservedBytes()),
          bytes(answer.of(highest.rank()).tuning().maxBytes()));
    }
    Sentence all = count(answer.ranks().size(), "rank");
    if (finding.order().unknown().isPresent()) {
      return Sentence.of(
          "Out of memory on {} of {}; it is unknown which failed first: {}.",
          JobWords.ranks(failed.stream().map(Ranked::rank).toList()),
          all,
          finding.order().unknown().get().clause());
    }
    Rank first = failed.getFirst().rank();
    Sentence asked = asked(answer.of(first));
    if (answer.ranks().size() == 1) {
      return Sentence.of("Out of memory on {}: {}", first.label(), asked);
    }
    return failed.size() == 1
        ? Sentence.of("Out of memory on one of {}, {}: {}", all, first.label(), asked)
        : Sentence.of(
            "Out of memory on {} of {}, first on {}: {}",
            count(failed.size()),
            all,
            first.label(),
            asked);
  }

  /** Who asked for what, and why that failed. */
  private static Sentence asked(Row row) {
    String who = row.line() == null ? "the program" : FailureReport.oneLine(row.line());
    FailedRequest failure = row.failure();
    Sentence request =
        failure == null
            ? Sentence.of("{}'s request failed", who)
            : Sentence.of("{} asked for {}", who, bytes(failure.requestedBytes()));
    return row.why() == null
        ? Sentence.of("{}.", request)
        : Sentence.of("{}. {}: {}.", request, row.why().verdict().word(), row.why().headline());
  }

  private static void addFailures(JobAnswer<Row, Finding> answer, List<Sentence> details) {
    FailureOrder order = answer.finding().order();
    if (order.failed().size() < 2) {
      return;
    }
    if (order.unknown().isEmpty()) {
      Rank first = order.failed().get(0).rank();
      details.add(
          Sentence.of(
              "{} failed {} before {}{}.",
              JobWords.begin(first),
              nanos(order.leadNanos()),
              order.failed().get(1).rank().label(),
              first.host() == null
                  ? ", if both ran on one host: the recordings have the time of its clock"
                  : ""));
    }
    order.failed().stream()
        .skip(order.unknown().isEmpty() ? 1 : 0)
        .limit(FAILURES_SHOWN)
        .forEach(each ->
            details.add(
                Sentence.of("{}: {}", JobWords.begin(each.rank()), asked(answer.of(each.rank())))));
  }

  /** What changed copies of the tightest rank say of the setting for all. */
  private static void addCopies(JobAnswer<Row, Finding> answer, List<Sentence> details) {
    JobSetting best = answer.finding().tuning().best();
    List<Rank> withFailures = new ArrayList<>();
    int copies = 0;
    int failed = 0;
    for (Map.Entry<Rank, SettingTrial> each : answer.finding().trials().entrySet()) {
      copies += each.getValue().copies();
      failed += each.getValue().failedCopies();
      if (each.getValue().failedCopies() > 0) {
        withFailures.add(each.getKey());
      }
    }
    if (copies > 0 && best.passes()) {
      details.add(
          Sentence.of(
              "{} of {} perturbed copies of the ranks' programs fail with it (sizes changed by up"
                  + " to 2 %, neighbours swapped){}.",
              failed == 0 ? "None" : count(failed),
              count(copies),
              withFailures.isEmpty() ? "" : ", on " + JobWords.ranks(withFailures)));
    }
  }

  private static void addMissing(JobAnswer<Row, Finding> answer, List<Sentence> details) {
    answer.ranks().stream()
        .filter(each -> each.found().missingBytes() != null)
        .max(Comparator.comparingLong(each -> missing(each.found())))
        .ifPresent(each ->
            details.add(
                Sentence.of(
                    "{} needs {} more with the best of the usual settings.",
                    JobWords.begin(each.rank()),
                    bytes(missing(each.found())))));
  }

  private static long missing(Row row) {
    Long bytes = row.missingBytes();
    return bytes == null ? 0 : bytes;
  }

  private static void addLeaks(JobAnswer<Row, Finding> answer, List<Sentence> details) {
    List<Rank> leaking =
        answer.ranks().stream().filter(each -> each.found().isLeak()).map(Ranked::rank).toList();
    if (!leaking.isEmpty()) {
      details.add(
          Sentence.of(
              "Memory grows from step to step on {}; {} shows what grows.",
              JobWords.ranks(leaking),
              answer.next(leaking.getFirst()).line("leaks")));
    }
  }

  private static Sentence gpus(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    String recorded = finding.recordedGpu().map(DeviceProfile::name).orElse("none");
    if (finding.trials().isEmpty()) {
      return Sentence.of(
          "Smallest GPU that fits every recorded request of every rank with the recorded settings:"
              + " {}.",
          recorded);
    }
    String best = finding.bestGpu().map(DeviceProfile::name).orElse("none known");
    return best.equals(recorded)
        ? Sentence.of("Smallest GPU that fits every recorded request of every rank: {}.", best)
        : Sentence.of(
            "Smallest GPU that fits every recorded request of every rank: {}; with the recorded"
                + " settings: {}.",
            best,
            recorded);
  }

  private static Sentence next(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    Rank rank =
        finding.order().failed().isEmpty()
            ? finding.balance().highest().rank()
            : finding.order().failed().getFirst().rank();
    return Sentence.of(
        "Next: {} shows which lines of {} hold the memory.",
        answer.next(rank).line("diagnose"),
        rank.label());
  }

  @Override
  List<Block> blocks(JobAnswer<Row, Finding> answer) {
    return List.of(
        SettingsPart.table(
            answer.finding().tuning(),
            SETTINGS_ON_PAPER,
            answer.next().line("tune") + " shows all"));
  }

  @Override
  boolean holds(Finding finding) {
    return finding.tuning().best().passes();
  }
}
