package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
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
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Replays one device of a trace through any policy on a simulated device. Many runs may share a
 * trace, on several threads.
 *
 * @param trace the requests
 * @param device index of the device in the trace
 * @param profile the simulated device
 * @param limitBytes bytes that a policy may hold at most, −1 without a limit
 * @param version whose words failed requests of PyTorch get
 * @param afterOom how to go on behind a failed request
 */
public record PolicyTrial(
    AllocationTrace trace,
    int device,
    DeviceProfile profile,
    long limitBytes,
    PyTorchVersion version,
    AfterOom afterOom) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Failed requests that a result keeps with their message. */
  private static final int FAILURES_KEPT = 16;

  /** PyTorch's {@code max_split_size} where it is not set: no block counts as oversize. */
  private static final long NO_OVERSIZE = -1;

  /** Hears how many policies are done. */
  @FunctionalInterface
  public interface Progress {
    /** Called by one thread at a time. */
    void done(int policies, int total);
  }

  /** Looks at the policy between two requests, and may end the replay. */
  public interface Observer {
    /** Sees nothing. */
    Observer NONE =
        new Observer() {
          @Override
          public boolean before(int event, AllocatorPolicy policy) {
            return true;
          }

          @Override
          public void end(AllocatorPolicy policy, SimulatedDevice device) {}
        };

    /** The policy holds nothing yet. */
    default void started(AllocatorPolicy policy, SimulatedDevice device) {}

    /** Row {@code event} of the trace comes next; answers whether to go on behind it. */
    boolean before(int event, AllocatorPolicy policy);

    /** The last request was served. */
    void end(AllocatorPolicy policy, SimulatedDevice device);
  }

  /** Runs every choice, on all cores; the results are in the order of the choices. */
  public List<PolicyResult> runAll(List<PolicyChoice> choices, Progress progress) {
    List<Callable<PolicyResult>> tasks = new ArrayList<>();
    for (PolicyChoice choice : choices) {
      tasks.add(() -> run(choice));
    }
    return ParallelTasks.run(tasks, progress::done);
  }

  /** Runs one choice. */
  public PolicyResult run(PolicyChoice choice) {
    return run(
        choice,
        new MemoryStats(NO_OVERSIZE),
        new MemoryTimeline(2),
        EffectListeners.NONE,
        Observer.NONE);
  }

  /**
   * Runs one choice.
   *
   * @param stats gets PyTorch's statistics
   * @param timeline gets memory over time
   * @param also one more listener
   */
  public PolicyResult run(
      PolicyChoice choice,
      MemoryStats stats,
      MemoryTimeline timeline,
      EffectListener also,
      Observer observer) {
    boolean isPyTorch = choice.provider().spec().id().equals(Scenario.PYTORCH);
    DeviceReplay replay =
        new DeviceReplay(trace, device, isPyTorch ? version : null, afterOom, stats, FAILURES_KEPT);
    RequestFailures failures = replay.failures();
    SimulatedDevice memory = new SimulatedDevice(profile);
    EffectListener listener = EffectListeners.all(stats, timeline, failures, also);
    Counter counter = new Counter(memory, timeline);
    AllocatorPolicy policy;
    long startNanos = System.nanoTime();
    try {
      policy =
          choice
              .provider()
              .create(
                  new PolicySettings(limitBytes, choice.options()),
                  new Foresight(trace, device),
                  memory,
                  listener);
    } catch (UnfitTraceException e) {
      return PolicyResult.notRun(choice, "needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      return PolicyResult.notRun(choice, e.getMessage());
    }
    observer.started(policy, memory);
    replay.run(
        policy,
        memory,
        listener,
        event -> {
          counter.before(event);
          if (!observer.before(event, policy)) {
            replay.endBehind(event);
          }
        });
    observer.end(policy, memory);
    counter.look();
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return new PolicyResult(
        choice,
        null,
        stats.toMap(),
        new PolicyResult.Moment(
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.REQUESTED),
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.ALLOCATED),
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.ACTIVE),
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.RESERVED)),
        profile.capacityBytes() - counter.leastFreeBytes,
        counter.events,
        failures.requestCount(),
        failures.kept(),
        failures.count(),
        memory.driverCalls(),
        memory.driverNanos(),
        seconds);
  }

  /** Looks at the device before every request. */
  private final class Counter {
    private final SimulatedDevice memory;
    private final MemoryTimeline timeline;
    private long events;
    private long leastFreeBytes = Long.MAX_VALUE;

    Counter(SimulatedDevice memory, MemoryTimeline timeline) {
      this.memory = memory;
      this.timeline = timeline;
    }

    void before(int event) {
      events++;
      look();
      timeline.at(trace.timeNanos(event));
    }

    void look() {
      leastFreeBytes = Math.min(leastFreeBytes, memory.freeBytes());
    }
  }
}
