package org.allocsim.reports.answer.diagnosis;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;
import static org.allocsim.reports.document.Quantity.share;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.attribution.CategoryTotals;
import org.allocsim.analysis.diagnosis.Diagnosis;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.moment.CodeLine;
import org.allocsim.analysis.moment.Culprits;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.part.CategoryPart;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.ConditionsPart;
import org.allocsim.reports.answer.part.Cost;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.Keys;
import org.allocsim.reports.answer.part.Margin;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.RemedyHint;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.wing.IdleTime;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.workloads.format.kineto.KinetoFormat;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * What a diagnosis says of a recorded program.
 *
 * @param input the recording
 * @param version whose rules applied
 * @param recordedConditions the GPU and the allocator's own limit
 * @param next commands about the same
 * @param diagnosis what was found
 * @param attribution what its memory is for
 * @param idle why the GPU is idle; null where the file does not have the time of a GPU
 */
public record DiagnosedProgram(
    DeviceTrace input,
    PyTorchVersion version,
    RecordedConditions recordedConditions,
    NextCommand next,
    Diagnosis diagnosis,
    Attribution attribution,
    IdleTime.@Nullable Summary idle) {
  private static final int LINES_ON_PAPER = 8;
  private static final int SETTINGS_ON_PAPER = 3;
  private static final String NONE_FAILED = "no request failed";

  /** Part of the reserved memory from which on its use for other streams is told. */
  private static final double NOTEWORTHY = 0.05;

  private static final String NO_TIME = "the file does not have the time of a GPU";

  private static final String NO_GPU = "no known GPU is large enough";

  /** A part of allocated memory: a line of the program, or what has none. */
  private record Holder(Culprits.Line line, long allBytes) {
    private String inside() {
      return line.code().inside();
    }
  }

  private static final Shape<Holder> HOLDER =
      Shape.of(holder ->
          holder
              .term(Columns.ALLOCATED_BYTES, "allocated", each -> each.line().group().blockBytes())
              .shown(
                  Unit.RATIO,
                  "share",
                  "Fraction of allocated memory.",
                  each -> share(each.line().group().blockBytes(), each.allBytes()))
              .term(Columns.REQUESTED_BYTES, each -> each.line().group().requestedBytes())
              .term(Columns.BLOCKS, "blocks", each -> each.line().group().blocks())
              .rank(2)
              .text(
                  "line",
                  "line of the program",
                  "File, line and function in the program's own code; otherwise what is known.",
                  each -> each.line().code().text())
              .text(
                  "kind",
                  "What the line is: program, backward or library.",
                  each -> Keys.of(each.line().code().kind()))
              .text(
                  "inside",
                  "mostly inside",
                  "What that line called that holds the most: a library function, or an autograd"
                      + " node in the backward pass.",
                  Holder::inside)
              .rank(1)
              .optional());

  static final Shape<DiagnosedProgram> SHAPE =
      Shape.of(program ->
          program
              .embed(Recorded.file(each -> each.input().name(), each -> each.input().sha256()))
              .term(Columns.DEVICE_INDEX, each -> each.input().device())
              .term(Columns.EVENTS, each -> each.input().eventCount())
              .term(Columns.TORCH_VERSION, each -> each.version().id())
              .embed(ConditionsPart.SHAPE, DiagnosedProgram::recordedConditions)
              .embed(FirstFailure.of(DiagnosedProgram::failed))
              .text(
                  "first_failed_request_line",
                  "Program line that made the request.",
                  each -> each.diagnosis().askedAt().map(CodeLine::text).orElse(null))
              .missing("no request failed or no stack shows the line")
              .text(
                  "first_failed_request_verdict",
                  ExplainOomAnswer.VERDICT,
                  each -> each.diagnosis().why().map(why -> why.verdict().word()).orElse(null))
              .missing(NONE_FAILED)
              .flag(
                  "ends_with_failure",
                  "Whether it is the program's last request.",
                  each -> each.diagnosis().endsWithFailure())
              .bytes(
                  "allocated_bytes",
                  "Allocated bytes at the failure; at the peak if no request failed.",
                  each -> each.diagnosis().moment().bytes().allocatedBytes())
              .bytes(
                  "reserved_bytes",
                  "Reserved bytes at that moment.",
                  each -> each.diagnosis().moment().bytes().reservedBytes())
              .many("lines", "What holds the allocated memory.", HOLDER, DiagnosedProgram::holders)
              .many(
                  "categories",
                  "Allocated memory by category.",
                  CategoryPart.SHAPE,
                  each -> each.categories().rows())
              .term(Columns.RECORDED_CONF, each -> each.diagnosis().tuning().recorded().conf())
              .text(
                  "best_conf",
                  "Recommended settings; the recorded ones if none is better.",
                  each -> each.best().conf())
              .flag(
                  "best_passes",
                  "Whether every request succeeds with them.",
                  each -> each.best().result().passes())
              .bytes(
                  "headroom_bytes",
                  "Headroom they leave below the allocator's maximum.",
                  each -> each.best().result().passes() ? Long.valueOf(each.leftBytes()) : null)
              .missing("a request fails")
              .count(
                  "copies",
                  "Perturbed copies of the program replayed with them.",
                  each -> each.diagnosis().copies().map(all -> all.runs().size()).orElse(0))
              .count(
                  "copies_failed",
                  "Copies with a failed request.",
                  each -> each.diagnosis().copies().map(Fragility::failures).orElse(0))
              .term(
                  Columns.MISSING_BYTES,
                  each ->
                      each.diagnosis().missingBytes().isPresent()
                          ? Long.valueOf(each.diagnosis().missingBytes().getAsLong())
                          : null)
              .missing("every request succeeds or the limit is too small on every GPU")
              .text(
                  "smallest_gpu",
                  "The smallest known GPU for the recommended settings.",
                  each -> each.diagnosis().bestGpu().map(DeviceProfile::name).orElse(null))
              .missing(NO_GPU)
              .text(
                  "smallest_gpu_recorded",
                  "The same for the recorded settings.",
                  each -> each.diagnosis().recordedGpu().map(DeviceProfile::name).orElse(null))
              .missing(NO_GPU)
              .term(
                  Columns.LEAK_VERDICT,
                  each ->
                      each.diagnosis().leaks().map(found -> found.verdict().name()).orElse(null))
              .missing("the program has no steps")
              .ratio(
                  "gpu_idle_ratio",
                  "Part of the recorded steps in which the GPU does nothing.",
                  each -> each.idle() == null ? null : each.idle().idleRatio())
              .missing(NO_TIME)
              .text(
                  "gpu_idle_cause",
                  "The cause of most of it.",
                  each -> each.idle() == null ? null : each.idle().cause())
              .missing(NO_TIME)
              .many(
                  "settings",
                  "All settings tried, best first.",
                  TuneAnswer.ROWS,
                  each -> TuneAnswer.rows(each.diagnosis().tuning())));

  /**
   * Diagnoses a recorded program; of a long one fewer settings are tried, so that the answer takes
   * seconds.
   *
   * @param platform where the program is to run
   * @param rules the user's own categories
   * @param progress hears of settings that were tried and of copies
   */
  public static DiagnosedProgram of(
      Program program, Platform platform, CategoryRules rules, Tuning.Progress progress) {
    DeviceTrace input = program.input();
    TuningGrid grid =
        TuningGrid.of(program, platform, TuningGrid.quick(input.trace().eventCount()));
    Supplier<Attribution> attribution = ParallelTasks.beside(() -> Attribution.of(input, rules));
    Diagnosis diagnosis = Diagnosis.of(program, grid, platform, progress);
    return new DiagnosedProgram(
        input,
        program.release(),
        program.recordedConditions(),
        NextCommand.of(program).on(platform),
        diagnosis,
        attribution.get(),
        null);
  }

  /** What is held at the moment that the diagnosis is about. */
  public CategoryTotals categories() {
    return CategoryTotals.of(diagnosis.moment(), attribution);
  }

  private Tuning.Entry best() {
    return diagnosis.tuning().best();
  }

  private boolean isChange() {
    return !best().equals(diagnosis.tuning().recorded());
  }

  private long leftBytes() {
    return recordedConditions.maxBytes() - best().result().peakReservedBytes();
  }

  /** The first request that failed; null where none did. */
  private @Nullable FailedRequest failed() {
    return diagnosis.landmarks().firstFailure().orElse(null);
  }

  private List<Holder> holders() {
    long allBytes = diagnosis.culprits().allocated().blockBytes();
    return diagnosis.culprits().lines().stream().map(line -> new Holder(line, allBytes)).toList();
  }

  /** What happened, what helps, and how sure that is. */
  Verdict verdict() {
    boolean passes = best().result().passes();
    List<Sentence> details = new ArrayList<>();
    details.add(passes ? helps() : nothingHelps());
    // What limits the answer comes before what it costs.
    if (diagnosis.endsWithFailure()) {
      details.add(
          Sentence.of(
              "The recording ends at the failure; what the program would have requested next is"
                  + " unknown."));
    }
    addGrowth(details);
    if (isChange() && passes) {
      best().findings().forEach(finding -> details.add(Sentence.of("{}", finding.message())));
    }
    if (passes) {
      details.addAll(
          Margin.sentences(best().result(), recordedConditions, diagnosis.copies(), next));
      Margin.passedOver(diagnosis.tuning().recommendation()).ifPresent(details::add);
    }
    if (isChange() && passes) {
      details.add(Cost.sentence(best(), diagnosis.tuning().recorded()));
    }
    addHolder(details);
    addOtherStreams(details);
    details.add(gpus());
    details.add(more());
    if (idle != null) {
      details.add(idle(idle));
    } else if (input.format().equals(KinetoFormat.ID)) {
      details.add(
          Sentence.of(
              "If the profile has the GPU's kernels, {} shows why the GPU is idle.",
              next.line("idle")));
    }
    return new Verdict(
        failed() == null ? Tone.NEUTRAL : Tone.BAD,
        happened(),
        details,
        isChange() && passes ? Settings.paste(best().conf(), version) : null);
  }

  private Sentence idle(IdleTime.Summary time) {
    return Sentence.of(
        time.where().isEmpty()
            ? "The GPU is idle {} of each recorded step, mainly due to {} ({}{}); {} shows more."
            : "The GPU is idle {} of each recorded step, mainly due to {} ({}, {}); {} shows more.",
        Quantity.share(time.idleNanos(), time.nanos()),
        time.words(),
        time.where(),
        Quantity.share(time.causeNanos(), time.nanos()),
        next.line("idle"));
  }

  /** The same with why the GPU is idle. */
  public DiagnosedProgram with(IdleTime.Summary time) {
    return new DiagnosedProgram(
        input, version, recordedConditions, next, diagnosis, attribution, time);
  }

  private Sentence happened() {
    FailedRequest failed = failed();
    if (failed == null) {
      return Sentence.of(
          "No request failed: PyTorch reserved at most {} of the {} available to it.",
          bytes(diagnosis.tuning().recorded().result().peakReservedBytes()),
          bytes(recordedConditions.maxBytes()));
    }
    String who = diagnosis.askedAt().map(CodeLine::text).orElse("the program");
    return Sentence.of(
        "Out of memory: {} asked for {}. {}: {}.",
        FailureReport.oneLine(who),
        bytes(failed.requestedBytes()),
        diagnosis.why().orElseThrow().verdict().word(),
        diagnosis.why().orElseThrow().headline());
  }

  private Sentence helps() {
    Tuning tuning = diagnosis.tuning();
    String name = Settings.name(best().conf());
    long peakBytes = best().result().peakReservedBytes();
    if (failed() != null) {
      return Sentence.of(
          "{} would have saved the run{}: every recorded request succeeds, with at most {}"
              + " reserved.",
          name,
          Margin.isCertain(best().result(), recordedConditions)
              ? ""
              : Sentence.of(" if its limit was {} or more", bytes(peakBytes)),
          bytes(peakBytes));
    }
    return isChange()
        ? Sentence.of(
            "{} would reserve at most {} instead of {}{}.",
            name,
            bytes(peakBytes),
            bytes(tuning.before().peakReservedBytes()),
            tuning.fromSameStart().isPresent()
                ? ", both starting from the blocks in use when the recording begins"
                : "")
        : Sentence.of("No other safe setting lowers the peak by more than 2 %: keep {}.", name);
  }

  private Sentence nothingHelps() {
    Tuning tuning = diagnosis.tuning();
    Sentence less =
        diagnosis.missingBytes().isPresent()
            ? Sentence.of(
                "the best of the usual settings needs {} more",
                bytes(diagnosis.missingBytes().getAsLong()))
            : Sentence.of("its own limit is too small on every GPU");
    return tuning.isHopeless()
        ? Sentence.of(
            "No setting helps: the program needs {} at its peak, but the allocator can have only"
                + " {}; {}.",
            exactBytes(tuning.demand().peakRequestedBytes()),
            exactBytes(recordedConditions.maxBytes()),
            less)
        : Sentence.of(
            "None of {} helps, although the program needs only {} of {} at its peak; {}.",
            count(tuning.ranked().size(), "setting"),
            exactBytes(tuning.demand().peakRequestedBytes()),
            exactBytes(recordedConditions.maxBytes()),
            less);
  }

  private void addHolder(List<Sentence> details) {
    Culprits culprits = diagnosis.culprits();
    if (culprits.lines().isEmpty()) {
      details.add(
          Sentence.of(
              "The recording has no stacks; record with"
                  + " torch.cuda.memory._record_memory_history(stacks=\"python\") to see program"
                  + " lines."));
      return;
    }
    Culprits.Line first = culprits.lines().getFirst();
    details.add(
        Sentence.of(
            "Most memory is held by {}{}: {} ({} of allocated memory).",
            FailureReport.oneLine(first.code().text()),
            first.code().inside().isEmpty()
                ? ""
                : ", mostly inside " + FailureReport.oneLine(first.code().inside()),
            bytes(first.group().blockBytes()),
            share(first.group().blockBytes(), culprits.allocated().blockBytes())));
  }

  /** What is cached for other streams, which the one that asked cannot have. */
  private void addOtherStreams(List<Sentence> details) {
    SlackSplit slack = diagnosis.moment().slack();
    long otherBytes = slack.otherReleasableBytes() + slack.otherStuckBytes();
    long reservedBytes = diagnosis.moment().bytes().reservedBytes();
    if (otherBytes > reservedBytes * NOTEWORTHY) {
      details.add(
          Sentence.of(
              "{} ({} of reserved memory) is cached for other streams; a request can only use its"
                  + " own stream's cache.",
              bytes(otherBytes),
              share(otherBytes, reservedBytes)));
    }
  }

  private void addGrowth(List<Sentence> details) {
    diagnosis
        .leaks()
        .filter(found -> found.verdict().isHarmful())
        .ifPresent(found -> details.add(growth(found)));
  }

  private Sentence growth(LeakAnalysis found) {
    return Sentence.of(
        "{}: memory grows by {} per step over {}; {} shows what grows.",
        found.verdict(),
        bytes(Math.round(found.deciding().slope())),
        count(found.iterations().count(), "step"),
        next.line("leaks"));
  }

  private Sentence gpus() {
    String best = diagnosis.bestGpu().map(DeviceProfile::name).orElse("none known");
    String recorded = diagnosis.recordedGpu().map(DeviceProfile::name).orElse("none");
    return best.equals(recorded)
        ? Sentence.of("Smallest GPU that fits every recorded request: {}.", best)
        : Sentence.of(
            "Smallest GPU that fits every recorded request: {}; with the recorded settings: {}.",
            best,
            recorded);
  }

  /** The command that shows more. */
  private Sentence more() {
    if (!best().result().passes()) {
      return Sentence.of(
          "Next: {} shows what fills the memory at the failure.", next.line("blockers"));
    }
    return isChange()
        ? Sentence.of(
            "Next: {} plots the run with it.",
            next.line("replay", "--conf", best().conf(), "--report", "DIR"))
        : Sentence.of("Next: {} shows what fills the memory at its peak.", next.line("peak"));
  }

  Section section() {
    List<Block> blocks = new ArrayList<>();
    Facts facts =
        Facts.none()
            .and(
                "trace",
                "{}: {} events of device {}",
                input.name(),
                count(input.eventCount()),
                input.device())
            .and("policy", "pytorch {}", version.id());
    blocks.add(
        ConditionsPart.facts(facts, recordedConditions)
            .and(
                "memory",
                "{} reserved, {} allocated {}",
                bytes(diagnosis.moment().bytes().reservedBytes()),
                bytes(diagnosis.moment().bytes().allocatedBytes()),
                diagnosis.moment().kind().phrase()));
    if (!diagnosis.culprits().lines().isEmpty()) {
      blocks.add(
          Table.of("Lines that hold the memory", HOLDER, holders())
              .first(LINES_ON_PAPER, new Table.More("line", "--json FILE has all")));
    }
    blocks.add(CategoryPart.table(categories()));
    blocks.add(Notes.of(null, others()));
    RemedyHint.of(categories()).ifPresent(hint -> blocks.add(new Notes(null, List.of(hint))));
    blocks.add(
        TuneAnswer.table(diagnosis.tuning(), SETTINGS_ON_PAPER, next.line("tune") + " shows all")
            .at("/program/settings"));
    return new Section(null, blocks);
  }

  /** What no line holds. */
  private List<String> others() {
    List<String> others = new ArrayList<>();
    for (var group : List.of(diagnosis.culprits().before(), diagnosis.culprits().unknown())) {
      if (group.blocks() > 0 && !diagnosis.culprits().lines().isEmpty()) {
        others.add(
            Sentence.of(
                    "{} more in {}: {}.",
                    bytes(group.blockBytes()),
                    count(group.blocks(), "block"),
                    group.label())
                .toString());
      }
    }
    return others;
  }
}
