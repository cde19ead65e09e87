package org.allocsim.reports.answer.colocate;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.allocsim.analysis.colocate.SharedGpu;
import org.allocsim.analysis.colocate.SharedGpu.LimitRange;
import org.allocsim.analysis.colocate.SharedTimeline;
import org.allocsim.analysis.colocate.SharingProgram;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.SharedMemoryChart;
import org.allocsim.reports.chart.memory.SharedMemoryData;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.SharedResult;
import org.allocsim.simulator.run.SharedResult.FirstFailure;
import org.allocsim.simulator.run.SharedResult.Holding;
import org.allocsim.simulator.run.SharedResult.Moment;
import org.allocsim.simulator.run.SharedResult.TenantResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of several processes on one GPU.
 *
 * @param shared the programs and the GPU
 * @param result what came of them
 * @param limits how far the limit of each may be changed; empty where it was not asked
 * @param smallestBytes the smallest GPU on which all run, −1 for none; null where it was not asked
 * @param isRecordedClock whether the recordings' own clocks say which request comes when
 * @param seconds wall time of the simulation
 */
public record ColocateAnswer(
    SharedGpu shared,
    SharedResult result,
    List<LimitRange> limits,
    @Nullable Long smallestBytes,
    boolean isRecordedClock,
    double seconds) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String ALL_SERVED = "all requests succeed";

  /** What a process holds at a moment. */
  private record Held(SharingProgram program, Holding holding) {
    private long contextBytes() {
      return Math.min(holding.contextBytes(), program.contextBytes());
    }

    private long otherBytes() {
      return holding.contextBytes() - contextBytes();
    }

    /** Pages of the driver's own, and of small requests that are not full. */
    private long driverBytes() {
      return holding.takenBytes() - holding.reservedBytes();
    }
  }

  /** A process with what came of it. */
  private record Row(SharingProgram program, TenantResult result, @Nullable LimitRange limit) {
    private String outcome() {
      if (result.run() == null) {
        return "not enough memory for its context";
      }
      if (!result.run().isRun()) {
        return String.valueOf(result.run().notRunBecause());
      }
      return result.run().failureCount() == 0
          ? ALL_SERVED
          : result.run().failureCount() + " failed" + (result.stopped() ? ", then it exited" : "");
    }

    private @Nullable Long stat(String key) {
      return result.run() == null || !result.run().isRun() ? null : result.run().stat(key);
    }
  }

  private static final Shape<Held> HELD =
      Shape.of(row ->
          row.term(Columns.PROCESS, "process", each -> each.program().name())
              .bytes(
                  "context_bytes",
                  "context",
                  "CUDA context of the process; 0 if it is not running at that moment.",
                  Held::contextBytes)
              .bytes(
                  "other_bytes",
                  "other",
                  "Other memory of the process outside its allocator: NCCL, libraries, modules.",
                  Held::otherBytes)
              .rank(2)
              .bytes(
                  "allocated_bytes",
                  "in use",
                  "Blocks in use.",
                  each -> each.holding().allocatedBytes())
              .bytes(
                  "cached_bytes",
                  "cached",
                  "Cached by its allocator, not in use.",
                  each -> each.holding().cachedBytes())
              .bytes(
                  "driver_bytes",
                  "driver",
                  "Driver pages for streams and sub-page allocations.",
                  Held::driverBytes)
              .rank(1)
              .bytes("held_bytes", "all", "Total.", each -> each.holding().bytes()));

  private static final Shape<Row> ROWS =
      Shape.of(row ->
          row.term(Columns.PROCESS, "process", each -> each.program().name())
              .term(Columns.TRACE, each -> each.program().input().name())
              .term(Columns.POLICY, "allocator", each -> each.program().choice().label())
              .rank(3)
              .term(
                  Columns.LIMIT_BYTES,
                  "limit",
                  each -> each.program().limitBytes() < 0 ? null : each.program().limitBytes())
              .missing("none")
              .optional()
              .bytes(
                  "mps_headroom_bytes",
                  "MPS quota left",
                  "Memory left under its MPS client limit after context and libraries.",
                  each -> each.program().roomBytes() < 0 ? null : each.program().roomBytes())
              .missing("none")
              .optional()
              .seconds(
                  "start_seconds",
                  "starts",
                  "Start time.",
                  each -> each.program().startNanos() / NANOS_PER_SECOND)
              .worded(each -> seconds(each.program().startNanos()))
              .rank(2)
              .seconds(
                  "end_seconds",
                  "ends",
                  "Time of its last request.",
                  each -> each.result().endNanos() / NANOS_PER_SECOND)
              .worded(each -> seconds(each.result().endNanos()))
              .rank(2)
              .flag(
                  "exits",
                  "Whether the process then exits and releases everything.",
                  each -> each.program().exits() || each.result().stopped())
              .text("outcome", "outcome", "Whether its requests succeed.", Row::outcome)
              .term(
                  Columns.FAILED_REQUESTS,
                  each -> each.result().run() == null ? null : each.result().run().failureCount())
              .missing("there is not enough memory for its context")
              .count(
                  "retries",
                  "retries",
                  "Number of times its cache was released because the GPU was full.",
                  each -> each.stat("num_alloc_retries"))
              .missing("it did not run")
              .rank(1)
              .bytes(
                  "peak_bytes",
                  "peak",
                  "Peak memory of the process, including its context.",
                  each -> each.result().peakBytes())
              .bytes(
                  "min_limit_bytes",
                  "lowest limit",
                  "Lowest allocator limit that lets all processes run.",
                  each ->
                      each.limit() == null || each.limit().minBytes() < 0
                          ? null
                          : each.limit().minBytes())
              .missing("there is none, or --limits was not given")
              .optional()
              .bytes(
                  "max_limit_bytes",
                  "highest limit",
                  "Highest such limit.",
                  each ->
                      each.limit() == null || each.limit().maxBytes() < 0
                          ? null
                          : each.limit().maxBytes())
              .missing("no limit is needed, none helps, or --limits was not given")
              .optional()
              .many(
                  "at_end",
                  "Memory held after its last request.",
                  HELD,
                  each -> List.of(new Held(each.program(), each.result().left()))));

  private static final Shape<ColocateAnswer> FIRST =
      Shape.of(first ->
          first
              .text(
                  "process",
                  "Process that made the request.",
                  each -> each.failing().program().name())
              .seconds(
                  "at_seconds",
                  "Time of the request.",
                  each -> each.first().moment().nanos() / NANOS_PER_SECOND)
              .count(
                  "request",
                  "Index among the process's requests, from 0; -1 for memory from before the"
                      + " recording.",
                  each ->
                      each.first().request() == null ? null : each.first().request().requestIndex())
              .missing("there is not enough memory for the context")
              .bytes(
                  "requested_bytes",
                  "Bytes requested; the context size if the context does not fit.",
                  ColocateAnswer::failedBytes)
              .bytes("free_bytes", "Free at that time.", each -> each.free(each.first().moment()))
              .many(
                  "holdings",
                  "Memory of each process at that time.",
                  HELD,
                  each -> each.held(each.first().moment())));

  public static final Kind<ColocateAnswer> KIND =
      new Kind<>(
          "colocate",
          "colocate --json",
          "What `allocsim colocate --json` writes: several processes on one GPU.",
          Shape.of(answer ->
              answer
                  .term(Columns.DEVICE, each -> each.shared().gpu().name())
                  .term(Columns.TOTAL_OF_GPU, each -> each.result().totalBytes())
                  .flag(
                      "recorded_clock",
                      "Whether requests are ordered by the recordings' wall clocks.",
                      ColocateAnswer::isRecordedClock)
                  .term(Columns.PASSES, each -> each.result().passes())
                  .many("processes", "One entry per process.", ROWS, ColocateAnswer::rows)
                  .seconds(
                      "peak_seconds",
                      "Time of the first combined peak.",
                      each -> each.result().peak().nanos() / NANOS_PER_SECOND)
                  .bytes("peak_bytes", "Combined peak.", each -> each.result().peak().bytes())
                  .many(
                      "at_peak",
                      "Memory of each process at that" + " time.",
                      HELD,
                      each -> each.held(each.peak()))
                  .many(
                      "first_failure",
                      "First failure; empty if there is none.",
                      FIRST,
                      each -> each.result().first() == null ? List.of() : List.of(each))
                  .bytes(
                      "smallest_gpu_bytes",
                      "Size of the smallest GPU that fits all processes.",
                      each ->
                          each.smallestBytes() == null || each.smallestBytes() < 0
                              ? null
                              : each.smallestBytes())
                  .missing("there is none or it was not requested")
                  .term(Columns.WALL_SECONDS_OF_SIMULATION, ColocateAnswer::seconds)));

  /** Keeps its own copy. */
  public ColocateAnswer {
    limits = List.copyOf(limits);
  }

  private List<Row> rows() {
    return IntStream.range(0, shared.programs().size())
        .mapToObj(i ->
            new Row(
                shared.programs().get(i),
                result.tenants().get(i),
                limits.isEmpty() ? null : limits.get(i)))
        .toList();
  }

  private Moment peak() {
    return result.peak();
  }

  private List<Held> held(Moment moment) {
    return IntStream.range(0, moment.holdings().size())
        .mapToObj(i -> new Held(shared.programs().get(i), moment.holdings().get(i)))
        .toList();
  }

  private FirstFailure first() {
    return result.firstFailure().orElseThrow();
  }

  private Row failing() {
    return rows().get(first().tenant());
  }

  private long failedBytes() {
    return first().request() == null
        ? failing().program().fixedBytes()
        : first().request().requestedBytes();
  }

  private long free(Moment moment) {
    return result.totalBytes() - moment.bytes();
  }

  /** What the processes held over time, for a chart. */
  public SharedMemoryData memory(SharedTimeline timeline) {
    long endNanos = result.tenants().stream().mapToLong(TenantResult::endNanos).max().orElse(0);
    int stretches = (int) Math.min(SharedMemoryChart.STRETCHES, endNanos + 1);
    boolean isTimed = shared.programs().stream().anyMatch(ColocateAnswer::isTimed);
    double unit = isTimed ? NANOS_PER_SECOND : 1;
    SharedMemoryData.Failure failure =
        result.first() == null
            ? null
            : new SharedMemoryData.Failure(
                failing().program().name(),
                first().moment().nanos() / unit,
                (double) first().moment().bytes() + failedBytes());
    return new SharedMemoryData(
        shared.programs().stream().map(SharingProgram::name).toList(),
        shared.programs().stream().map(SharingProgram::fixedBytes).toList(),
        timeline.stretches(stretches, endNanos),
        (endNanos + 1) / unit,
        isTimed,
        result.totalBytes(),
        failure);
  }

  private static boolean isTimed(SharingProgram program) {
    AllocationTrace trace = program.input().trace();
    int first = trace.prologueCount();
    int last = trace.eventCount() - 1;
    return last > first && trace.timeNanos(last) > trace.timeNanos(first);
  }

  /** What the processes hold over time. */
  public JFreeChart chart(SharedMemoryData memory, ChartTheme theme) {
    return SharedMemoryChart.create(
        finding(),
        shared.gpu().name() + "; maximum combined memory in each interval",
        memory,
        theme);
  }

  /** The first part of the verdict, as a title. */
  private String finding() {
    return verdict().sentence().toString().replaceAll("(?s)[;:] .*|[.]$", "");
  }

  /** The same, with a chart of what the processes held where one is given. */
  public Document<ColocateAnswer> document(@Nullable SharedMemoryData memory) {
    Facts facts =
        Facts.none()
            .and("device", "{}, {}{}", shared.gpu().name(), bytes(result.totalBytes()), computed())
            .and(
                "order",
                "{}",
                isRecordedClock
                    ? "by the recordings' wall clocks"
                    : "by time since the start of each trace")
            .and(
                "after a failed request",
                "{}",
                shared.afterOom() == AfterOom.STOP
                    ? "the process exits and releases everything"
                    : "the process continues without it");
    Table<Row> table = Table.of("Processes", ROWS, rows()).at("/processes");
    List<Section> sections = new ArrayList<>();
    List<Block> blocks = new ArrayList<>(List.of(facts, table));
    if (memory != null) {
      blocks.add(
          PageChart.of(
              finding(),
              ChartSize.screen(SharedMemoryChart.WIDTH, SharedMemoryChart.HEIGHT),
              ChartSize.screen(SharedMemoryChart.NARROW_WIDTH, SharedMemoryChart.HEIGHT),
              (theme, _) -> chart(memory, theme)));
    }
    sections.add(new Section(null, blocks));
    if (result.first() != null) {
      sections.add(
          holdings("At the first failure", held(first().moment()), "/first_failure/0/holdings"));
    }
    sections.add(holdings("At the combined peak", held(peak()), "/at_peak"));
    sections.add(
        holdings(
            "After each process's last request",
            rows().stream().map(row -> new Held(row.program(), row.result().left())).toList(),
            null));
    sections.add(new Section(null, List.of(Notes.of(null, notes()))));
    return new Document<>(
        KIND,
        String.join(", ", shared.programs().stream().map(SharingProgram::name).toList()),
        verdict(),
        sections,
        table,
        this);
  }

  /** Whether the size of a slice is known, or computed. */
  private String computed() {
    return shared.gpu().source().startsWith("size computed")
        ? ", " + shared.gpu().source().substring("size ".length())
        : "";
  }

  private static Section holdings(String title, List<Held> held, @Nullable String pointer) {
    Table<Held> table = Table.of(title, HELD, held);
    return new Section(title, List.of(pointer == null ? table : table.at(pointer)));
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(
        "Requests arrive at their recorded times: contention between processes and driver delays"
            + " are not modelled.");
    notes.add(
        "Processes do not release memory for each other: a cache is emptied only when its own"
            + " allocator fails.");
    return notes;
  }

  private Verdict verdict() {
    List<Sentence> details = new ArrayList<>();
    if (result.first() != null && first().request() != null) {
      details.add(holders());
    }
    details.add(
        Sentence.of(
            "{} peak is {}, {} after the start.",
            shared.programs().size() == 1 ? "Its" : "Their combined",
            bytes(peak().bytes()),
            seconds(peak().nanos())));
    if (smallestBytes != null) {
      details.add(smallest(smallestBytes));
    }
    if (result.passes()) {
      return new Verdict(
          Tone.GOOD,
          Sentence.of(
              "{} on {}; {} of {} stays free.",
              shared.programs().size() == 1
                  ? "The process fits"
                  : Sentence.of("All {} processes fit", shared.programs().size()),
              shared.gpu().name(),
              bytes(free(peak())),
              bytes(result.totalBytes())),
          details);
    }
    return new Verdict(Tone.BAD, failure(), details);
  }

  private Sentence failure() {
    if (result.first() == null) {
      Row row = rows().stream().filter(each -> !each.result().passes()).findFirst().orElseThrow();
      return Sentence.of("{} does not run: {}.", row.program().name(), row.outcome());
    }
    String name = failing().program().name();
    String at = seconds(first().moment().nanos());
    FailedRequest request = first().request();
    if (request == null) {
      return Sentence.of(
          "{} fails first, {} after the start: its context and libraries need {}, but only {} is"
              + " free.",
          name,
          at,
          bytes(failedBytes()),
          bytes(free(first().moment())));
    }
    if (failing().program().roomBytes() >= 0 && free(first().moment()) >= failedBytes()) {
      return Sentence.of(
          "{} fails first, {} after the start: its MPS client limit leaves {}, too little for its"
              + " request {} for {}.",
          name,
          at,
          bytes(failing().program().roomBytes()),
          count(request.requestIndex()),
          bytes(request.requestedBytes()));
    }
    if (failing().program().limitBytes() >= 0
        && free(first().moment()) >= request.requestedBytes()) {
      return Sentence.of(
          "{} fails first, {} after the start: its own limit of {} is too small for its request {}"
              + " for {}.",
          name,
          at,
          bytes(failing().program().limitBytes()),
          count(request.requestIndex()),
          bytes(request.requestedBytes()));
    }
    return Sentence.of(
        "{} fails first, {} after the start: its request {} for {} failed with {} free.",
        name,
        at,
        count(request.requestIndex()),
        bytes(request.requestedBytes()),
        bytes(free(first().moment())));
  }

  /** Who holds the memory when the first request fails, the one that holds the most first. */
  private Sentence holders() {
    List<Held> held = new ArrayList<>(held(first().moment()));
    held.sort((a, b) -> Long.compare(b.holding().bytes(), a.holding().bytes()));
    StringBuilder pattern = new StringBuilder("At that moment ");
    List<Object> values = new ArrayList<>();
    for (Held each : held) {
      if (each.holding().bytes() > 0) {
        pattern.append(values.isEmpty() ? "" : "; ").append("{} holds {}, {} of it cached");
        values.addAll(
            List.of(
                each.program().name(),
                bytes(each.holding().bytes()),
                bytes(each.holding().cachedBytes())));
      }
    }
    return Sentence.of(pattern.append('.').toString(), values.toArray());
  }

  private static Sentence smallest(long smallestBytes) {
    if (smallestBytes < 0) {
      return Sentence.of("They fit on no GPU: one of their own limits is too small.");
    }
    List<DeviceProfile> gpus = SharedGpu.ofSize(smallestBytes);
    return gpus.isEmpty()
        ? Sentence.of(
            "They need a GPU with {}, more than any known GPU has.", exactBytes(smallestBytes))
        : Sentence.of(
            "The smallest GPU that fits all has {}:" + " {}.",
            bytes(smallestBytes),
            gpus.getFirst().name());
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.3f s", nanos / NANOS_PER_SECOND);
  }
}
