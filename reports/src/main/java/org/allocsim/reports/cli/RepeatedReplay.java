package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.advice.AfterOom;
import org.allocsim.reports.advice.DeviceReplay;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.RequestFailure;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.Foresight;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Many passes over one program on a simulated device, without its time: what the allocator did
 * altogether, and how fast. What is held in memory does not depend on the number of passes.
 */
final class RepeatedReplay {
  /** PyTorch's {@code max_split_size} where it is not set: no block counts as oversize. */
  private static final long NO_OVERSIZE = -1;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int FAILURES_KEPT = 3;

  private final TraceInput input;
  private final PolicyChoice choice;
  private final DeviceProfile profile;
  private final long limitBytes;
  private final PyTorchVersion version;
  private final AfterOom afterOom;

  RepeatedReplay(
      TraceInput input,
      PolicyChoice choice,
      DeviceProfile profile,
      long limitBytes,
      PyTorchVersion version,
      AfterOom afterOom) {
    this.input = input;
    this.choice = choice;
    this.profile = profile.withHistory(input.addresses());
    this.limitBytes = limitBytes;
    this.version = version;
    this.afterOom = afterOom;
  }

  /**
   * Replays.
   *
   * @throws Failure where the policy cannot serve the program
   */
  Result run(long passes) {
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    boolean isPyTorch = choice.provider().spec().id().equals(CompareCommand.PYTORCH);
    DeviceReplay replay =
        new DeviceReplay(
            input.trace(),
            input.device(),
            isPyTorch ? version : null,
            afterOom,
            stats,
            FAILURES_KEPT);
    SimulatedDevice memory = new SimulatedDevice(profile);
    EffectListener listener = EffectListeners.both(stats, replay.failures());
    AllocatorPolicy policy = policy(memory, listener);
    long startNanos = System.nanoTime();
    try (ProgressMeter progress = ProgressMeter.ofPasses("replaying")) {
      Passes counter = new Passes(passes, progress);
      replay.run(passes, policy, memory, listener, counter::before);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return new Result(
        input,
        choice,
        profile,
        limitBytes,
        passes,
        stats,
        replay.failures().count(),
        replay.failures().kept(),
        seconds);
  }

  private AllocatorPolicy policy(SimulatedDevice memory, EffectListener listener) {
    try {
      return choice
          .provider()
          .create(
              new PolicySettings(limitBytes, choice.options()),
              new Foresight(input.trace(), input.device()),
              memory,
              listener);
    } catch (UnfitTraceException e) {
      throw new Failure(
          input.name() + ": policy " + choice.label() + " cannot serve it: needs " + e.getMessage(),
          e);
    } catch (PolicyOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  /** Tells how many passes have begun. */
  private final class Passes {
    private final long total;
    private final ProgressMeter progress;
    private final int first;
    private long begun;

    Passes(long total, ProgressMeter progress) {
      this.total = total;
      this.progress = progress;
      int event = input.trace().prologueCount();
      while (event < input.trace().eventCount() && input.trace().device(event) != input.device()) {
        event++;
      }
      first = event;
    }

    void before(int event) {
      if (event == first) {
        progress.update(begun++, total);
      }
    }
  }

  /**
   * What many passes came to.
   *
   * @param stats PyTorch's statistics over all of them
   * @param failureCount requests that failed
   * @param failures the first of these
   * @param seconds wall time
   */
  record Result(
      TraceInput input,
      PolicyChoice choice,
      DeviceProfile profile,
      long limitBytes,
      long passes,
      MemoryStats stats,
      long failureCount,
      List<RequestFailure> failures,
      double seconds) {

    /** Calls of the program that the allocator served: allocations and frees. */
    long requests() {
      return stats.get("allocation.all.allocated")
          + stats.get("allocation.all.freed")
          + failureCount;
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
      for (RequestFailure failure : failures) {
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
}
