package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.timing.Pace;
import org.allocsim.simulator.timing.Roofline;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Replays one device of a trace through any policy on a simulated device. Many runs may share a
 * trace, on several threads. A trace with work, or one whose recorded driver time is known, is run
 * in time.
 *
 * @param trace the requests
 * @param device index of the device in the trace
 * @param profile the simulated device
 * @param limitBytes bytes that a policy may hold at most, −1 without a limit
 * @param version whose words failed requests of PyTorch get
 * @param afterOom how to go on behind a failed request
 * @param recordedDriverNanos time of the recorded allocator's driver calls in each row, as {@link
 *     #driverNanosByRow} finds it; null where the trace is no recording, or time does not matter
 */
@SuppressWarnings("ArrayRecordComponent")
public record PolicyTrial(
    AllocationTrace trace,
    int device,
    DeviceProfile profile,
    long limitBytes,
    PyTorchVersion version,
    AfterOom afterOom,
    long[] recordedDriverNanos) {
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
          public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
            return true;
          }

          @Override
          public void end(AllocatorPolicy policy, SimulatedDevice device) {}
        };

    /** Row {@code event} of the trace comes next; answers whether to go on behind it. */
    boolean before(int event, AllocatorPolicy policy, SimulatedDevice device);

    /** The last request was served. */
    void end(AllocatorPolicy policy, SimulatedDevice device);

    /** Wall time that it took for itself, which is none of the policy's. */
    default long ownNanos() {
      return 0;
    }

    /** An observer that lets two others look, in this order. */
    static Observer both(Observer first, Observer second) {
      return new Observer() {
        @Override
        public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
          // Both must see every row, so neither may be skipped.
          boolean firstGoesOn = first.before(event, policy, device);
          boolean secondGoesOn = second.before(event, policy, device);
          return firstGoesOn && secondGoesOn;
        }

        @Override
        public void end(AllocatorPolicy policy, SimulatedDevice device) {
          first.end(policy, device);
          second.end(policy, device);
        }

        @Override
        public long ownNanos() {
          return first.ownNanos() + second.ownNanos();
        }
      };
    }
  }

  /** Without a recorded allocator's driver time. */
  public PolicyTrial(
      AllocationTrace trace,
      int device,
      DeviceProfile profile,
      long limitBytes,
      PyTorchVersion version,
      AfterOom afterOom) {
    this(trace, device, profile, limitBytes, version, afterOom, null);
  }

  /** The same trial, in time beside a recorded allocator whose driver time is given. */
  public PolicyTrial inTimeOf(long[] driverNanosByRow) {
    return new PolicyTrial(trace, device, profile, limitBytes, version, afterOom, driverNanosByRow);
  }

  /** Time of a choice's driver calls in each row of the trace, waiting not included. */
  public long[] driverNanosByRow(PolicyChoice choice) {
    long[] nanos = new long[trace.eventCount()];
    DriverTimeByRow meter = new DriverTimeByRow(nanos);
    new PolicyTrial(trace, device, profile, limitBytes, version, AfterOom.CONTINUE, null)
        .run(
            choice,
            new MemoryStats(NO_OVERSIZE),
            new MemoryTimeline(2),
            EffectListeners.NONE,
            meter);
    return nanos;
  }

  private boolean isInTime() {
    return trace.workCount() > 0 || recordedDriverNanos != null;
  }

  private Simulation simulation(SimulatedDevice memory) {
    Simulation simulation = new Simulation(trace, device, memory, Roofline.of(profile.compute()));
    if (trace.workCount() == 0) {
      simulation.keep(Pace.without(trace, recordedDriverNanos));
    }
    return simulation;
  }

  /**
   * Who hears a run beside the result.
   *
   * @param timeline gets memory over time
   * @param effects hears what the policy does
   * @param observer looks at the policy between two requests
   */
  public record Audience(MemoryTimeline timeline, EffectListener effects, Observer observer) {}

  /** As {@link #runAll(List, Progress)}, with an audience for each choice by its place. */
  public List<PolicyResult> runAll(
      List<PolicyChoice> choices, IntFunction<Audience> audiences, Progress progress) {
    List<Callable<PolicyResult>> tasks = new ArrayList<>();
    for (int i = 0; i < choices.size(); i++) {
      int place = i;
      tasks.add(() -> {
        Audience audience = audiences.apply(place);
        return run(
            choices.get(place),
            new MemoryStats(NO_OVERSIZE),
            audience.timeline(),
            audience.effects(),
            audience.observer());
      });
    }
    return ParallelTasks.run(tasks, progress::done);
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
    Simulation simulation = isInTime() ? simulation(memory) : null;
    EffectListener listener =
        simulation == null
            ? EffectListeners.all(stats, timeline, failures, also)
            : EffectListeners.all(stats, timeline, failures, also, simulation.listener());
    Counter counter = new Counter(memory, timeline, simulation);
    AllocatorPolicy policy;
    long startNanos = System.nanoTime();
    try {
      policy =
          choice
              .provider()
              .create(
                  new PolicySettings(limitBytes, choice.options()),
                  new FutureRequests(trace, device),
                  simulation == null ? memory : simulation.memory(),
                  listener);
    } catch (UnfitTraceException e) {
      return PolicyResult.notRun(choice, "needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      return PolicyResult.notRun(choice, e.getMessage());
    }
    IntConsumer before =
        event -> {
          counter.before(event);
          if (!observer.before(event, policy, memory)) {
            replay.endBehind(event);
          }
        };
    TimeResult time = null;
    if (simulation == null) {
      replay.run(policy, memory, listener, before);
    } else {
      time = replay.runInTime(simulation, policy, memory, listener, before);
    }
    observer.end(policy, memory);
    counter.look();
    double seconds = (System.nanoTime() - startNanos - observer.ownNanos()) / NANOS_PER_SECOND;
    return new PolicyResult(
        choice,
        null,
        stats.toMap(),
        new PolicyResult.Moment(
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.REQUESTED),
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.ALLOCATED),
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.ACTIVE),
            timeline.bytesAtPeakReserved(MemoryTimeline.Series.RESERVED)),
        null,
        profile.capacityBytes() - counter.leastFreeBytes,
        counter.events,
        failures.requestCount(),
        failures.kept(),
        failures.count(),
        memory.driverCalls(),
        memory.driverNanos(),
        driverNanosByCall(memory),
        seconds,
        time);
  }

  private static Map<DriverCall, Long> driverNanosByCall(SimulatedDevice memory) {
    Map<DriverCall, Long> nanos = new EnumMap<>(DriverCall.class);
    for (DriverCall call : DriverCall.values()) {
      if (memory.driverNanos(call) > 0) {
        nanos.put(call, memory.driverNanos(call));
      }
    }
    return nanos;
  }

  /** Notes what each row's driver calls take. */
  private static final class DriverTimeByRow implements Observer {
    private final long[] nanos;
    private int row = -1;
    private long before;

    DriverTimeByRow(long[] nanos) {
      this.nanos = nanos;
    }

    @Override
    public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
      close(device);
      row = event;
      return true;
    }

    @Override
    public void end(AllocatorPolicy policy, SimulatedDevice device) {
      close(device);
    }

    private void close(SimulatedDevice device) {
      if (row >= 0) {
        nanos[row] = device.driverNanos() - before;
      }
      before = device.driverNanos();
    }
  }

  /** Looks at the device before every request. */
  private final class Counter {
    private final SimulatedDevice memory;
    private final MemoryTimeline timeline;
    private final Simulation simulation;
    private long events;
    private long leastFreeBytes = Long.MAX_VALUE;

    Counter(SimulatedDevice memory, MemoryTimeline timeline, Simulation simulation) {
      this.memory = memory;
      this.timeline = timeline;
      this.simulation = simulation;
    }

    void before(int event) {
      events++;
      look();
      timeline.at(simulation == null ? trace.timeNanos(event) : simulation.nowNanos());
    }

    void look() {
      leastFreeBytes = Math.min(leastFreeBytes, memory.freeBytes());
    }
  }
}
