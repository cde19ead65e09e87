package org.allocsim.reports.answer.replay;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.moment.MomentText;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.RecordingMaps;
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
import org.allocsim.reports.document.Verbatim;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.input.Addresses;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.jspecify.annotations.Nullable;

/**
 * What one policy made of one program.
 *
 * @param run the replay
 * @param addresses where addresses came from
 * @param remarks what is to be known first of how it came about
 * @param notes what the reader passed over, and what else is to be known
 * @param insertion calls that the program was replayed with and did not make; null for none
 * @param insertions number of these calls
 */
public record ReplayAnswer(
    ReplayRun run,
    Addresses addresses,
    List<Sentence> remarks,
    List<String> notes,
    @Nullable CacheInsertion insertion,
    int insertions) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MESSAGES_SHOWN = 3;
  private static final String NOT_PYTORCH = "the policy is not PyTorch's";

  private static final Shape<ReplayAnswer> TRACE =
      Shape.of(trace ->
          trace
              .embed(
                  Recorded.file(
                      each -> each.program().name(), each -> each.program().input().sha256()))
              .term(Columns.EVENTS, ReplayAnswer::events)
              .count(
                  "allocation_requests",
                  "Allocation requests in the trace.",
                  each -> each.result().requests())
              .embed(
                  Recorded.settings(
                      answer -> RecordingMaps.settings(answer.program().input().opened()))));

  private static final Shape<ReplayAnswer> INSERTED =
      Shape.of(inserted ->
          inserted
              .text("call", "The call.", _ -> "empty_cache")
              .text(
                  "place",
                  "Where it was inserted.",
                  each -> Objects.requireNonNull(each.insertion()).toString())
              .count("count", "Number of inserted calls.", ReplayAnswer::insertions));

  private static final Shape<FailedRequest> FAILED =
      Shape.of(failed ->
          failed
              .count(
                  "request_index",
                  "Index of the allocation request, from 0; -1 for memory from before the history.",
                  FailedRequest::requestIndex)
              .term(Columns.REQUESTED_BYTES, FailedRequest::requestedBytes)
              .bytes(
                  "reserved_bytes", "Reserved bytes at the failure.", FailedRequest::reservedBytes)
              .text("message", "PyTorch's message.", FailedRequest::message));

  private static final Shape<Part> PARTS =
      Shape.of(part ->
          part.text("part", "where reserved memory went", "A part of reserved memory.", Part::name)
              .bytes(
                  "at_peak_bytes",
                  "at the peak",
                  "At the peak of reserved memory; if it is reached more than once, when the"
                      + " most is allocated.",
                  Part::peakBytes)
              .ratio("at_peak_ratio", "", "The same as a fraction.", Part::peakShare)
              .missing("nothing was reserved")
              .bytes("at_end_bytes", "at the end", "After the last request.", Part::endBytes)
              .ratio("at_end_ratio", "", "The same as a fraction.", Part::endShare)
              .missing("nothing is reserved"));

  public static final Kind<ReplayAnswer> KIND =
      new Kind<>(
          "replay",
          "replay --json",
          "What `allocsim replay --json` writes: one policy on one trace.",
          Shape.of(answer ->
              answer
                  .one("trace", "The trace.", TRACE, each -> each)
                  .term(Columns.POLICY_ID, each -> each.run().choice().provider().spec().id())
                  .term(
                      Columns.TORCH_VERSION,
                      each -> each.run().config() == null ? null : each.version())
                  .missing(NOT_PYTORCH)
                  .term(
                      Columns.CONF,
                      each -> each.run().config() == null ? null : each.run().config().text())
                  .missing(NOT_PYTORCH)
                  .named(
                      Unit.TEXT,
                      "options",
                      "Policy options given.",
                      "Value of the option.",
                      each ->
                          each.run().config() == null ? each.run().choice().options() : Map.of())
                  .term(
                      Columns.DEVICE, each -> each.program().recordedConditions().profile().name())
                  .term(Columns.DEVICE_BYTES, ReplayAnswer::deviceBytes)
                  .term(Columns.DEVICE_INDEX, each -> each.program().input().device())
                  .term(Columns.ADDRESSES, each -> each.addresses().toString())
                  .one(
                      "inserted",
                      "Calls added by --insert.",
                      INSERTED,
                      each -> each.insertion() == null ? null : each)
                  .missing("--insert was not given")
                  .term(
                      Columns.LIMIT_BYTES,
                      each ->
                          each.hasLimit()
                              ? Long.valueOf(each.program().recordedConditions().limitBytes())
                              : null)
                  .missing("there is none")
                  .bytes(
                      "lower_bound_bytes",
                      "Peak of requested memory, including failed requests; no allocator can do"
                          + " with less.",
                      ReplayAnswer::neededBytes)
                  .named(
                      Unit.COUNT,
                      "stats",
                      "Counters, named as in torch.cuda.memory_stats().",
                      "A counter.",
                      each -> each.result().stats())
                  .one(
                      "fragmentation",
                      "Where reserved memory went.",
                      Fragmentation.SHAPE,
                      each -> each.run().fragmentation())
                  .many(
                      "failed_requests",
                      "Failed requests.",
                      FAILED,
                      each -> each.result().failures())
                  .named(
                      Unit.COUNT,
                      "driver_calls",
                      "CUDA driver calls, by function.",
                      "Number of calls.",
                      each ->
                          each.result().driverCallsByFunction().isEmpty()
                              ? null
                              : each.result().driverCallsByFunction())
                  .missing("none are counted")
                  .seconds(
                      "driver_seconds",
                      "Minimum duration of these calls.",
                      each ->
                          each.result().hasDriverTime()
                              ? each.result().driverNanos() / NANOS_PER_SECOND
                              : null)
                  .missing("the device was a recording")
                  .one("time", "Simulated time.", SimulatedTime.SHAPE, ReplayAnswer::time)
                  .missing("the replay has no times")
                  .embed(Recorded.inferences(ReplayAnswer::inferences))
                  .embed(Recorded.notes(ReplayAnswer::remarksAndNotes))
                  .seconds(
                      "wall_seconds",
                      "Wall time of the replay; the only key that differs between two equal runs.",
                      each -> each.result().seconds())));

  public Document<ReplayAnswer> document() {
    Table<Part> parts = Table.of("Where reserved memory went", PARTS, parts());
    List<Block> blocks = new ArrayList<>();
    result().failures().stream()
        .limit(MESSAGES_SHOWN)
        .map(ReplayAnswer::message)
        .forEach(blocks::add);
    if (result().failureCount() > MESSAGES_SHOWN) {
      blocks.add(
          paragraph(
              "{} failed; --json FILE has their messages.",
              count(result().failureCount() - MESSAGES_SHOWN, "more request")));
    }
    blocks.add(facts());
    blocks.add(new Verbatim(MemorySummary.format(run.stats(), program().input().device(), false)));
    blocks.add(parts);
    Fragmentation fragmentation = run.fragmentation();
    if (fragmentation.end().inactiveBytes() > 0) {
      blocks.add(
          paragraph(
              "At the end the largest cached block is {}: external fragmentation {}.",
              bytes(fragmentation.largestInactiveBlockBytes()),
              Numbers.percent(fragmentation.externalRatio())));
    }
    if (!result().driverCallsByFunction().isEmpty()) {
      blocks.add(paragraph("Driver calls: {}.", driverCalls()));
    }
    if (time() != null) {
      blocks.addAll(time().blocks());
    }
    blocks.add(Recorded.inferred(inferences()));
    blocks.add(Notes.of("notes", notes));
    return new Document<>(
        KIND,
        String.valueOf(Path.of(program().name()).getFileName()),
        verdict(),
        List.of(new Section(null, blocks)),
        parts,
        this);
  }

  private List<String> remarksAndNotes() {
    return Stream.concat(remarks.stream().map(Sentence::toString), notes.stream()).toList();
  }

  private static Notes paragraph(String pattern, Object... values) {
    return new Notes(null, List.of(Sentence.of(pattern, values)));
  }

  private Verdict verdict() {
    if (result().failureCount() == 0) {
      return new Verdict(
          Verdict.Tone.GOOD,
          Sentence.of(
              "Every request succeeds, with at most {} reserved.",
              bytes(result().peakReservedBytes())),
          next(NextCommand.of(program()).tune()));
    }
    FailedRequest first = result().failures().getFirst();
    return new Verdict(
        Verdict.Tone.BAD,
        Sentence.of(
            "Out of memory: {} asked for {}; {} of {} failed.",
            first.requestIndex() < 0
                ? "a request from before the history"
                : FirstFailure.named(first, result().setup().trace()),
            bytes(first.requestedBytes()),
            count(result().failureCount()),
            count(result().requests(), "allocation request")),
        next(NextCommand.of(program()).diagnose()));
  }

  /** The remarks, and what to do next; other policies have no settings that could be tried. */
  private List<Sentence> next(Sentence step) {
    List<Sentence> sentences = new ArrayList<>(remarks);
    if (Scenario.takesConf(run().choice().provider().spec())) {
      sentences.add(step);
    }
    return sentences;
  }

  private static Verbatim message(FailedRequest failed) {
    return new Verbatim(
        "%s failed, asking for %s:%n%s"
            .formatted(
                failed.requestIndex() < 0
                    ? "A request from before the history"
                    : "Request " + count(failed.requestIndex()),
                bytes(failed.requestedBytes()),
                failed.message()));
  }

  private Facts facts() {
    Facts facts =
        Facts.none()
            .and(
                "trace",
                "{}: {} of device {}",
                program().name(),
                Quantity.count(events(), "event"),
                program().input().device())
            .and("policy", "{}", policyLabel())
            .and(
                "device",
                "{}, {}, {}, addresses {}",
                program().recordedConditions().profile().name(),
                bytes(deviceBytes()),
                limit(program()),
                addresses);
    return insertion == null ? facts : facts.and("insert", "{}", insertion.note(insertions));
  }

  /** The limit of a replay in words. */
  static Sentence limit(Program program) {
    long limitBytes = program.recordedConditions().limitBytes();
    return limitBytes < 0
        ? Sentence.of("no limit")
        : Sentence.of("limit {}", exactBytes(limitBytes));
  }

  /** The policy with its settings, in a line. */
  String policyLabel() {
    return run().config() == null
        ? run().choice().label()
        : Program.PYTORCH
            + " "
            + version()
            + ", PYTORCH_CUDA_ALLOC_CONF=\""
            + run().config().text()
            + "\"";
  }

  private String driverCalls() {
    String made =
        result().driverCallsByFunction().entrySet().stream()
            .filter(call -> call.getValue() > 0)
            .map(call -> Numbers.count(call.getValue()) + " " + call.getKey())
            .collect(Collectors.joining(", "));
    return (made.isEmpty() ? "none" : made)
        + (result().hasDriverTime()
            ? "; they take at least " + Numbers.seconds(result().driverNanos())
            : "");
  }

  private List<Part> parts() {
    Fragmentation.Moment peak = run.fragmentation().peak();
    Fragmentation.Moment end = run.fragmentation().end();
    List<Part> parts = new ArrayList<>();
    MomentText.PartRow rows =
        (name, first, second) ->
            parts.add(new Part(name, first, peak.reservedBytes(), second, end.reservedBytes()));
    rows.row("requested by the program", peak.heldRequestedBytes(), end.heldRequestedBytes());
    rows.row("+ lost to rounding", peak.heldRoundingBytes(), end.heldRoundingBytes());
    rows.row("= allocated", peak.allocatedBytes(), end.allocatedBytes());
    MomentText.forEachPart(peak.slack(), end.slack(), "other streams", rows);
    rows.row("= reserved", peak.reservedBytes(), end.reservedBytes());
    return parts;
  }

  private record Part(
      String name, long peakBytes, long peakWholeBytes, long endBytes, long endWholeBytes) {
    private double peakShare() {
      return (double) peakBytes / peakWholeBytes;
    }

    private double endShare() {
      return (double) endBytes / endWholeBytes;
    }
  }

  Program program() {
    return run.program();
  }

  /** What came of it. */
  public RunResult result() {
    return run.result();
  }

  /** What happened in simulated time; null where the replay had none. */
  public @Nullable SimulatedTime time() {
    return result().time() == null
        ? null
        : new SimulatedTime(result().time(), program().input().trace());
  }

  /** What the program holds at its peak, requests that fail included. */
  long neededBytes() {
    return Demand.of(program().input().trace(), program().input().device(), AllocatorConfig.DEFAULT)
        .peakRequestedBytes();
  }

  boolean hasLimit() {
    return program().recordedConditions().limitBytes() >= 0;
  }

  long deviceBytes() {
    return program().recordedConditions().profile().totalBytes();
  }

  private long events() {
    return program()
        .input()
        .recording()
        .map(recording -> (long) recording.effects(program().input().device()).count())
        .orElse(result().events());
  }

  private @Nullable String version() {
    return run().config() == null ? null : program().release().id();
  }

  private List<Inference> inferences() {
    return program()
        .input()
        .recording()
        .map(recording -> recording.inferences(program().input().device()))
        .orElse(List.of());
  }
}
