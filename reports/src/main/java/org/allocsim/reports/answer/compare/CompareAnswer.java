package org.allocsim.reports.answer.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.moment.ReservedParts;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.part.Bins;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.ConditionsPart;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.PolicyGroups;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.chart.comparison.DriverTimeChart;
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
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.HostActivity;
import org.allocsim.simulator.timing.TimeResult;
import org.jspecify.annotations.Nullable;

/**
 * What many policies made of one or more traces.
 *
 * @param traces the traces in their order
 */
public record CompareAnswer(List<ComparedTrace> traces) {
  private static final double NANOS_PER_SECOND = 1e9;

  private static final Shape<ReservedParts> PARTS =
      Shape.of(parts ->
          parts
              .term(Columns.REQUESTED_BYTES, ReservedParts::requestedBytes)
              .bytes("rounding_bytes", "Lost to rounding.", ReservedParts::roundingBytes)
              .bytes(
                  "pending_free_bytes",
                  "Freed blocks still in use on other streams.",
                  ReservedParts::awaitingBytes)
              .bytes(
                  "inactive_split_bytes",
                  "Free parts of segments in use.",
                  ReservedParts::stuckBytes)
              .bytes(
                  "releasable_bytes",
                  "Entirely free segments and pages.",
                  ReservedParts::releasableBytes)
              .bytes(
                  "other_streams_bytes",
                  "Cached for other streams.",
                  ReservedParts::otherStreamsBytes)
              .bytes(
                  "private_pools_bytes", "Free in private pools.", ReservedParts::privatePoolsBytes)
              .bytes(
                  "preallocated_bytes",
                  "Allocated from the device before it was needed.",
                  ReservedParts::inAdvanceBytes));

  /** The pool of {@code backend:cudaMallocAsync}. */
  private static final String DRIVER_POOL = "cuda-async";

  private static final Shape<RunResult> FIGURES =
      Shape.of(result ->
          result
              .term(Columns.PEAK_RESERVED_BYTES, "peak reserved", RunResult::peakReservedBytes)
              .term(Columns.PEAK_ALLOCATED_BYTES, "peak allocated", RunResult::peakAllocatedBytes)
              .rank(1)
              .ratio(
                  "utilization_ratio",
                  "utilisation",
                  "Peak of allocated memory divided by peak of reserved memory.",
                  RunResult::utilisation)
              .rank(2)
              .missing("nothing was reserved")
              .term(Columns.PEAK_REQUESTED_BYTES, "peak requested", RunResult::peakRequestedBytes)
              .rank(10)
              .bytes(
                  "peak_device_bytes",
                  "Peak memory allocated from the device, in whole pages.",
                  RunResult::peakDeviceBytes)
              .bytes(
                  "rounding_at_peak_bytes",
                  "rounding",
                  "Lost to rounding inside blocks in use at the reserved peak.",
                  each -> each.atPeak().internalBytes())
              .rank(7)
              .bytes(
                  "slack_at_peak_bytes",
                  "cached",
                  "Reserved but unused at the reserved peak.",
                  each -> each.atPeak().externalBytes())
              .rank(6)
              .term(Columns.DRIVER_CALLS, "driver calls", RunResult::driverCalls)
              .rank(8)
              .seconds(
                  "driver_seconds",
                  "in driver",
                  "Minimum duration of these calls, modelled.",
                  each -> each.driverNanos() / NANOS_PER_SECOND)
              .rank(4)
              .named(
                  Unit.SECONDS,
                  "driver_seconds_by_call",
                  "Time in the driver by call, and time the allocator waits for the GPU.",
                  "Seconds in this call.",
                  CompareAnswer::secondsByCall)
              .count("requests", "Requests of all kinds.", RunResult::events)
              .term(Columns.WALL_SECONDS, RunResult::seconds)
              .rate(
                  "requests_per_second",
                  "replay speed",
                  "Requests per second of replay time.",
                  RunResult::eventsPerSecond)
              .rank(9)
              .seconds(
                  "simulated_seconds",
                  "simulated time",
                  "Simulated time of the program.",
                  each -> inTime(each, time -> time.endNanos() / NANOS_PER_SECOND))
              .rank(3)
              .optional()
              .missing("the trace has no times")
              .ratio(
                  "gpu_utilization_ratio",
                  "GPU busy",
                  "Fraction of simulated time in which the GPU computes.",
                  each -> inTime(each, TimeResult::utilisation))
              .rank(5)
              .optional()
              .missing("the trace has no times")
              .ratio(
                  "gpu_to_device_ratio",
                  "Fraction of simulated time with copies to the GPU.",
                  each -> inTime(each, time -> share(time.toDevice(), time)))
              .missing("the trace has no times")
              .ratio(
                  "gpu_to_host_ratio",
                  "Fraction of simulated time with copies from the GPU.",
                  each -> inTime(each, time -> share(time.toHost(), time)))
              .missing("the trace has no times")
              .term(Columns.FAILED_REQUESTS, "out of memory", RunResult::failureCount)
              .worded(CompareAnswer::outOfMemory)
              .embed(FirstFailure.of(CompareAnswer::first), each -> each));

