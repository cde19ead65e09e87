package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.IntConsumer;
import org.allocsim.reports.advice.CapacitySearch;
import org.allocsim.reports.advice.MemoryMoment;
import org.allocsim.reports.advice.MomentQuery;
import org.allocsim.reports.advice.SlackSplit;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.RestoredStart;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.timing.Pace;
import org.allocsim.simulator.timing.Roofline;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** One replay of one device of a recording, with everything that listens to it. */
final class ReplayRun {
  /** How often progress is reported, in requests; a power of two. */
  private static final int PROGRESS_STEP = 1 << 12;

  /**
   * What is replayed, and how.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   * @param afterOom how to go on behind a request that fails
   * @param checks whether the allocator's invariants are checked before and after every request
   */
  record Setup(
      Recording recording,
      int deviceIndex,
      AllocatorConfig config,
      PyTorchVersion version,
      DeviceProfile profile,
      long limitBytes,
      AfterOom afterOom,
      boolean checks) {
    /** A replay that goes on behind requests that fail. */
    Setup(
        Recording recording,
        int deviceIndex,
        AllocatorConfig config,
        PyTorchVersion version,
        DeviceProfile profile,
        long limitBytes,
        boolean checks) {
      this(recording, deviceIndex, config, version, profile, limitBytes, AfterOom.CONTINUE, checks);
    }

    /**
     * Whether the recorded answers can hold: neither the limit nor a chosen device is too small for
     * what was recorded, with the streams that the program makes. A device that was chosen need not
     * refuse what the recorded one refused, so failed requests call for the model unless a limit
     * explains them.
     *
     * @param deviceChosen whether the device is not simply taken to be the recorded one
     */
    boolean allowsRecordedAnswers(boolean deviceChosen) {
      long peakBytes = recording.peakBytes(deviceIndex);
      boolean limited = limitBytes != MemoryLimit.NONE;
      if (limited && peakBytes > limitBytes) {
        return false;
      }
      return !deviceChosen
          || (peakBytes + streamBytes() <= profile.capacityBytes()
              && (limited || !recording.hasFailures(deviceIndex)));
    }

    /** What PyTorch's streams take from the device beside the allocator. */
    private long streamBytes() {
      AllocationTrace trace = recording.trace();
      for (int event = 0; event < trace.eventCount(); event++) {
        if (trace.device(event) == deviceIndex
            && trace.kind(event) == RequestKind.ALLOCATE
            && trace.streamHandle(trace.stream(event)) != 0) {
          return CapacitySearch.STREAM_BYTES;
        }
      }
      return 0;
    }

    /** The same for another program. */
    Setup with(Recording another) {
      return new Setup(
          another, deviceIndex, config, version, profile, limitBytes, afterOom, checks);
    }

    /** The same without checks. */
    Setup unchecked() {
      return new Setup(
          recording, deviceIndex, config, version, profile, limitBytes, afterOom, false);
    }

    /** The same under the limit that the recording shows, where none is given. */
    Setup withRecordedLimit() {
      return limitBytes >= 0
          ? this
          : new Setup(
              recording,
              deviceIndex,
              config,
              version,
              profile,
              recording.limitBytes(),
              afterOom,
              checks);
    }
  }

  private final Setup setup;
  private final AllocationTrace trace;
  private final MemoryStats stats;
  private final MemoryTimeline timeline = new MemoryTimeline();
  private final FragmentationTimeline fragmentationTimeline = new FragmentationTimeline(timeline);
  private final DeviceReplay replay;

  /** Null unless invariants are checked. */
  private final InvariantChecker checker;

  /** Hears of every request before the policy does. */
  private IntConsumer watcher = _ -> {};

  private MemoryLayout layout;

  /** What was held behind the first request that failed; null where none did. */
  private MemoryLayout atFailure;

  /** What is held behind {@link #peakRow}; null where that was not kept. */
  private MemoryLayout atPeak;

  /** Blocks of all layouts that were kept for the peak, also of those that were passed. */
  private long keptBlocks;

  private Addresses source;

  /** Row behind which reserved memory first has its peak so far, and that peak. */
  private int peakRow = -1;

  private long peakBytes;
  private int lastRow = -1;

  private long[] recordedDriverNanos;
  private TimeResult time;
  private SortedMap<String, Long> driverCalls;
  private long driverNanos = -1;
  private long divergedRow = -1;

