package org.allocsim.simulator.run;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.RestorablePolicy;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pinned.PinnedHostAllocator;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jspecify.annotations.Nullable;

/**
 * One run of a policy on the requests of one device of a trace: the only way that a policy meets a
 * trace. It creates the allocator on its device, counts PyTorch's statistics, collects failed
 * requests, notifies observers, and sends the rows.
 *
 * <p>{@link #of} does all of it. To keep using the allocator after the last row, create a run with
 * {@link #start} and end it with {@link #finish}.
 */
public final class Run {
  private static final double NANOS_PER_SECOND = 1e9;

  private final RunSetup setup;
  private final AllocationTrace trace;
  private final RunObserver[] observers;
  private final long startNanos = System.nanoTime();
  private final MemoryStats stats;
  private final Failures failures;
  private final PeakMoment peak;
  private final EffectListener listener;
  private final AllocatorPolicy policy;
  private final boolean stopsAtFailure;

  private final RunMemory memory;

  /** The device of {@link #memory}, looked at after every row; null unless it is simulated. */
  private final @Nullable SimulatedDevice simulated;

  /** The process of {@link #memory}, asked before some rows; null where none is known. */
  private final @Nullable ProgramProcess process;

  private final int lastRow;
  private int row = -1;

  /** By observer, the first row before which it is to be called. */
  private final int[] observedRows;

  /** The first row before which the process does something. */
  private int processRow;

  /** Rows before this one are sent without more ado. */
  private int wakeRow;

  private long events;
  private long callsSeen = -1;
  private long maxTakenBytes;

  /** Sends rows by parts; null until it does. */
  private @Nullable Replay parts;

  private Run(RunSetup setup, RunObserver[] observers)
      throws PolicyOptionException, UnfitTraceException {
    this.setup = setup;
    this.observers = observers;
    observedRows = new int[observers.length];
    trace = setup.trace();
    lastRow = setup.course().lastRow();
    stopsAtFailure = setup.course().afterOom() == AfterOom.STOP;
    stats = new MemoryStats(setup.policy().oversizeBytes());
    failures =
        new Failures(
            trace,
            setup.device(),
            setup.policy().wording(),
            stats,
            () -> row,
            setup.course().maxFailures());
    peak = new PeakMoment(stats);
    memory = RunMemory.of(setup);
    switch (memory) {
      case RunMemory.Simulated(var device, _, var ofProgram) -> {
        simulated = device;
        process = ofProgram;
      }
      case RunMemory.InTime(var device, _, var ofProgram) -> {
        simulated = device;
        process = ofProgram;
      }
      case RunMemory.Recorded _, RunMemory.Other _ -> {
        simulated = null;
        process = null;
      }
    }
    listener = listener();
    policy =
        setup
            .policy()
            .create(
                setup.limitBytes(),
                new FutureRequests(trace, setup.device()),
                memory.given(),
                listener);
  }

  /** The statistics hear first, who follows the recording last. */
  private EffectListener listener() {
    Stream<EffectListener> first = Stream.of(stats, peak, failures);
    Stream<EffectListener> others = Arrays.stream(observers).map(RunObserver::effects);
    Stream<EffectListener> last =
        switch (memory) {
          case RunMemory.InTime(_, var simulation, _) -> Stream.of(simulation.listener());
          case RunMemory.Recorded(_, var follower) -> Stream.of(follower);
          case RunMemory.Simulated _, RunMemory.Other _ -> Stream.empty();
        };
    return EffectListeners.all(
        Stream.concat(Stream.concat(first, others), last)
            .filter(each -> !each.equals(EffectListeners.NONE))
            .toArray(EffectListener[]::new));
  }

