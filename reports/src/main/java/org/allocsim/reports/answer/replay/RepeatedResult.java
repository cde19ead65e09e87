package org.allocsim.reports.answer.replay;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What many passes over one program on a simulated device came to, without its time: what the
 * allocator did altogether, and how fast.
 *
 * @param setup what was run
 * @param result what came of it
 */
public record RepeatedResult(ReplaySetup setup, RunResult result) {
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * The result of a run.
   *
   * @throws Failure where the policy could not serve the program
   */
  public static RepeatedResult of(ReplaySetup setup, RunResult result) {
    if (!result.isRun()) {
      throw ReplayRun.cannotServe(setup, result.notRunBecause());
    }
    return new RepeatedResult(setup, result);
  }

  private long passes() {
    return result.setup().passes();
  }

  private long stat(String key) {
    return result.stats().get(key);
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

  /** The JSON object; only the seconds and what is divided by them differ between two runs. */
  public Map<String, Object> toMap() {
    Map<String, Object> trace = new LinkedHashMap<>();
    trace.put("file", setup.input().name());
    trace.put("sha256", setup.input().sha256());
    trace.put("rows", rows());
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", trace);
    map.put("policy", setup.choice().provider().spec().id());
    map.put("options", new LinkedHashMap<>(setup.choice().options()));
    map.put("device", setup.profile().name());
    map.put("limit_bytes", setup.limitBytes() < 0 ? null : setup.limitBytes());
    map.put("passes", passes());
    map.put("requests", requests());
    map.put("events", events());
    map.put("failed_requests", result.failureCount());
    map.put("stats", result.stats());
    map.put("wall_seconds", result.seconds());
    map.put("requests_per_second", requests() / result.seconds());
    map.put("events_per_second", events() / result.seconds());
    return map;
  }

  /** Rows of the trace that are this device's requests to its allocator. */
  private long rows() {
    long count = 0;
    for (int event = 0; event < setup.trace().eventCount(); event++) {
      RequestKind kind = setup.trace().kind(event);
      if (setup.trace().device(event) == setup.device() && !kind.isWork()) {
        count++;
      }
    }
    return count;
  }

  public void print(PrintWriter out) {
    for (FailedRequest failure : result.failures()) {
      out.println(failure.message());
      out.println();
    }
    out.println(
        "trace   "
            + setup.input().name()
            + ": "
            + Numbers.count(rows(), "request")
            + " of device "
            + setup.device()
            + ", "
            + Numbers.count(passes(), "time")
            + " over");
    out.println("policy  " + setup.choice().label());
    out.println(
        "device  "
            + setup.profile().name()
            + (setup.limitBytes() < 0
                ? ", no limit"
                : ", limit " + Numbers.bytes(setup.limitBytes()))
            + ", addresses modelled");
    out.println();
    out.print(MemorySummary.format(this::stat, setup.device(), false));
    out.println();
    if (result.failureCount() > 0) {
      out.println(Numbers.count(result.failureCount(), "request") + " failed.");
    }
    out.println(
        "Speed: "
            + Numbers.count(requests(), "request")
            + " ("
            + Numbers.count(events(), "event")
            + " of the allocator) in "
            + Numbers.seconds((long) (result.seconds() * NANOS_PER_SECOND))
            + ": "
            + millions(requests())
            + " million requests and "
            + millions(events())
            + " million events a second, on one thread.");
  }

  private String millions(long count) {
    return String.format(Locale.ROOT, "%.1f", count / result.seconds() / 1e6);
  }
}