  ReplayRun(Setup setup) {
    this.setup = setup;
    trace = setup.recording().trace();
    stats = new MemoryStats(setup.config().maxSplitBytes());
    replay =
        new DeviceReplay(
            trace,
            setup.deviceIndex(),
            setup.version(),
            setup.afterOom(),
            stats,
            Integer.MAX_VALUE);
    checker = setup.checks() ? new InvariantChecker(mostBytes(setup)) : null;
  }

  /** What may be reserved; expandable segments may pass the limit by a part of a page (2.11). */
  private static long mostBytes(Setup setup) {
    if (setup.limitBytes() < 0) {
      return InvariantChecker.UNLIMITED;
    }
    return setup.config().expandableSegments()
        ? setup.limitBytes() + setup.config().largeSegmentBytes() - 1
        : setup.limitBytes();
  }

  /** The requests. */
  AllocationTrace trace() {
    return trace;
  }

  /** Lets {@code watcher} hear of every row of the trace before the policy does. */
  void watch(IntConsumer watcher) {
    this.watcher = watcher;
  }

  /**
   * Lets replays on a simulated device run in time, where the program keeps its own pace.
   *
   * @param driverNanosByRow what the recorded allocator's driver calls took of the recorded time
   */
  void keepPace(long[] driverNanosByRow) {
    recordedDriverNanos = driverNanosByRow;
  }

  /** What happened in simulated time; null where the replay had none. */
  TimeResult time() {
    return time;
  }

  /** Replays on the device that the addresses come from, with one more listener. */
  void on(Addresses addresses, EffectListener also, ProgressMeter progress) {
    source = addresses;
    switch (addresses) {
      case RECORDED -> onRecordedDevice(also, progress);
      case MODELLED -> onSimulatedDevice(also, progress);
    }
  }

  /** Replays on a device that answers as the recorded one did. */
  private void onRecordedDevice(EffectListener also, ProgressMeter progress) {
    int device = setup.deviceIndex();
    EffectLog effects = setup.recording().effects(device);
    EffectFollower follower = new EffectFollower(effects, 0);
    CountingDevice memory =
        new CountingDevice(
            new RecordedDevice(effects, follower::position, setup.profile().totalBytes()));
    EffectListener counters = counters();
    CachingAllocator policy = policy(memory, EffectListeners.all(counters, also, follower));
    RestoredStart.restore(policy, stats, setup.recording().start(device));
    if (checker != null) {
      checker.startFrom(policy);
    }
    notePeak(policy);
    timeline.at(trace.eventCount() == 0 ? 0 : trace.timeNanos(0));
    timeline.startWith(
        stats.requestedBytes(), stats.allocatedBytes(), stats.activeBytes(), stats.reservedBytes());
    replay.runRestored(
        policy, EffectListeners.both(counters, follower), event -> before(event, policy, progress));
    end(policy);
    driverCalls = CountingDevice.byName(memory::calls);
    boolean followed =
        !follower.hasDiverged() && (replay.isStopped() || follower.position() == effects.count());
    divergedRow = followed ? -1 : follower.position();
  }

  /** Replays on a simulated device. */
  private void onSimulatedDevice(EffectListener also, ProgressMeter progress) {
    SimulatedDevice memory =
        new SimulatedDevice(
            setup.profile().withHistory(setup.recording().addressHistory(setup.deviceIndex())));
    if (recordedDriverNanos == null) {
      EffectListener listener = EffectListeners.both(counters(), also);
      CachingAllocator policy = policy(memory, listener);
      replay.run(policy, memory, listener, event -> before(event, policy, progress));
      end(policy);
    } else {
      Simulation simulation =
          new Simulation(
              trace, setup.deviceIndex(), memory, Roofline.of(setup.profile().compute()));
      simulation.keep(Pace.without(trace, recordedDriverNanos));
      EffectListener listener = EffectListeners.all(counters(), also, simulation.listener());
      CachingAllocator policy = policy(simulation.memory(), listener);
      time =
          replay.runInTime(
              simulation, policy, memory, listener, event -> before(event, policy, progress));
      end(policy);
    }
    driverCalls = CountingDevice.byName(memory::driverCalls);
    driverNanos = memory.driverNanos();
  }

  private EffectListener counters() {
    EffectListener counters =
        EffectListeners.all(stats, timeline, fragmentationTimeline, replay.failures());
    return checker == null ? counters : EffectListeners.both(counters, checker);
  }

  private CachingAllocator policy(DeviceMemory memory, EffectListener listener) {
    return new CachingAllocator(
        setup.config(), setup.version(), setup.limitBytes(), memory, listener);
  }

