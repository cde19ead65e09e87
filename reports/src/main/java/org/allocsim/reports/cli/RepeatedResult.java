package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What many passes came to.
 *
 * @param input the program
 * @param choice the allocator
 * @param profile the card
 * @param limitBytes the allocator's own limit, −1 without one
 * @param passes how often the program ran
 * @param stats PyTorch's statistics over all of them
 * @param failureCount requests that failed
 * @param failures the first of these
 * @param seconds wall time
 */
record RepeatedResult(
    TraceInput input,
    PolicyChoice choice,
    DeviceProfile profile,
    long limitBytes,
    long passes,
    MemoryStats stats,
    long failureCount,
    List<FailedRequest> failures,
    double seconds) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Calls of the program that the allocator served: allocations and frees. */
  long requests() {
    return stats.get("allocation.all.allocated") + stats.get("allocation.all.freed") + failureCount;
  }

  /** What the allocator did, as PyTorch's history counts it: a free has two events. */
  long events() {
    return requests()
        + stats.get("active.all.freed")
        + stats.get("num_device_alloc")
        + stats.get("num_device_free");
  }

  /** The JSON object; only the seconds and what is divided by them differ between two runs. */
  Map<String, Object> toMap() {
    Map<String, Object> trace = new LinkedHashMap<>();
    trace.put("file", input.name());
    trace.put("sha256", input.sha256());
    trace.put("rows", rows());
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", trace);
    map.put("policy", choice.provider().spec().id());
    map.put("options", new LinkedHashMap<>(choice.options()));
    map.put("device", profile.name());
    map.put("limit_bytes", limitBytes < 0 ? null : limitBytes);
    map.put("passes", passes);
    map.put("requests", requests());
    map.put("events", events());
    map.put("failures", failureCount);
    map.put("stats", stats.toMap());
    map.put("seconds", seconds);
    map.put("requests_per_second", requests() / seconds);
    map.put("events_per_second", events() / seconds);
    return map;
  }

  /** Rows of the trace that are this device's requests to its allocator. */
  private long rows() {
    long count = 0;
    for (int event = 0; event < input.trace().eventCount(); event++) {
      RequestKind kind = input.trace().kind(event);
      if (input.trace().device(event) == input.device() && !kind.isWork()) {
        count++;
      }
    }
    return count;
  }

  void print(PrintWriter out) {
    for (FailedRequest failure : failures) {
      out.println(failure.message());
      out.println();
    }
    out.println(
        "trace   "
            + input.name()
            + ": "
            + Numbers.count(rows(), "request")
            + " of device "
            + input.device()
            + ", "
            + Numbers.count(passes, "time")
            + " over");
    out.println("policy  " + choice.label());
    out.println(
        "device  "
            + profile.name()
            + (limitBytes < 0 ? ", no limit" : ", limit " + Numbers.bytes(limitBytes))
            + ", addresses modelled");
    out.println();
    out.print(MemorySummary.format(stats, input.device(), false));
    out.println();
    if (failureCount > 0) {
      out.println(Numbers.count(failureCount, "request") + " failed.");
    }
    out.println(
        "Speed: "
            + Numbers.count(requests(), "request")
            + " ("
            + Numbers.count(events(), "event")
            + " of the allocator) in "
            + Numbers.seconds((long) (seconds * NANOS_PER_SECOND))
            + ": "
            + millions(requests())
            + " million requests and "
            + millions(events())
            + " million events a second, on one thread.");
  }

  private String millions(long count) {
    return String.format(Locale.ROOT, "%.1f", count / seconds / 1e6);
  }
}
