package org.allocsim.reports.answer.replay;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.nanos;
import static org.allocsim.reports.document.Quantity.share;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Keys;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.HostActivity;
import org.allocsim.simulator.timing.Step;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a simulation in time found.
 *
 * @param result the result
 * @param trace names the steps
 */
record SimulatedTime(TimeResult result, AllocationTrace trace) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** The GPU's busy share over time is written in at most so many parts. */
  private static final int MAX_PARTS = 256;

  private static final Shape<Requests> REQUESTS =
      Shape.of(requests ->
          requests
              .term(Columns.COUNT, Requests::count)
              .seconds("seconds", "Their simulated time.", each -> seconds(each.nanos())));

  private static final Shape<BusyTimeline> BUSY =
      Shape.of(busy ->
          busy.seconds(
                  "slice_seconds",
                  "Simulated duration of a slice.",
                  each -> seconds(joined(each) * each.widthNanos()))
              .series(
                  Unit.RATIO,
                  "utilization_ratio",
                  "GPU utilisation of each slice, 0 to 1.",
                  SimulatedTime::shares));

  private static final Shape<NamedStep> STEPS =
      Shape.of(step ->
          step.text("name", "Name.", each -> each.time().trace().markerName(each.of().marker()))
              .seconds(
                  "begin_seconds", "When the step began.", each -> seconds(each.of().beginNanos()))
              .seconds(
                  "seconds",
                  "Duration of the step.",
                  each -> seconds(each.of().endNanos() - each.of().beginNanos()))
              .term(Columns.ALLOCATOR_SECONDS, each -> seconds(each.of().allocatorNanos()))
              .seconds(
                  "data_seconds",
                  "Time the step waited for data.",
                  each -> seconds(each.of().dataNanos()))
              .seconds(
                  "compute_seconds",
                  "GPU compute time.",
                  each -> seconds(each.of().computeNanos())));

  /** Its columns; all times are simulated. */
  static final Shape<SimulatedTime> SHAPE =
      Shape.of(time ->
          time.seconds(
                  "seconds",
                  "Time of the whole program.",
                  each -> seconds(each.result().endNanos()))
              .seconds(
                  "host_seconds",
                  "Time until the host finished.",
                  each -> seconds(each.result().hostNanos()))
              .ratio(
                  "gpu_utilization_ratio",
                  "Fraction of time the GPU was computing.",
                  each -> each.result().utilisation())
              .term(Columns.ALLOCATOR_SECONDS, each -> seconds(each.result().allocatorNanos()))
              .named(
                  Unit.SECONDS,
                  "host_activities",
                  "Host time by activity.",
                  "Time spent on it.",
                  SimulatedTime::activities)
              .named(
                  REQUESTS,
                  "requests",
                  "Requests by kind, with count and time.",
                  "Requests of a kind.",
                  SimulatedTime::requests)
              .seconds(
                  "copy_to_device_seconds",
                  "Time that the copy engine to the device was busy.",
                  each -> seconds(each.result().toDevice().totalNanos()))
              .seconds(
                  "copy_to_host_seconds",
                  "Time that the copy engine to the host was busy.",
                  each -> seconds(each.result().toHost().totalNanos()))
              .seconds(
                  "link_seconds",
                  "Time that messages ran on the links to other GPUs.",
                  each -> seconds(each.result().links().totalNanos()))
              .count(
                  "max_queued",
                  "Maximum number of queued GPU work items.",
                  each -> each.result().maxQueued())
              .bytes(
                  "pinned_peak_bytes",
                  "Peak of page-locked host memory.",
                  each -> each.result().pinnedPeakBytes())
              .one(
                  "utilization_over_time",
                  "GPU utilisation over equal time slices.",
                  BUSY,
                  each -> each.result().compute())
              .many("steps", "The program's steps.", STEPS, SimulatedTime::steps));

  private record Requests(long count, long nanos) {}

  private record NamedStep(SimulatedTime time, Step of) {}

  /** For people. */
  List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    blocks.add(new Notes(null, List.of(summary())));
    blocks.add(
        Table.of(
            "Host time",
            Shape.of(row ->
                row.shown(
                        Unit.TEXT,
                        "host activity",
                        "Activity of the host.",
                        each -> words(each.getKey()))
                    .shown(Unit.NANOS, "time", "Its duration.", Map.Entry::getValue)
                    .shown(
                        Unit.RATIO,
                        "share",
                        "Fraction of host time.",
                        each -> (double) each.getValue() / result.hostNanos())),
            result.activities().entrySet().stream().filter(each -> each.getValue() > 0).toList()));
    blocks.add(new Notes(null, remarks()));
    return blocks;
  }

  private Sentence summary() {
    Sentence allocator = Sentence.of("the allocator takes {}", nanos(result.allocatorNanos()));
    List<Step> steps = result.steps();
    if (!steps.isEmpty()) {
      long inSteps = steps.stream().mapToLong(Step::allocatorNanos).sum();
      allocator = Sentence.of("{}, {} per step", allocator, nanos(inSteps / steps.size()));
    }
    return trace.workCount() == 0
        ? Sentence.of(
            "Simulated time: {} at the program's recorded pace; {}. GPU activity is not recorded,"
                + " so waiting for it is not counted.",
            nanos(result.endNanos()),
            allocator)
        : Sentence.of(
            "Simulated time: {}; the GPU computes for {} of it, {}.",
            nanos(result.endNanos()),
            share(result.compute().totalNanos(), result.endNanos()),
            allocator);
  }

  private List<Sentence> remarks() {
    List<Sentence> remarks = new ArrayList<>();
    Long emptied = result.requestCounts().get(RequestKind.EMPTY_CACHE);
    if (emptied != null) {
      remarks.add(
          Sentence.of(
              "Each of {} of empty_cache() takes {} on average, including waiting for the GPU.",
              Quantity.count(emptied, "call"),
              nanos(result.requestNanos().getOrDefault(RequestKind.EMPTY_CACHE, 0L) / emptied)));
    }
    if (result.pinnedPeakBytes() > 0) {
      remarks.add(
          Sentence.of("Pinned host memory: {} at the peak.", bytes(result.pinnedPeakBytes())));
    }
    return remarks;
  }

  private static String words(HostActivity activity) {
    return switch (activity) {
      case WORK -> "the program's own work";
      case LAUNCH -> "queueing kernels and copies";
      case DRIVER_CALL -> "driver calls of the allocator";
      case ALLOCATOR_WAIT -> "the allocator waits for the GPU";
      case SYNCHRONIZE -> "the program waits for the GPU";
      case PAGEABLE_COPY -> "copies of pageable memory";
      case QUEUE_FULL -> "a stream's queue is full";
      case LOAD -> "waiting for data";
      case PIN -> "pinning host memory";
    };
  }

  private Map<String, Double> activities() {
    Map<String, Double> map = new LinkedHashMap<>();
    result.activities().forEach((activity, nanos) -> map.put(Keys.of(activity), seconds(nanos)));
    return map;
  }

  private Map<String, Requests> requests() {
    Map<String, Requests> map = new LinkedHashMap<>();
    result
        .requestNanos()
        .forEach((kind, nanos) ->
            map.put(
                Keys.of(kind), new Requests(result.requestCounts().getOrDefault(kind, 0L), nanos)));
    return map;
  }

  private List<NamedStep> steps() {
    return result.steps().stream().map(step -> new NamedStep(this, step)).toList();
  }

  /** How many stretches of the GPU's time make a part. */
  private static int joined(BusyTimeline busy) {
    return Math.max(1, (busy.stretchCount() + MAX_PARTS - 1) / MAX_PARTS);
  }

  private static List<Double> shares(BusyTimeline busy) {
    int joined = joined(busy);
    List<Double> shares = new ArrayList<>();
    for (int first = 0; first < busy.stretchCount(); first += joined) {
      long sum =
          IntStream.range(first, Math.min(first + joined, busy.stretchCount()))
              .mapToLong(busy::busyNanos)
              .sum();
      shares.add((double) sum / (joined * busy.widthNanos()));
    }
    return shares;
  }

  private static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }
}