  private static final Shape<RunResult> RUNS =
      Shape.of(result ->
          result
              .term(Columns.POLICY_ID, "policy", each -> each.choice().provider().spec().id())
              .worded(each -> each.choice().label())
              .named(
                  Unit.TEXT,
                  "options",
                  "Policy options given.",
                  "Value of the option.",
                  each -> each.choice().options())
              .text(
                  "kind",
                  "What the policy knows: online (past requests), offline (all requests) or bound.",
                  each ->
                      each.choice().provider().spec().kind().toString().toLowerCase(Locale.ROOT))
              .embed(PolicyGroups.SHAPE, each -> each.choice().provider().spec())
              .term(Columns.NOT_RUN_BECAUSE, RunResult::notRunBecause)
              .missing("it ran")
              .where(RunResult::isRun, "the policy did not run", FIGURES));

  /** A row: what a policy made of a trace. */
  static final Shape<ObservedRun> RESULTS =
      Shape.of(row ->
          row.embed(RUNS, ObservedRun::result)
              .one(
                  "reserved_at_peak",
                  "Breakdown of reserved memory at its peak.",
                  PARTS,
                  run -> run.parts().orElse(null))
              .missing("the policy did not run"));

  private static final Shape<ComparedTrace> FILE =
      Shape.of(trace ->
          trace
              .embed(Recorded.file(ComparedTrace::file, ComparedTrace::sha256))
              .term(Columns.DEVICE_INDEX, ComparedTrace::device));

  /** The answer as JSON. */
  public static final Kind<CompareAnswer> KIND = kind(RESULTS);

  /** The answer with its columns. */
  public Document<CompareAnswer> document() {
    return document(RESULTS);
  }

  /** The answer, whose rows have these columns. */
  Document<CompareAnswer> document(Shape<ObservedRun> results) {
    return new Document<>(kind(results), title(), verdict(), sections(results), csv(results), this);
  }

  /** The JSON, whose results have these columns. */
  static Kind<CompareAnswer> kind(Shape<ObservedRun> results) {
    Shape<ComparedTrace> trace =
        Shape.of(each ->
            each.embed(FILE, compared -> compared)
                .term(Columns.FORMAT, ComparedTrace::format)
                .term(Columns.REQUESTS, compared -> compared.trace().eventCount())
                .embed(ConditionsPart.SHAPE, ComparedTrace::recordedConditions)
                .texts(
                    "notes", "Notes on what the reader skipped or changed.", ComparedTrace::notes)
                .many(
                    "results",
                    "One entry per policy, by group; in each, first those without failures, by peak"
                        + " reserved memory.",
                    results,
                    ComparedTrace::runs)
                .many(
                    "sizes",
                    "Number of allocations by size.",
                    Bins.SIZES,
                    compared -> Bins.of(Histogram.ofSizes(compared.trace(), compared.device())))
                .many(
                    "lifetimes",
                    "Number of allocations by lifetime.",
                    Bins.LIFETIMES,
                    compared ->
                        Bins.of(Histogram.ofLifetimes(compared.trace(), compared.device()))));
    return new Kind<>(
        "compare",
        "compare --json",
        "What `allocsim compare --json` writes: several policies on one or more traces.",
        Shape.of(answer ->
            answer
                .count(
                    "policies_known", "Number of policies available.", _ -> Policies.all().size())
                .many("traces", "One entry per trace.", trace, CompareAnswer::traces)));
  }

  private String title() {
    String first = traces.getFirst().shortName();
    return traces.size() == 1 ? first : first + " and " + (traces.size() - 1) + " more";
  }

