package org.allocsim.reports.answer.idle;

import static org.allocsim.reports.document.Quantity.nanos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.idle.CauseSum;
import org.allocsim.analysis.idle.Gap;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.StepTime;
import org.allocsim.analysis.idle.join.JoinedMemory;
import org.allocsim.analysis.idle.join.StepCalls;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.replay.Prediction;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.stats.ByteFormat;
import org.jspecify.annotations.Nullable;

/**
 * Why a GPU is idle, and what would change it.
 *
 * @param result where the time went
 * @param recorded the replay of the recording as it is
 * @param unprofiled the same without the profiler
 * @param replayErrorNanos the largest difference between the recording and its replay
 * @param predictions steps under changes, the best first
 * @param modelledMemory what the model of the allocator has for the recording; null where the
 *     profile has no memory events
 * @param unreadMemory why its requests cannot be run again; null where they can, or there are none
 * @param loader what can be said of other numbers of workers
 * @param joined what a memory snapshot of the same run says; null where none was given
 */
public record IdleAnswer(
    IdleResult result,
    Prediction recorded,
    Prediction unprofiled,
    long replayErrorNanos,
    List<Prediction> predictions,
    @Nullable MemoryPeak modelledMemory,
    @Nullable String unreadMemory,
    WhatIf.Loader loader,
    @Nullable JoinedMemory joined) {
  private static final int PLACES = 8;
  private static final int GAPS = 5;
  private static final int STEPS = 5;

  /** A time and the whole that it is part of. */
  private record Part(long nanos, long whole) {
    Double ratio() {
      return whole == 0 ? 0 : (double) nanos / whole;
    }
  }

  /** A step, and the most memory in it. */
  private record Step(StepTime time, @Nullable MemoryPeak memory) {
    @Nullable Long reservedBytes() {
      return memory == null ? null : memory.reservedBytes();
    }

    @Nullable Long allocatedBytes() {
      return memory == null ? null : memory.allocatedBytes();
    }
  }

  private static final String NO_MEMORY = "the profile has no memory events";

  private static final Shape<Step> STEP =
      Shape.of(step ->
          step.text("name", "step", "Name of the step.", each -> each.time.name())
              .nanos(
                  "step_nanos",
                  "length",
                  "Length of the step on the GPU.",
                  each -> each.time.nanos())
              .nanos(
                  "compute_nanos",
                  "computes",
                  "The GPU runs kernels, whatever else it does.",
                  each -> each.time.computeNanos())
              .nanos(
                  "communicate_nanos",
                  "communicates",
                  "The GPU runs collectives, and no other kernels.",
                  each -> each.time.communicateNanos())
              .rank(2)
              .nanos(
                  "copy_nanos",
                  "copies",
                  "The GPU copies or fills memory, and runs no kernels.",
                  each -> each.time.copyNanos())
              .rank(1)
              .nanos("idle_nanos", "idle", "The GPU does nothing.", each -> each.time.idleNanos())
              .shown(
                  Unit.RATIO,
                  "idle share",
                  "Idle time in parts of the step.",
                  each -> new Part(each.time.idleNanos(), each.time.nanos()).ratio())
              .bytes(
                  "peak_allocated_bytes",
                  "Most memory in blocks that the program held.",
                  Step::allocatedBytes)
              .missing(NO_MEMORY)
              .bytes(
                  "peak_reserved_bytes",
                  "peak reserved",
                  "Most memory in segments that the allocator held.",
                  Step::reservedBytes)
              .missing(NO_MEMORY)
              .optional()
              .rank(3));

  private static final String NO_SNAPSHOT = "no snapshot was given (--memory)";

  private static final Shape<StepCalls> CALLS =
      Shape.of(calls ->
          calls
              .text("name", "step", "Name of the step.", StepCalls::step)
              .count(
                  "allocations",
                  "segments got",
                  "Segments, and runs of pages of expandable segments, that the allocator got.",
                  StepCalls::allocations)
              .bytes("allocated_bytes", "bytes got", "Their bytes.", StepCalls::allocatedBytes)
              .count(
                  "frees", "freed", "Segments and runs of pages that it freed.", StepCalls::frees)
              .bytes("freed_bytes", "bytes freed", "Their bytes.", StepCalls::freedBytes)
              .count(
                  "retries",
                  "retries",
                  "How often it freed segments to serve a request.",
                  StepCalls::retries));

  private record Sum(CauseSum sum, IdleResult result) {}

  private static final Shape<Sum> CAUSE =
      Shape.of(cause ->
          cause
              .text(
                  "cause", "idle because of", "Why the GPU is idle.", each -> each.sum.cause().id())
              .worded(each -> each.sum.cause().words())
              .text(
                  "where",
                  "where",
                  "The program's line, or the operator or call; empty if unknown.",
                  each -> each.sum.where())
              .nanos(
                  "idle_nanos", "in each step", "Idle time of all steps.", each -> each.sum.nanos())
              .worded(each -> Numbers.duration(each.sum.nanos() / each.result.steps().size()))
              .ratio(
                  "idle_ratio",
                  "of the step",
                  "Idle time in parts of the steps.",
                  each -> new Part(each.sum.nanos(), each.result.total().nanos()).ratio())
              .count("gaps", "gaps", "Number of gaps.", each -> each.sum.gaps())
              .rank(1));

  private static final Shape<Gap> GAP =
      Shape.of(gap ->
          gap.text("cause", "idle because of", "Why the GPU is idle.", each -> each.cause().id())
              .worded(each -> each.cause().words())
              .text(
                  "where",
                  "where",
                  "The program's line, or the operator or call; empty if unknown.",
                  Gap::where)
              .count("step", "Index of the step in which the gap begins.", Gap::step)
              .nanos("begin_nanos", "begins at", "Time from the first row.", Gap::beginNanos)
              .nanos("idle_nanos", "length", "Length of the gap.", Gap::nanos));

  private static final String OUT_OF_MEMORY = "the program runs out of memory";
  private static final String UNKNOWN_PEAK = "it is not known";

  private record Row(String what, Prediction prediction, Prediction compared) {
    String reserved() {
      return prediction.memory() == null
          ? "not known"
          : ByteFormat.human(prediction.memory().reservedBytes())
              + (fails() ? ", out of memory" : "");
    }

    boolean fails() {
      return prediction.failures() > 0;
    }

    @Nullable Long stepNanos() {
      return fails() ? null : prediction.stepNanos();
    }

    @Nullable Double utilization() {
      return fails() ? null : prediction.utilisation();
    }

    @Nullable Double gain() {
      if (fails()) {
        return null;
      }
      return compared.stepNanos() == 0
          ? 0
          : 1 - prediction.stepNanos() / prediction.change().batch() / compared.stepNanos();
    }
  }

  private static final Shape<Row> PREDICTION =
      Shape.of(prediction ->
          prediction
              .text("change", "change", "What is changed, as --what-if takes it.", Row::what)
              .nanos(
                  "step_nanos",
                  "step without profiler",
                  "Predicted mean length of a step without the profiler.",
                  Row::stepNanos)
              .missing(OUT_OF_MEMORY)
              .ratio(
                  "saved_ratio",
                  "saves",
                  "Fraction of the unchanged step that is saved, of another batch for the same"
                      + " number of samples; negative if it gets longer.",
                  Row::gain)
              .missing(OUT_OF_MEMORY)
              .ratio(
                  "utilization_ratio",
                  "GPU busy",
                  "Part of the step in which the GPU does something.",
                  Row::utilization)
              .missing(OUT_OF_MEMORY)
              .bytes(
                  "peak_allocated_bytes",
                  "Most memory in blocks that the program holds.",
                  each ->
                      each.prediction.memory() == null
                          ? null
                          : each.prediction.memory().allocatedBytes())
              .missing(UNKNOWN_PEAK)
              .bytes(
                  "peak_reserved_bytes",
                  "peak reserved",
                  "Most memory in segments that the allocator holds, in the whole profile.",
                  each ->
                      each.prediction.memory() == null
                          ? null
                          : each.prediction.memory().reservedBytes())
              .missing(UNKNOWN_PEAK)
              .optional()
              .worded(Row::reserved)
              .count(
                  "failed_requests",
                  "Requests for memory that fail, if the program continues after the first.",
                  each -> each.prediction.failures()));

  public static final Kind<IdleAnswer> KIND =
      new Kind<>(
          "idle",
          "idle --json",
          "What `allocsim idle --json` writes for one profile: why the GPU is idle, and what would"
              + " change it.",
          Shape.of(answer ->
              answer
                  .term(Columns.FILE, each -> each.result.source().file())
                  .term(Columns.SHA256, each -> each.result.source().sha256())
                  .text("gpu", "Name of the first GPU.", each -> each.result.source().gpuName())
                  .missing("the profile has none")
                  .count("gpu_index", "Index of the GPU.", each -> each.result.device())
                  .count(
                      "rank",
                      "Rank of the process.",
                      each -> each.result.source().rank() < 0 ? null : each.result.source().rank())
                  .missing("the profile is not of a job")
                  .count(
                      "damaged_rows",
                      "Rows without a time that were passed over.",
                      each -> each.result.source().damagedRows())
                  .one("total", "All steps together.", STEP, IdleAnswer::total)
                  .many("steps", "One entry for each step.", STEP, IdleAnswer::steps)
                  .many(
                      "causes",
                      "Idle time by cause and place, the longest first; adds up to that of all"
                          + " steps.",
                      CAUSE,
                      IdleAnswer::sums)
                  .many("gaps", "The longest gaps, at most 1,000.", GAP, each -> each.result.gaps())
                  .count("gap_count", "Number of all gaps of 20 µs or more.", IdleAnswer::allGaps)
                  .nanos(
                      "recorded_step_nanos",
                      "Mean length of a step in the recording.",
                      each -> each.result.stepNanos())
                  .nanos(
                      "replay_error_nanos",
                      "The largest difference of a time between the recording and its replay.",
                      IdleAnswer::replayErrorNanos)
                  .bytes(
                      "modelled_peak_reserved_bytes",
                      "What the model of the allocator reserves at most for the recorded requests;"
                          + " predicted peaks are off by about as much as this is.",
                      each ->
                          each.modelledMemory == null ? null : each.modelledMemory.reservedBytes())
                  .missing(NO_MEMORY)
                  .text(
                      "memory_file",
                      "The memory snapshot of the same run.",
                      each -> each.joined == null ? null : each.joined.file())
                  .missing(NO_SNAPSHOT)
                  .text(
                      "memory_sha256",
                      "SHA-256 of the snapshot as stored, in hexadecimal.",
                      each -> each.joined == null ? null : each.joined.sha256())
                  .missing(NO_SNAPSHOT)
                  .count(
                      "matched_segments",
                      "Segments of the snapshot whose cudaMalloc or cudaFree the profile has.",
                      each -> each.joined == null ? null : each.joined.matchedSegments())
                  .missing(NO_SNAPSHOT)
                  .count(
                      "unmatched_segments",
                      "Segments of the snapshot for which the profile has no call.",
                      each -> each.joined == null ? null : each.joined.unmatchedSegments())
                  .missing(NO_SNAPSHOT)
                  .many(
                      "driver_calls",
                      "What the allocator asked of the driver in each step; empty without a"
                          + " snapshot.",
                      CALLS,
                      IdleAnswer::driverCalls)
                  .many(
                      "what_if",
                      "Predicted steps; the first entry is without changes.",
                      PREDICTION,
                      IdleAnswer::rows)));

  /** Keeps its own copy. */
  public IdleAnswer {
    predictions = List.copyOf(predictions);
  }

  private List<StepCalls> driverCalls() {
    return joined == null ? List.of() : joined.steps();
  }

  private Step total() {
    return new Step(
        result.total(), result.stepMemory().stream().reduce(MemoryPeak::highest).orElse(null));
  }

  private List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (int step = 0; step < result.steps().size(); step++) {
      steps.add(
          new Step(
              result.steps().get(step),
              result.stepMemory().isEmpty() ? null : result.stepMemory().get(step)));
    }
    return steps;
  }

  private List<Sum> sums() {
    return sums(result.causes());
  }

  private List<Sum> sums(List<CauseSum> causes) {
    return causes.stream().map(sum -> new Sum(sum, result)).toList();
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("no change", unprofiled, unprofiled));
    predictions.forEach(each -> rows.add(new Row(each.change().name(), each, unprofiled)));
    return rows;
  }

  /** One entry for each cause, at the place that has most of it. */
  List<CauseSum> byCause() {
    Map<Cause, CauseSum> causes = new EnumMap<>(Cause.class);
    for (CauseSum sum : result.causes()) {
      causes.merge(
          sum.cause(),
          sum,
          (most, more) ->
              new CauseSum(
                  most.cause(),
                  most.where(),
                  most.nanos() + more.nanos(),
                  most.gaps() + more.gaps()));
    }
    return causes.values().stream()
        .sorted(Comparator.comparingLong(CauseSum::nanos).reversed())
        .toList();
  }

  /** Gaps that are long enough to be looked at one by one. */
  long allGaps() {
    return result.causes().stream()
        .filter(each -> each.cause() != Cause.SHORT)
        .mapToLong(CauseSum::gaps)
        .sum();
  }

  /**
   * The answer.
   *
   * @param figures what a page shows; null where there is none
   */
  public Document<IdleAnswer> document(@Nullable IdleFigures figures) {
    List<Section> sections = new ArrayList<>();
    if (figures != null) {
      sections.add(new Section(null, List.copyOf(figures.ofStep())));
    }
    Step mean = new Step(result.total().over("mean", result.steps().size()), null);
    List<Step> times = new ArrayList<>(steps());
    times.add(mean);
    sections.add(
        new Section(
            "Why the GPU is idle",
            List.of(
                Table.of("Why the GPU is idle", CAUSE, sums(byCause()))
                    .first(PLACES, more("cause")))));
    List<Block> changes = new ArrayList<>();
    if (figures != null) {
      changes.add(figures.ofPredictions());
    }
    changes.add(Table.of("Predicted steps", PREDICTION, rows()));
    changes.add(new Notes(IdleNotes.ofPredictions(this)));
    sections.add(new Section("What would change it", changes));
    List<Block> places = new ArrayList<>();
    if (figures != null) {
      places.addAll(figures.ofAll());
    }
    places.add(Table.of("Places", CAUSE, sums()).first(PLACES, more("place")));
    places.add(
        Table.of("Steps", STEP, times)
            .keeping(each -> each.equals(mean) || times.indexOf(each) < STEPS, more("step"))
            .withEssential(mean::equals));
    if (!driverCalls().isEmpty()) {
      places.add(
          Table.of("The allocator and the driver", CALLS, driverCalls())
              .first(STEPS, more("step")));
    }
    places.add(Table.of("Longest gaps", GAP, result.gaps()).first(GAPS, more("gap")));
    places.add(new Notes(IdleNotes.ofProfile(this)));
    sections.add(new Section("Where and when", places));
    return new Document<>(
        KIND, result.source().file(), IdleVerdict.of(this), sections, tables(), this);
  }

  /** What is written as CSV. */
  private Map<String, Table<?>> tables() {
    Map<String, Table<?>> csv = new LinkedHashMap<>();
    csv.put("", Table.of("Causes", CAUSE, sums()));
    csv.put("-steps", Table.of("Steps", STEP, steps()));
    csv.put("-changes", Table.of("Predicted steps", PREDICTION, rows()));
    if (joined != null) {
      csv.put("-driver", Table.of("The allocator and the driver", CALLS, driverCalls()));
    }
    csv.put("-gaps", Table.of("Longest gaps", GAP, result.gaps()));
    return csv;
  }

  private static Table.More more(String noun) {
    return new Table.More(noun, "--json FILE has all");
  }
}
