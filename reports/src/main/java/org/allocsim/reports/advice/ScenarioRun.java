package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Replays one device of a trace on a simulated one and keeps what a comparison of settings needs.
 * Many runs may share a trace, on several threads.
 */
public final class ScenarioRun {
  private static final int[] NO_STEPS = {};

  private ScenarioRun() {}

  /** Replays under a scenario; see {@link DeviceReplay} for requests that fail. */
  public static ScenarioResult run(
      AllocationTrace trace, int device, Scenario scenario, AfterOom afterOom) {
    return run(trace, device, scenario, afterOom, EffectListeners.NONE);
  }

  /** As above, with one more listener. */
  public static ScenarioResult run(
      AllocationTrace trace,
      int device,
      Scenario scenario,
      AfterOom afterOom,
      EffectListener also) {
    return run(trace, device, scenario, afterOom, also, NO_STEPS);
  }

  /**
   * As above, and measures the driver's time in each step.
   *
   * @param steps rows with which the steps begin, and the row with which the last has ended
   */
  static ScenarioResult run(
      AllocationTrace trace,
      int device,
      Scenario scenario,
      AfterOom afterOom,
      EffectListener also,
      int[] steps) {
    MemoryStats stats = new MemoryStats(scenario.config().allocator().maxSplitBytes());
    MemoryTimeline timeline = new MemoryTimeline(2);
    DeviceReplay replay = new DeviceReplay(trace, device, scenario.version(), afterOom, stats, 1);
    RequestFailures failures = replay.failures();
    EffectListener listener = EffectListeners.all(stats, timeline, failures, also);
    SimulatedDevice memory = new SimulatedDevice(scenario.device());
    StepClock clock = new StepClock(steps, memory);
    replay.run(
        create(scenario, new FutureRequests(trace, device), memory, listener),
        memory,
        listener,
        event -> {
          timeline.at(trace.timeNanos(event));
          clock.before(event);
        });
    if (!replay.isStopped()) {
      clock.before(trace.eventCount());
    }
    Map<DriverCall, Long> calls = new EnumMap<>(DriverCall.class);
    for (DriverCall call : DriverCall.values()) {
      calls.put(call, memory.driverCalls(call));
    }
    return new ScenarioResult(
        scenario,
        stats.toMap(),
        timeline.bytesAtPeakReserved(MemoryTimeline.Series.ALLOCATED),
        failures.requestCount(),
        failures.kept().isEmpty() ? Optional.empty() : Optional.of(failures.kept().getFirst()),
        failures.count(),
        calls,
        memory.driverNanos(),
        clock.stepNanos());
  }

  private static AllocatorPolicy create(
      Scenario scenario, FutureRequests requests, SimulatedDevice memory, EffectListener listener) {
    try {
      return scenario.create(requests, memory, listener);
    } catch (UnfitTraceException | PolicyOptionException e) {
      throw new IllegalArgumentException(scenario.policy() + ": " + e.getMessage(), e);
    }
  }

  /** Reads the driver's time at the begin of every step. */
  private static final class StepClock {
    private final int[] begins;
    private final SimulatedDevice memory;
    private final List<Long> stepNanos = new ArrayList<>();
    private int next;
    private long beganNanos;

    StepClock(int[] begins, SimulatedDevice memory) {
      this.begins = begins;
      this.memory = memory;
    }

    void before(int event) {
      while (next < begins.length && begins[next] <= event) {
        long nowNanos = memory.driverNanos();
        if (next > 0) {
          stepNanos.add(nowNanos - beganNanos);
        }
        beganNanos = nowNanos;
        next++;
      }
    }

    List<Long> stepNanos() {
      return stepNanos;
    }
  }
}
