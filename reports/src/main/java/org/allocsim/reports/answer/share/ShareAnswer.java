package org.allocsim.reports.answer.share;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.allocsim.analysis.share.SharedGpu;
import org.allocsim.analysis.share.SharedGpu.LimitRange;
import org.allocsim.analysis.share.SharedTimeline;
import org.allocsim.analysis.share.SharingProgram;
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
public record ShareAnswer(
    SharedGpu shared,
    SharedResult result,
    List<LimitRange> limits,
    @Nullable Long smallestBytes,
    boolean isRecordedClock,
    double seconds) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String ALL_SERVED = "every request is served";

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
        return "no room for its context";
      }
      if (!result.run().isRun()) {
        return String.valueOf(result.run().notRunBecause());
      }
      return result.run().failureCount() == 0
          ? ALL_SERVED
          : result.run().failureCount() + " failed" + (result.stopped() ? ", then it ended" : "");
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
                  "Context of the process; 0 where it does not run then.",
                  Held::contextBytes)
              .bytes(
                  "other_bytes",
                  "other",
                  "What else the process holds beside its allocator: NCCL, libraries, modules.",
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
                  "What its allocator holds and nobody uses.",
                  each -> each.holding().cachedBytes())
              .bytes(
                  "driver_bytes",
                  "driver",
                  "Pages that the driver took for streams and for what is smaller than a page.",
                  Held::driverBytes)
              .rank(1)
              .bytes("held_bytes", "all", "All of it.", each -> each.holding().bytes()));

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
                  "mps_room_bytes",
                  "MPS leaves",
                  "What its limit as a client of MPS leaves beside its context and libraries.",
                  each -> each.program().roomBytes() < 0 ? null : each.program().roomBytes())
              .missing("none")
              .optional()
              .seconds(
                  "start_seconds",
                  "starts",
                  "When it starts.",
                  each -> each.program().startNanos() / NANOS_PER_SECOND)
              .worded(each -> seconds(each.program().startNanos()))
              .rank(2)
              .seconds(
                  "end_seconds",
                  "ends",
                  "When its last request comes.",
                  each -> each.result().endNanos() / NANOS_PER_SECOND)
              .worded(each -> seconds(each.result().endNanos()))
              .rank(2)
              .flag(
                  "exits",
                  "Whether the process ends then and gives everything back.",
                  each -> each.program().exits() || each.result().stopped())
              .text("outcome", "outcome", "Whether its requests are served.", Row::outcome)
              .term(
                  Columns.FAILED_REQUESTS,
                  each -> each.result().run() == null ? null : each.result().run().failureCount())
              .missing("there is no room for its context")
              .count(
                  "retries",
                  "retries",
                  "How often its cache was given back because the GPU refused.",
                  each -> each.stat("num_alloc_retries"))
              .missing("it did not run")
              .rank(1)
              .bytes(
                  "peak_bytes",
                  "peak",
                  "The most that the process holds, with its context.",
                  each -> each.result().peakBytes())
              .bytes(
                  "least_limit_bytes",
                  "lowest limit",
                  "The lowest limit of its allocator with which all processes run.",
                  each ->
                      each.limit() == null || each.limit().leastBytes() < 0
                          ? null
                          : each.limit().leastBytes())
              .missing("there is none, or --limits was not given")
              .optional()
              .bytes(
                  "most_limit_bytes",
                  "highest limit",
                  "The highest one.",
                  each ->
                      each.limit() == null || each.limit().mostBytes() < 0
                          ? null
                          : each.limit().mostBytes())
              .missing("no limit is needed, none helps, or --limits was not given")
              .optional()
              .many(
                  "left",
                  "What it holds after its last request.",
                  HELD,
                  each -> List.of(new Held(each.program(), each.result().left()))));

  private static final Shape<ShareAnswer> FIRST =
      Shape.of(first ->
          first
              .text("process", "Whose request it is.", each -> each.failing().program().name())
              .seconds(
                  "at_seconds",
                  "When it comes.",
                  each -> each.first().moment().nanos() / NANOS_PER_SECOND)
              .count(
                  "request",
                  "Its number among the process's requests, from 0; -1 before the recording.",
                  each ->
                      each.first().request() == null ? null : each.first().request().requestIndex())
              .missing("there is no room for the context")
              .bytes(
                  "requested_bytes",
                  "What it asks for; the context where that does not fit.",
                  ShareAnswer::failedBytes)
              .bytes("free_bytes", "What is free then.", each -> each.free(each.first().moment()))
              .many(
                  "holdings",
                  "Who holds what then.",
                  HELD,
                  each -> each.held(each.first().moment())));

  public static final Kind<ShareAnswer> KIND =
      new Kind<>(
          "share",
          "share --json",
          "What `allocsim share --json` writes: several processes on one GPU.",
          Shape.of(answer ->
              answer
                  .term(Columns.DEVICE, each -> each.shared().gpu().name())
                  .term(Columns.TOTAL_OF_GPU, each -> each.result().totalBytes())
                  .flag(
                      "recorded_clock",
                      "Whether the recordings' own clocks say which request comes when.",
                      ShareAnswer::isRecordedClock)
                  .term(Columns.PASSES, each -> each.result().passes())
                  .many("processes", "One entry for each process.", ROWS, ShareAnswer::rows)
                  .seconds(
                      "peak_seconds",
                      "When the processes first hold the most together.",
                      each -> each.result().peak().nanos() / NANOS_PER_SECOND)
                  .bytes(
                      "peak_bytes",
                      "The most that they hold together.",
                      each -> each.result().peak().bytes())
                  .many("at_peak", "Who holds what then.", HELD, each -> each.held(each.peak()))
                  .many(
                      "first_failure",
                      "What fails first; empty where nothing does.",
                      FIRST,
                      each -> each.result().first() == null ? List.of() : List.of(each))
                  .bytes(
                      "smallest_gpu_bytes",
                      "Size of the smallest GPU on which all processes run.",
                      each ->
                          each.smallestBytes() == null || each.smallestBytes() < 0
                              ? null
                              : each.smallestBytes())
                  .missing("there is none, or it was not asked")
                  .term(Columns.WALL_SECONDS_OF_SIMULATION, ShareAnswer::seconds)));

  /** Keeps its own copy. */
  public ShareAnswer {
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
    boolean isTimed = shared.programs().stream().anyMatch(ShareAnswer::isTimed);
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
        shared.gpu().name() + "; of each moment what all held when they held the most together",
        memory,
        theme);
  }

  /** The first part of the verdict, as a title. */
  private String finding() {
    return verdict().sentence().toString().replaceAll("(?s)[;:] .*|[.]$", "");
  }

  /** The same, with a chart of what the processes held where one is given. */
  public Document<ShareAnswer> document(@Nullable SharedMemoryData memory) {
    Facts facts =
        Facts.none()
            .and("device", "{}, {}{}", shared.gpu().name(), bytes(result.totalBytes()), computed())
            .and(
                "order",
                "{}",
                isRecordedClock
                    ? "by the time of day that the recordings hold"
                    : "by the traces' times from their starts")
            .and(
                "after a failed request",
                "{}",
                shared.afterOom() == AfterOom.STOP
                    ? "the process ends and gives everything back"
                    : "the process goes on without it");
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
          holdings(
              "When the first request fails", held(first().moment()), "/first_failure/0/holdings"));
    }
    sections.add(holdings("When all hold the most together", held(peak()), "/at_peak"));
    sections.add(
        holdings(
            "After each one's last request",
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
        "Requests come when they came in the trace: nobody waits for another process's work, nor"
            + " longer for the driver.");
    notes.add(
        "No process gives memory back for another: a cache is emptied only when its own allocator"
            + " is refused.");
    return notes;
  }

  private Verdict verdict() {
    List<Sentence> details = new ArrayList<>();
    if (result.first() != null && first().request() != null) {
      details.add(holders());
    }
    details.add(
        Sentence.of(
            "At most they hold {} together, {} after the start.",
            bytes(peak().bytes()),
            seconds(peak().nanos())));
    if (smallestBytes != null) {
      details.add(smallest(smallestBytes));
    }
    if (result.passes()) {
      return new Verdict(
          Tone.GOOD,
          Sentence.of(
              "All {} processes run on {}; {} of {} stay free.",
              shared.programs().size(),
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
          "{} fails first, {} after the start: there is no room for its context and libraries of"
              + " {}, {} are free.",
          name,
          at,
          bytes(failedBytes()),
          bytes(free(first().moment())));
    }
    if (failing().program().roomBytes() >= 0 && free(first().moment()) >= failedBytes()) {
      return Sentence.of(
          "{} fails first, {} after the start: its limit as a client of MPS, which leaves it {},"
              + " refuses its request {} for {}.",
          name,
          at,
          bytes(failing().program().roomBytes()),
          request.requestIndex(),
          bytes(request.requestedBytes()));
    }
    if (failing().program().limitBytes() >= 0
        && free(first().moment()) >= request.requestedBytes()) {
      return Sentence.of(
          "{} fails first, {} after the start: its own limit of {} refuses its request {} for {}.",
          name,
          at,
          bytes(failing().program().limitBytes()),
          request.requestIndex(),
          bytes(request.requestedBytes()));
    }
    return Sentence.of(
        "{} fails first, {} after the start: its request {} for {} is refused, {} are free.",
        name,
        at,
        request.requestIndex(),
        bytes(request.requestedBytes()),
        bytes(free(first().moment())));
  }

  /** Who holds the memory when the first request fails, the one that holds the most first. */
  private Sentence holders() {
    List<Held> held = new ArrayList<>(held(first().moment()));
    held.sort((a, b) -> Long.compare(b.holding().bytes(), a.holding().bytes()));
    StringBuilder pattern = new StringBuilder("Then ");
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
      return Sentence.of("They run on no GPU: a limit of their own is too small.");
    }
    List<DeviceProfile> gpus = SharedGpu.ofSize(smallestBytes);
    return gpus.isEmpty()
        ? Sentence.of("They need a GPU of {}, larger than any known.", exactBytes(smallestBytes))
        : Sentence.of(
            "The smallest GPU for all has {}: {}.", bytes(smallestBytes), gpus.getFirst().name());
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.3f s", nanos / NANOS_PER_SECOND);
  }
}
