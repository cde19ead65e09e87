package org.allocsim.reports.answer.tuning;

import static org.allocsim.reports.document.Quantity.count;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedSet;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.ConfLint;
import org.allocsim.analysis.tuning.LintFinding;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.part.Bins;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.ConditionsPart;
import org.allocsim.reports.answer.part.Findings;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a search for settings found.
 *
 * @param file name of the trace as the user gave it
 * @param sha256 digest of the file's bytes, in hexadecimal; null for a program
 * @param events rows of the recorded history
 * @param deviceIndex index of the recorded device
 * @param version whose rules applied
 * @param platform where the program is to run
 * @param recordedConditions the simulated device and the allocator's own limit
 * @param next commands about the same
 * @param tuning the ranked settings
 * @param sizes of the program's allocations
 * @param lifetimes of the same
 * @param seconds wall time of the search
 */
public record TuneAnswer(
    String file,
    @Nullable String sha256,
    long events,
    int deviceIndex,
    PyTorchVersion version,
    Platform platform,
    RecordedConditions recordedConditions,
    NextCommand next,
    Tuning tuning,
    Histogram sizes,
    Histogram lifetimes,
    double seconds) {
  /** Rows of the table on paper, unless another number is asked for. */
  public static final int DEFAULT_TOP = 15;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final String NO_STEPS = "no complete step was replayed";

  private static final Shape<TuneAnswer> TRACE =
      Shape.of(trace ->
          trace
              .embed(Recorded.file(TuneAnswer::file, TuneAnswer::sha256))
              .term(Columns.DEVICE_INDEX, TuneAnswer::deviceIndex)
              .term(Columns.EVENTS, TuneAnswer::events));

  private static final Shape<Iterations> STEPS =
      Shape.of(steps ->
          steps
              .text(
                  "found_by",
                  "What delimits steps: marker, optimizer or period.",
                  each -> each.source().name().toLowerCase(Locale.ROOT))
              .text("name", "What starts a step, as text.", Iterations::name)
              .count("count", "Number of steps.", Iterations::count));

  /** A row: what a setting came to. */
  public static final Shape<Row> ROWS =
      Shape.of(row ->
          row.count("rank", "rank", "Rank of the setting; 1 is the recommended one.", Row::rank)
              .term(Columns.CONF, "setting", Row::conf)
              .worded(each -> Settings.name(each.conf()))
              .term(Columns.PASSES, "out of memory", each -> each.failure() == null)
              .worded(each -> FirstFailure.at(each.failure()))
              .embed(FirstFailure.of(Row::failure), each -> each)
              .text(
                  "first_failed_request_message",
                  "PyTorch's error message.",
                  each -> each.failure() == null ? null : each.failure().message())
              .missing("none failed")
              .term(
                  Columns.PEAK_RESERVED_BYTES,
                  "peak reserved",
                  each -> each.entry().result().peakReservedBytes())
              .term(
                  Columns.PEAK_ALLOCATED_BYTES, each -> each.entry().result().peakAllocatedBytes())
              .bytes(
                  "slack_at_peak_bytes",
                  "slack at peak",
                  "Reserved but not allocated at the reserved peak.",
                  each -> each.entry().result().slackAtPeakBytes())
              .rank(2)
              .term(
                  Columns.DRIVER_CALLS, "driver calls", each -> each.entry().result().driverCalls())
              .rank(4)
              .named(
                  Unit.COUNT,
                  "driver_calls_by_function",
                  "Driver calls by function.",
                  "Number of calls.",
                  each -> each.entry().result().driverCallsByFunction())
              .count(
                  "forced_synchronizations",
                  "forced syncs",
                  "Number of times the host had to wait for the device.",
                  each -> each.entry().result().forcedSynchronizations())
              .rank(5)
              .seconds(
                  "driver_seconds",
                  "driver time",
                  "Minimum duration of the driver calls.",
                  each -> each.entry().result().driverNanos() / NANOS_PER_SECOND)
              .rank(3)
              .count("steps", "Complete steps replayed.", each -> each.stepNanos().length)
              .nanos(
                  "step_mean_nanos",
                  "per step",
                  "Mean driver time per step.",
                  each -> each.step(each.entry().nanosPerStep()))
              .rank(1)
              .optional()
              .missing(NO_STEPS)
              .nanos(
                  "step_median_nanos",
                  "Median of the same.",
                  each -> each.step(each.stepNano(each.stepNanos().length / 2)))
              .missing(NO_STEPS)
              .nanos(
                  "step_max_nanos",
                  "Maximum of the same.",
                  each -> each.step(each.stepNano(each.stepNanos().length - 1)))
              .missing(NO_STEPS)
              .texts(
                  "remarks",
                  "note",
                  "Whether it is recommended, recorded or the same as the default, and kinds of"
                      + " findings.",
                  Row::remarks)
              .many(
                  "findings",
                  "Notes about the setting.",
                  Findings.SHAPE,
                  each -> each.entry().findings()));

  private static final Shape<Map.Entry<String, List<String>>> LEFT_OUT =
      Shape.of(group ->
          group
              .text("reason", "Why these settings were not tried.", Map.Entry::getKey)
              .texts("confs", "The settings.", Map.Entry::getValue));

  public static final Kind<TuneAnswer> KIND =
      new Kind<>(
          "tune",
          "tune --json",
          "What `allocsim tune --json` writes: settings of PyTorch's allocator, best first.",
          Shape.of(answer ->
              answer
                  .one("trace", "The recorded program.", TRACE, each -> each)
                  .term(Columns.TORCH_VERSION, each -> each.version().id())
                  .term(Columns.OS, each -> each.platform().label())
                  .embed(ConditionsPart.SHAPE, TuneAnswer::recordedConditions)
                  .term(
                      Columns.PEAK_REQUESTED_BYTES,
                      each -> each.tuning().demand().peakRequestedBytes())
                  .flag(
                      "can_fit",
                      "Whether the device has that much memory.",
                      each -> !each.tuning().isHopeless())
                  .one(
                      "steps",
                      "Steps of the program.",
                      STEPS,
                      each -> each.tuning().steps().orElse(null))
                  .missing("no steps were found")
                  .text(
                      "variable",
                      "Environment variable that takes the settings.",
                      each -> ConfLint.variable(each.version()))
                  .term(Columns.RECORDED_CONF, each -> each.tuning().recorded().conf())
                  .text(
                      "recommended_conf",
                      "Better settings.",
                      each -> each.tuning().recommended().map(Tuning.Entry::conf).orElse(null))
                  .missing("none is better")
                  .many(
                      "settings",
                      "One entry per setting, best first.",
                      ROWS,
                      each -> rows(each.tuning()))
                  .many(
                      "sizes",
                      "Number of allocations by size.",
                      Bins.SIZES,
                      each -> Bins.of(each.sizes()))
                  .many(
                      "lifetimes",
                      "Number of allocations by lifetime.",
                      Bins.LIFETIMES,
                      each -> Bins.of(each.lifetimes()))
                  .many(
                      "skipped",
                      "Settings not tried.",
                      LEFT_OUT,
                      each -> List.copyOf(each.tuning().leftOut().entrySet()))
                  .term(Columns.WALL_SECONDS_OF_SEARCH, TuneAnswer::seconds)));

  /**
   * The answer.
   *
   * @param top rows of the table on paper, 0 for all
   */
  public Document<TuneAnswer> document(int top) {
    Table<Row> table = table(tuning, top, "--top 0 shows all").at("/settings");
    List<Block> blocks = new ArrayList<>(List.of(facts(), table));
    blocks.add(new Notes(notes()));
    return new Document<>(
        KIND,
        String.valueOf(Path.of(file).getFileName()),
        new TuneVerdict(this).make(),
        List.of(new Section(null, blocks)),
        table,
        this);
  }

  /**
   * The settings by rank.
   *
   * @param top rows on paper, 0 for all; those of the best and the recorded settings and the
   *     default are always kept
   * @param remedy where all can be had
   */
  public static Table<Row> table(Tuning tuning, int top, String remedy) {
    return Table.of("Settings", ROWS, rows(tuning))
        .keeping(
            row -> top == 0 || row.rank() <= top || row.isLandmark(),
            new Table.More("setting", remedy))
        .withEssential(Row::isLandmark);
  }

  /** The settings by rank. */
  public static List<Row> rows(Tuning tuning) {
    List<Row> rows = new ArrayList<>();
    for (Tuning.Entry entry : tuning.ranked()) {
      rows.add(new Row(rows.size() + 1, entry, tuning));
    }
    // What sentences compare others with has a row of its own.
    tuning
        .fromSameStart()
        .ifPresent(entry -> {
          int place = tuning.ranked().indexOf(tuning.recorded());
          rows.add(place + 1, new Row(place + 1, entry, tuning));
        });
    return rows;
  }

  private Facts facts() {
    Facts facts =
        Facts.none()
            .and("trace", "{}: {} events of device {}", file, count(events), deviceIndex)
            .and("policy", "pytorch {} on {}", version.id(), platform.label());
    return ConditionsPart.facts(facts, recordedConditions)
        .and(
            "steps",
            "{}",
            tuning
                .steps()
                .map(steps -> Sentence.of("{}, by {}", count(steps.count()), steps.name()))
                .orElseGet(() -> Sentence.of("none found; driver time is for the whole program")));
  }

  private List<Sentence> notes() {
    SequencedSet<Sentence> notes = new LinkedHashSet<>();
    for (Tuning.Entry entry : tuning.ranked()) {
      for (LintFinding finding : entry.findings()) {
        notes.add(Sentence.of("{}: {}", finding.kind().label(), finding.message()));
      }
    }
    tuning
        .leftOut()
        .forEach((reason, confs) ->
            notes.add(
                Sentence.of(
                    "not tried: {}, because {}", Quantity.count(confs.size(), "setting"), reason)));
    return List.copyOf(notes);
  }

  /** A setting at its place. */
  public record Row(long rank, Tuning.Entry entry, Tuning tuning) {
    String conf() {
      return entry.conf();
    }

    /** The first request that failed; null where none did. */
    @Nullable FailedRequest failure() {
      return entry.result().firstFailure().orElse(null);
    }

    /** Ascending times of the driver in steps. */
    long[] stepNanos() {
      return entry.stepNanos().stream().mapToLong(Long::longValue).sorted().toArray();
    }

    private long stepNano(int place) {
      return stepNanos().length == 0 ? 0 : stepNanos()[place];
    }

    private @Nullable Long step(long nanos) {
      return stepNanos().length == 0 ? null : Long.valueOf(nanos);
    }

    private boolean isLandmark() {
      return is(tuning.recorded()) || is(tuning.plain()) || is(tuning.best());
    }

    private boolean is(Tuning.Entry other) {
      return conf().equals(other.conf());
    }

    private List<String> remarks() {
      List<String> remarks = new ArrayList<>();
      if (is(tuning.best()) && !is(tuning.recorded())) {
        remarks.add("recommended");
      }
      if (is(tuning.recorded())) {
        remarks.add(
            entry.equals(tuning.recorded())
                ? "recorded"
                : "recorded settings, from the same start as the others");
      }
      if (entry.sameAsPlain()) {
        remarks.add("same as default");
      }
      entry.findings().forEach(finding -> remarks.add(finding.kind().label()));
      return remarks;
    }
  }
}