  /** Runs; a policy that cannot serve the trace has a result that says why. */
  public static RunResult of(RunSetup setup, RunObserver... observers) {
    try {
      return start(setup, observers).finish();
    } catch (UnfitTraceException e) {
      return RunResult.notRun(setup, "needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      return RunResult.notRun(setup, e.getMessage());
    }
  }

  /**
   * A run whose allocator is made and has served no request.
   *
   * @throws PolicyOptionException if the policy rejects one of its options
   * @throws UnfitTraceException where the policy needs something that the requests do not have
   */
  public static Run start(RunSetup setup, RunObserver... observers)
      throws PolicyOptionException, UnfitTraceException {
    Run run = new Run(setup, observers.clone());
    if (setup.memory() instanceof MemorySource.Recorded(_, var start, _)) {
      if (!(run.policy instanceof RestorablePolicy restorable)) {
        throw new UnfitTraceException("an allocator that can start with recorded memory");
      }
      RestoredStart.restore(restorable, run.stats, start);
      run.peak.startWith(run.stats.reservedBytes());
    }
    for (RunObserver observer : run.observers) {
      observer.begin(run);
    }
    return run;
  }

  /** Sends the rows; once. */
  public RunResult finish() {
    TimeResult time = null;
    if (memory instanceof RunMemory.InTime(_, var simulation, _)) {
      AllocatorPolicy host =
          new PinnedHostAllocator(
              simulation.hostMemory(), EffectListeners.NONE, HostMemoryListener.NONE);
      time = simulation.run(policy, host, listener, stats::activeBytes, this::next);
    } else {
      Replay replay = new Replay(trace, setup.device(), policy, listener, stats::activeBytes);
      if (memory instanceof RunMemory.Recorded) {
        replay.runRestored(this::next);
      } else {
        replay.run(setup.course().passes(), this::next);
      }
    }
    look();
    return end(time);
  }

  /**
   * Sends the next rows of a run that is neither in time nor repeated nor recorded, for as long as
   * it is to go on; may be called again. {@link #end} ends such a run.
   *
   * @param goesOn asked right before each row, by its number
   * @return whether it stopped because it is not to go on; otherwise no rows are left
   */
  boolean sendWhile(IntPredicate goesOn) {
    if (parts == null) {
      parts = new Replay(trace, setup.device(), policy, listener, stats::activeBytes);
    }
    boolean[] pauses = new boolean[1];
    parts.runFrom(
        row + 1,
        nextRow -> {
          look();
          pauses[0] = !goesOn.test(nextRow);
          return !pauses[0] && next(nextRow);
        });
    look();
    return pauses[0];
  }

  /** What came of a run whose rows were sent by {@link #sendWhile}. */
  RunResult end() {
    return end(null);
  }

  private RunResult end(@Nullable TimeResult time) {
    for (RunObserver observer : observers) {
      observer.end();
    }
    return result(time);
  }

  /** What was held at the peak so far; no two peaks of a run are equal. */
  public RunResult.Moment peakSoFar() {
    return peak.moment();
  }

  private boolean next(int nextRow) {
    look();
    if (stopsAtFailure && failures.count() > 0) {
      return false;
    }
    boolean passBegins = nextRow <= row;
    if ((nextRow >= wakeRow || passBegins) && !wake(nextRow, passBegins)) {
      return false;
    }
    row = nextRow;
    events++;
    return true;
  }

  /** Does what is to be done right before some rows; answers whether to go on. */
  private boolean wake(int nextRow, boolean passBegins) {
    if (nextRow > lastRow) {
      return false;
    }
    int wakes = lastRow == Integer.MAX_VALUE ? lastRow : lastRow + 1;
    for (int i = 0; i < observers.length; i++) {
      if (nextRow >= observedRows[i] || passBegins) {
        if (!observers[i].before(nextRow)) {
          return false;
        }
        observedRows[i] = observers[i].nextRow();
      }
      wakes = Math.min(wakes, observedRows[i]);
    }
    if (passBegins) {
      failures.beginPass();
    }
    if (process != null) {
      if (nextRow >= processRow || passBegins) {
        processRow = process.before(nextRow, passBegins);
      }
      wakes = Math.min(wakes, processRow);
    }
    wakeRow = wakes;
    return true;
  }

  /** Looks at what the row that was sent last has changed. */
  private void look() {
    peak.look(row);
    if (simulated != null && simulated.changes() != callsSeen) {
      lookAtDevice(simulated);
    }
  }

  /** Apart from the rest, which every row does, so that it stays small. */
  private void lookAtDevice(SimulatedDevice device) {
    callsSeen = device.changes();
    maxTakenBytes = Math.max(maxTakenBytes, device.takenBytes());
    for (RunObserver observer : observers) {
      observer.deviceCalled(row);
    }
  }

  private RunResult result(@Nullable TimeResult time) {
    double ownNanos = 0;
    for (RunObserver observer : observers) {
      ownNanos += observer.ownNanos();
    }
    double seconds = (System.nanoTime() - startNanos - ownNanos) / NANOS_PER_SECOND;
    Map<DriverCall, Long> calls = new EnumMap<>(DriverCall.class);
    Map<DriverCall, Long> nanos = new EnumMap<>(DriverCall.class);
    for (DriverCall call : DriverCall.values()) {
      if (memory instanceof RunMemory.Recorded(var recorded, _)) {
        calls.put(call, recorded.calls(call));
      } else if (simulated != null) {
        calls.put(call, simulated.driverCalls(call));
        if (simulated.driverNanos(call) > 0) {
          nanos.put(call, simulated.driverNanos(call));
        }
      }
    }
    return new RunResult(
        setup,
        null,
        stats.toMap(),
        peak.moment(),
        peak.row(),
        row,
        maxTakenBytes,
        events,
        failures.requestCount(),
        failures.kept(),
        failures.count(),
        calls,
        nanos,
        seconds,
        time,
        divergedRow());
  }

  /** What is run. */
  public RunSetup setup() {
    return setup;
  }

  /** The allocator. */
  public AllocatorPolicy policy() {
    return policy;
  }

  /** PyTorch's statistics so far. */
  public MemoryStats stats() {
    return stats;
  }

  /** The requests that failed so far. */
  public Failures failures() {
    return failures;
  }

  /** The row that was sent last, −1 before the first. */
  public int row() {
    return row;
  }

  /** The simulated device; empty where memory comes from elsewhere. */
  public Optional<SimulatedDevice> simulatedDevice() {
    return Optional.ofNullable(simulated);
  }

  /** Time of the driver's calls so far; 0 where it is not modelled. */
  public long driverNanos() {
    return simulated == null ? 0 : simulated.driverNanos();
  }

  /** Free bytes of a simulated device; empty where a recording or a real device is used. */
  public OptionalLong deviceFreeBytes() {
    return simulated == null ? OptionalLong.empty() : OptionalLong.of(simulated.freeBytes());
  }

  /** When the host comes to a row: in simulated time, else at the time of the trace. */
  public long nanosAt(int nextRow) {
    return memory instanceof RunMemory.InTime(_, var simulation, _)
        ? simulation.nowNanos()
        : trace.timeNanos(nextRow);
  }

  /** What follows the recording; empty where none is followed. */
  public Optional<EffectFollower> follower() {
    return memory instanceof RunMemory.Recorded(_, var follower)
        ? Optional.of(follower)
        : Optional.empty();
  }

  /**
   * From now on the device of a followed recording grants what so many free bytes allow, at
   * addresses of its own: the allocator is to be asked what the recorded program did not.
   *
   * @throws IllegalStateException where no recording is followed
   */
  public void leaveRecording(long freeBytes) {
    if (!(memory instanceof RunMemory.Recorded(var recorded, _))) {
      throw new IllegalStateException("no recording is followed");
    }
    recorded.leaveRecording(freeBytes);
  }

  /**
   * Recorded effect from which on the policy did something else, or which it did not come to; −1
   * where there is none.
   */
  private long divergedRow() {
    if (!(memory instanceof RunMemory.Recorded(var recorded, var follower))) {
      return -1;
    }
    boolean ended =
        setup.course().lastRow() < trace.eventCount() - 1
            || (stopsAtFailure && failures.count() > 0);
    boolean followed =
        !follower.hasDiverged() && (ended || follower.position() == recorded.effectCount());
    return followed ? -1 : follower.position();
  }
}