  private void before(int event, CachingAllocator policy, ProgressMeter progress) {
    check(policy);
    notePeak(policy);
    noteFailure(policy);
    lastRow = event;
    watcher.accept(event);
    timeline.at(trace.timeNanos(event));
    if ((event & (PROGRESS_STEP - 1)) == 0) {
      progress.update(event, trace.eventCount());
    }
  }

  private void end(CachingAllocator policy) {
    check(policy);
    notePeak(policy);
    noteFailure(policy);
    layout = MemoryLayout.of(policy);
  }

  /**
   * Reserved memory may have grown with the row that was sent last. What is held then is kept, as
   * long as all that was kept has fewer blocks than the replay has rows: beyond that it is cheaper
   * to replay once more up to the peak.
   */
  private void notePeak(CachingAllocator policy) {
    if (stats.peakReservedBytes() <= peakBytes) {
      return;
    }
    peakBytes = stats.peakReservedBytes();
    peakRow = lastRow;
    atPeak = keptBlocks <= lastRow + 1 ? MemoryLayout.of(policy) : null;
    keptBlocks += atPeak == null ? 0 : atPeak.blockCount();
  }

  private void noteFailure(CachingAllocator policy) {
    if (atFailure == null && replay.failures().count() > 0) {
      atFailure = MemoryLayout.of(policy);
    }
  }

  private void check(CachingAllocator policy) {
    if (checker != null) {
      checker.check(policy);
    }
  }

  /** PyTorch's counters at the end. */
  MemoryStats stats() {
    return stats;
  }

  /** Memory over time. */
  MemoryTimeline timeline() {
    return timeline;
  }

  /** Whether the replay ended at a request that failed. */
  boolean isStopped() {
    return replay.isStopped();
  }

  /** Requests that failed. */
  RequestFailures failures() {
    return replay.failures();
  }

  /**
   * Where reserved memory went. Where what was held at the peak was not kept, the program is
   * replayed once more up to there.
   */
  Fragmentation fragmentation() {
    if (atPeak == null) {
      atPeak = peakRow == lastRow ? layout : layoutBehind(peakRow);
    }
    return Fragmentation.of(
        stats,
        timeline,
        layout,
        slack(layout, MemoryMoment.mainStream(layout)),
        atPeak,
        slack(atPeak, streamAt(peakRow, atPeak)));
  }

  /** What charts show; only behind {@link #fragmentation()}. */
  ReplayPictures pictures() {
    List<ReplayPictures.Moment> moments = new ArrayList<>();
    if (atFailure != null) {
      moments.add(
          new ReplayPictures.Moment(
              "oom",
              MomentQuery.Kind.FIRST_OOM.phrase(),
              replay.failures().kept().getFirst().event(),
              atFailure));
    }
    moments.add(
        new ReplayPictures.Moment(
            "peak", MomentQuery.Kind.PEAK_RESERVED.phrase(), peakRow, atPeak));
    moments.add(new ReplayPictures.Moment("end", MomentQuery.Kind.END.phrase(), lastRow, layout));
    return new ReplayPictures(trace, fragmentationTimeline, moments, false);
  }

  private MemoryLayout layoutBehind(int row) {
    ReplayRun again = new ReplayRun(setup.unchecked());
    again.replay.endBehind(row);
    try (ProgressMeter progress = ProgressMeter.ofEvents("looking at the peak")) {
      again.on(source, EffectListeners.NONE, progress);
    }
    return again.layout;
  }

  /** The stream whose request led to a moment, else the one that holds most. */
  private int streamAt(int row, MemoryLayout then) {
    boolean allocates =
        row >= 0
            && (trace.kind(row) == RequestKind.ALLOCATE
                || trace.kind(row) == RequestKind.RESTORE_BLOCK);
    return allocates ? trace.stream(row) : MemoryMoment.mainStream(then);
  }

  private SlackSplit slack(MemoryLayout then, int stream) {
    return SlackSplit.of(then, stream, setup.config().largeSegmentBytes());
  }

  /** Calls of the driver by name. */
  SortedMap<String, Long> driverCalls() {
    return driverCalls;
  }

  /** Least time that the driver calls take, or −1 where it is not known. */
  long driverNanos() {
    return driverNanos;
  }

  /** Row of the recording from which on the replay did something else, or −1. */
  long divergedRow() {
    return divergedRow;
  }
}
