package org.allocsim.reports.answer.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Recorded;
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
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * What many passes over one program on a simulated device came to, without its time: what the
 * allocator did altogether, and how fast.
 *
 * @param program what was run
 * @param choice the allocator with its options
 * @param result what came of it
 */
public record RepeatedAnswer(Program program, PolicyChoice choice, RunResult result) {
  private static final double NANOS_PER_SECOND = 1e9;

  private static final Shape<RepeatedAnswer> TRACE =
      Shape.of(trace ->
          trace
              .embed(
                  Recorded.file(
                      each -> each.program().name(), each -> each.program().input().sha256()))
              .count(
                  "rows",
                  "Rows of the trace with this device's allocator requests.",
                  RepeatedAnswer::rows));

  public static final Kind<RepeatedAnswer> KIND =
      new Kind<>(
          "replay-repeated",
          "replay --repeat --json",
          "What `allocsim replay --repeat N --json` writes: many passes over one program.",
          Shape.of(answer ->
              answer
                  .one("trace", "The trace.", TRACE, each -> each)
                  .term(Columns.POLICY_ID, each -> each.choice().provider().spec().id())
                  .named(
                      Unit.TEXT,
                      "options",
                      "Policy options given.",
                      "Value of the option.",
                      each -> each.choice().options())
                  .term(
                      Columns.DEVICE, each -> each.program().recordedConditions().profile().name())
                  .term(
                      Columns.LIMIT_BYTES,
                      each -> each.limitBytes() < 0 ? null : Long.valueOf(each.limitBytes()))
                  .missing("there is none")
                  .count("passes", "Passes over the program.", RepeatedAnswer::passes)
                  .count(
                      "requests",
                      "Calls served in all passes: allocations and frees.",
                      RepeatedAnswer::requests)
                  .count(
                      "events",
                      "Events of the allocator in all passes, as PyTorch's history counts them.",
                      RepeatedAnswer::events)
                  .term(Columns.FAILED_REQUESTS, each -> each.result().failureCount())
                  .named(
                      Unit.COUNT,
                      "stats",
                      "Counters, named as in torch.cuda.memory_stats().",
                      "A counter.",
                      each -> each.result().stats())
                  .seconds(
                      "wall_seconds",
                      "Wall time of the passes; only it and rates derived from it differ between"
                          + " two equal runs.",
                      each -> each.result().seconds())
                  .rate(
                      "requests_per_second",
                      null,
                      "Requests over wall time.",
                      each -> each.rate(each.requests()))
                  .rate(
                      "events_per_second",
                      null,
                      "Events over wall time.",
                      each -> each.rate(each.events()))));

  public Document<RepeatedAnswer> document() {
    List<Block> blocks = new ArrayList<>();
    result.failures().forEach(failure -> blocks.add(new Verbatim(failure.message())));
    blocks.add(
        Facts.none()
            .and(
                "trace",
                "{}: {} of device {}, {} over",
                program.name(),
                Quantity.count(rows(), "request"),
                program.input().device(),
                Quantity.count(passes(), "time"))
            .and("policy", "{}", choice.label())
            .and(
                "device",
                "{}, {}, addresses modelled",
                program.recordedConditions().profile().name(),
                ReplayAnswer.limit(program)));
    blocks.add(new Verbatim(MemorySummary.format(this::stat, program.input().device(), false)));
    List<Sentence> sentences = new ArrayList<>();
    if (result.failureCount() > 0) {
      sentences.add(Sentence.of("{} failed.", Quantity.count(result.failureCount(), "request")));
    }
    sentences.add(
        Sentence.of(
            "Speed: {} ({} of the allocator) in {}: {} million requests and {} million events per"
                + " second, on one thread.",
            Quantity.count(requests(), "request"),
            Quantity.count(events(), "event"),
            Quantity.nanos((long) (result.seconds() * NANOS_PER_SECOND)),
            "%.1f".formatted(rate(requests()) / 1e6),
            "%.1f".formatted(rate(events()) / 1e6)));
    blocks.add(new Notes(null, sentences));
    return new Document<>(
        KIND,
        program.name(),
        null,
        List.of(new Section(null, blocks)),
        Table.of("Passes", KIND.shape(), List.of(this)),
        this);
  }

  private long limitBytes() {
    return program.recordedConditions().limitBytes();
  }

  private long passes() {
    return result.setup().course().passes();
  }

  private long stat(String key) {
    return Objects.requireNonNull(result.stats().get(key), key);
  }

  /** Calls of the program that the allocator served: allocations and frees. */
  long requests() {
    return stat("allocation.all.allocated") + stat("allocation.all.freed") + result.failureCount();
  }

  /** What the allocator did, as PyTorch's history counts it: a free has two events. */
  long events() {
    return requests()
        + stat("active.all.freed")
        + stat("num_device_alloc")
        + stat("num_device_free");
  }

  private double rate(long count) {
    return count / result.seconds();
  }

  /** Rows of the trace that are this device's requests to its allocator. */
  private long rows() {
    AllocationTrace trace = program.input().trace();
    return IntStream.range(0, trace.eventCount())
        .filter(row -> trace.device(row) == program.input().device() && !trace.kind(row).isWork())
        .count();
  }
}
