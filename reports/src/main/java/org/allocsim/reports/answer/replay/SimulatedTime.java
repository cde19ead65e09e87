package org.allocsim.reports.answer.replay;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.HostActivity;
import org.allocsim.simulator.timing.Steps;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a simulation in time found, for people and as JSON.
 *
 * @param result the result
 * @param trace names the steps
 */
public record SimulatedTime(TimeResult result, AllocationTrace trace) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** The GPU's busy share over time is written in at most so many parts. */
  private static final int MAX_PARTS = 256;

  void print(PrintWriter out) {
    String allocator =
        "the allocator takes "
            + Numbers.duration(result.allocatorNanos())
            + (result.steps().count() == 0
                ? ""
                : ", "
                    + Numbers.duration(stepAllocatorNanos() / result.steps().count())
                    + " a step");
    WrappedText.print(
        out,
        "",
        "",
        "Simulated time: "
            + Numbers.duration(result.endNanos())
            + (trace.workCount() == 0
                ? " at the recorded pace of the program; "
                    + allocator
                    + ". What the GPU did is not recorded, so waiting for it is not counted."
                : "; the GPU computes for "
                    + Numbers.percent(result.utilisation())
                    + " of it, "
                    + allocator
                    + "."));
    TextTable table = TextTable.of("what the host did", ">time", ">share");
    for (HostActivity activity : HostActivity.values()) {
      long nanos = result.activities().get(activity);
      if (nanos > 0) {
        table.row(
            words(activity), Numbers.duration(nanos), Numbers.share(nanos, result.hostNanos()));
      }
    }
    table.print(out, "");
    Long emptied = result.requestCounts().get(RequestKind.EMPTY_CACHE);
    if (emptied != null) {
      WrappedText.printLine(
          out,
          "Each of "
              + Numbers.count(emptied, "call")
              + " of empty_cache() takes "
              + Numbers.duration(result.requestNanos().get(RequestKind.EMPTY_CACHE) / emptied)
              + " on average, waiting for the GPU included.");
    }
    if (result.pinnedPeakBytes() > 0) {
      WrappedText.printLine(
          out,
          "Pinned host memory: " + ByteFormat.human(result.pinnedPeakBytes()) + " at the peak.");
    }
  }

  private long stepAllocatorNanos() {
    long sum = 0;
    for (int step = 0; step < result.steps().count(); step++) {
      sum += result.steps().allocatorNanos(step);
    }
    return sum;
  }

  private static String words(HostActivity activity) {
    return switch (activity) {
      case WORK -> "the program's own work";
      case LAUNCH -> "queueing kernels and copies";
      case DRIVER_CALL -> "driver calls of the allocator";
      case ALLOCATOR_WAIT -> "the allocator waits for the GPU";
      case SYNCHRONIZE -> "the program waits for the GPU";
      case PAGEABLE_COPY -> "copies of memory that is not pinned";
      case QUEUE_FULL -> "a stream's queue is full";
      case LOAD -> "waiting for data";
      case PIN -> "pinning host memory";
    };
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("seconds", seconds(result.endNanos()));
    map.put("host_seconds", seconds(result.hostNanos()));
    map.put("gpu_utilisation", result.utilisation());
    map.put("allocator_seconds", seconds(result.allocatorNanos()));
    Map<String, Object> activities = new LinkedHashMap<>();
    result
        .activities()
        .forEach((activity, nanos) ->
            activities.put(activity.name().toLowerCase(Locale.ROOT), seconds(nanos)));
    map.put("host_activities", activities);
    Map<String, Object> requests = new LinkedHashMap<>();
    result
        .requestNanos()
        .forEach((kind, nanos) -> {
          Map<String, Object> of = new LinkedHashMap<>();
          of.put("count", result.requestCounts().get(kind));
          of.put("seconds", seconds(nanos));
          requests.put(kind.name().toLowerCase(Locale.ROOT), of);
        });
    map.put("requests", requests);
    map.put("copy_to_device_seconds", seconds(result.toDevice().totalNanos()));
    map.put("copy_to_host_seconds", seconds(result.toHost().totalNanos()));
    map.put("max_queued", result.mostQueued());
    map.put("pinned_peak_bytes", result.pinnedPeakBytes());
    map.put("utilisation_over_time", overTime(result.compute()));
    map.put("steps", steps());
    return map;
  }

  private static Map<String, Object> overTime(BusyTimeline busy) {
    int joined = Math.max(1, (busy.stretchCount() + MAX_PARTS - 1) / MAX_PARTS);
    List<Double> shares = new ArrayList<>();
    for (int first = 0; first < busy.stretchCount(); first += joined) {
      long sum = 0;
      for (int i = first; i < Math.min(first + joined, busy.stretchCount()); i++) {
        sum += busy.busyNanos(i);
      }
      shares.add((double) sum / (joined * busy.widthNanos()));
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("piece_seconds", seconds(joined * busy.widthNanos()));
    map.put("shares", shares);
    return map;
  }

  private List<Object> steps() {
    Steps steps = result.steps();
    List<Object> list = new ArrayList<>();
    for (int step = 0; step < steps.count(); step++) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("name", trace.markerName(steps.marker(step)));
      map.put("begin_seconds", seconds(steps.beginNanos(step)));
      map.put("seconds", seconds(steps.endNanos(step) - steps.beginNanos(step)));
      map.put("allocator_seconds", seconds(steps.allocatorNanos(step)));
      map.put("data_seconds", seconds(steps.dataNanos(step)));
      map.put("compute_seconds", seconds(steps.computeNanos(step)));
      list.add(map);
    }
    return list;
  }

  private static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }
}