  /** Of the first trace; those of the others are facts after its own. */
  private Verdict verdict() {
    List<Sentence> others =
        traces.stream()
            .skip(1)
            .map(trace ->
                Sentence.of("{}: {}", trace.shortName(), CompareVerdict.of(this, trace).sentence()))
            .toList();
    return CompareVerdict.of(this, traces.getFirst()).with(others);
  }

  private List<Section> sections(Shape<ObservedRun> results) {
    List<Section> sections = new ArrayList<>();
    for (ComparedTrace trace : traces) {
      Table<ObservedRun> table =
          Table.of("Results", results, trace.runs())
              .leavingOut(CompareAnswer::whyLeftOut)
              .withEssential(CompareAnswer::isInPyTorch)
              .groupedBy(run ->
                  isOfSeveral(trace)
                      ? PolicyGroups.heading(spec(run.result()).use().group())
                      : null)
              .at("/traces/" + sections.size() + "/results");
      Notes how =
          new Notes(
              "how a PyTorch program switches",
              isOfSeveral(trace)
                  ? PolicyGroups.howToSwitch(
                      trace.results().stream().filter(RunResult::isRun).map(CompareAnswer::spec))
                  : List.of());
      sections.add(
          new Section(
              null,
              how.sentences().isEmpty()
                  ? List.<Block>of(facts(trace), table)
                  : List.<Block>of(facts(trace), table, how)));
    }
    return sections;
  }

  private static PolicySpec spec(RunResult result) {
    return result.choice().provider().spec();
  }

  /** Whether there is more than one allocator to choose from. */
  private static boolean isOfSeveral(ComparedTrace trace) {
    return trace.results().stream().map(each -> spec(each).id()).distinct().count() > 1;
  }

  /** Whether it is an allocator that PyTorch's own settings choose. */
  private static boolean isInPyTorch(ObservedRun run) {
    PolicySpec spec = spec(run.result());
    return Scenario.takesConf(spec) || spec.id().equals(DRIVER_POOL);
  }

  private static @Nullable String whyLeftOut(ObservedRun run) {
    RunResult result = run.result();
    return result.isRun() ? null : "not run: " + result.notRunBecause();
  }

  private Facts facts(ComparedTrace trace) {
    return ConditionsPart.facts(
        Facts.none()
            .and(
                "trace",
                "{} ({}): {} requests, device {}",
                trace.file(),
                trace.format(),
                Quantity.count(trace.trace().eventCount()),
                trace.device()),
        trace.recordedConditions());
  }

  private Table<?> csv(Shape<ObservedRun> results) {
    Shape<Row> columns = Shape.of(row -> row.embed(FILE, Row::trace).embed(results, Row::run));
    List<Row> rows =
        traces.stream()
            .flatMap(trace -> trace.runs().stream().map(run -> new Row(trace, run)))
            .toList();
    return Table.of("Results", columns, rows);
  }

  private record Row(ComparedTrace trace, ObservedRun run) {}

  /** Time that the allocator waits for the GPU; 0 where the run was not one in time. */
  public static long waitNanos(RunResult result) {
    return result.time() == null
        ? 0
        : result.time().activities().getOrDefault(HostActivity.ALLOCATOR_WAIT, 0L);
  }

  private static Map<String, Object> secondsByCall(RunResult result) {
    Map<String, Object> map = new LinkedHashMap<>();
    result
        .driverNanosByKind()
        .forEach((call, nanos) -> map.put(call.function(), nanos / NANOS_PER_SECOND));
    long waitNanos = waitNanos(result);
    if (waitNanos > 0) {
      map.put(DriverTimeChart.WAITING, waitNanos / NANOS_PER_SECOND);
    }
    return map;
  }

  private static @Nullable Double inTime(RunResult result, ToDoubleFunction<TimeResult> figure) {
    return result.time() == null ? null : Double.valueOf(figure.applyAsDouble(result.time()));
  }

  private static double share(BusyTimeline busy, TimeResult time) {
    return time.endNanos() == 0 ? 0 : (double) busy.totalNanos() / time.endNanos();
  }

  private static @Nullable FailedRequest first(RunResult result) {
    return result.failures().isEmpty() ? null : result.failures().getFirst();
  }

  private static Sentence outOfMemory(RunResult result) {
    Sentence first = FirstFailure.at(first(result));
    return result.failureCount() <= 1
        ? first
        : Sentence.of("{}, {} times", first, Quantity.count(result.failureCount()));
  }
}
