package org.allocsim.reports.advice;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Replays one device of a trace on a simulated one and keeps what a comparison of settings needs.
 * Many runs may share a trace, on several threads.
 */
public final class ScenarioRun {
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
    MemoryStats stats = new MemoryStats(scenario.config().allocator().maxSplitBytes());
    MemoryTimeline timeline = new MemoryTimeline(2);
    DeviceReplay replay = new DeviceReplay(trace, device, scenario.version(), afterOom, stats, 1);
    RequestFailures failures = replay.failures();
    EffectListener listener = EffectListeners.all(stats, timeline, failures, also);
    SimulatedDevice memory = new SimulatedDevice(scenario.device());
    CachingAllocator policy =
        new CachingAllocator(
            scenario.config().allocator(),
            scenario.version(),
            scenario.limitBytes(),
            memory,
            listener);
    replay.run(policy, memory, listener, event -> timeline.at(trace.timeNanos(event)));
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
        memory.driverNanos());
  }
}
