package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.advice.ReservedParts;
import org.allocsim.reports.chart.DriverTimeChart;
import org.allocsim.reports.chart.Histogram;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.timing.HostActivity;
import org.allocsim.workloads.source.DeviceTrace;

/** Parts of the JSON of a comparison. */
final class CompareJson {
  private static final double NANOS_PER_SECOND = 1e9;

  private CompareJson() {}

  /** What reserved memory is made of at its peak; the parts add up to it. */
  static Map<String, Object> parts(ReservedParts parts) {
    if (parts == null) {
      return null;
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("requested_bytes", parts.requestedBytes());
    map.put("rounding_bytes", parts.roundingBytes());
    map.put("awaiting_bytes", parts.awaitingBytes());
    map.put("stuck_bytes", parts.stuckBytes());
    map.put("releasable_bytes", parts.releasableBytes());
    map.put("other_streams_bytes", parts.otherStreamsBytes());
    map.put("private_pools_bytes", parts.privatePoolsBytes());
    map.put("in_advance_bytes", parts.inAdvanceBytes());
    return map;
  }

  /** Time in the driver by call; behind these, the time that the allocator waits for the GPU. */
  static Map<String, Object> secondsByCall(RunResult result) {
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

  /** Time that the allocator waits for the GPU; 0 where the run was not one in time. */
  static long waitNanos(RunResult result) {
    return result.time() == null
        ? 0
        : result.time().activities().getOrDefault(HostActivity.ALLOCATOR_WAIT, 0L);
  }

  /** How many allocations there are of each size and of each lifetime. */
  static Map<String, Object> distributions(DeviceTrace input) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("sizes", bins(Histogram.ofSizes(input.trace(), input.device())));
    map.put("lifetimes", bins(Histogram.ofLifetimes(input.trace(), input.device())));
    return map;
  }

  /** The bins of a distribution. */
  static List<Object> bins(Histogram histogram) {
    List<Object> bins = new ArrayList<>();
    for (int bin = 0; bin < histogram.counts().length; bin++) {
      Map<String, Object> map = new LinkedHashMap<>();
      long from = histogram.froms()[bin];
      map.put(histogram.unit().key(), from < 0 ? null : from);
      map.put("allocations", histogram.counts()[bin]);
      map.put("requested_bytes", histogram.bytes()[bin]);
      bins.add(map);
    }
    return bins;
  }
}
