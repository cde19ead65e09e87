package org.allocsim.reports.cli;

import java.util.SortedMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
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
   */
  record Setup(
      Recording recording,
      int deviceIndex,
      AllocatorConfig config,
      PyTorchVersion version,
      DeviceProfile profile,
      long limitBytes) {}

  private final Setup setup;
  private final AllocationTrace trace;
  private final MemoryStats stats;
  private final MemoryTimeline timeline = new MemoryTimeline();
  private final Failures failures;
  private MemoryLayout layout;
  private SortedMap<String, Long> driverCalls;
  private long driverNanos = -1;
  private long divergedRow = -1;

  ReplayRun(Setup setup) {
    this.setup = setup;
    trace = setup.recording().trace();
    stats = new MemoryStats(setup.config().maxSplitBytes());
    failures = new Failures(setup.deviceIndex(), setup.version(), stats);
  }

  /** The requests. */
  AllocationTrace trace() {
    return trace;
  }

  /** Replays on the device that the addresses come from, with one more listener. */
  void on(Addresses source, EffectListener also, ProgressMeter progress) {
    switch (source) {
      case RECORDED -> onRecordedDevice(also, progress);
      case MODELLED -> onSimulatedDevice(also, progress);
    }
  }

  /** Replays on a device that answers as the recorded one did. */
  private void onRecordedDevice(EffectListener also, ProgressMeter progress) {
    int device = setup.deviceIndex();
    EffectFollower follower = new EffectFollower(setup.recording().effects(device), 0);
    CountingDevice memory =
        new CountingDevice(
            new RecordedDevice(
                setup.recording().effects(device),
                follower::position,
                setup.profile().totalBytes()));
    MemoryLayout start = setup.recording().start(device);
    EffectListener counters = EffectListeners.all(stats, timeline, failures);
    CachingAllocator policy = policy(memory, EffectListeners.all(counters, also, follower));
    policy.restore(start);
    timeline.at(trace.eventCount() == 0 ? 0 : trace.timeNanos(0));
    announce(start, counters);
    run(policy, EffectListeners.both(counters, follower), progress, true);
    driverCalls = CountingDevice.byName(memory::calls);
    divergedRow = follower.hasDiverged() ? follower.position() : -1;
  }

  /** Replays on a simulated device. */
  private void onSimulatedDevice(EffectListener also, ProgressMeter progress) {
    SimulatedDevice memory = new SimulatedDevice(setup.profile());
    EffectListener listener = EffectListeners.all(stats, timeline, failures, also);
    run(policy(memory, listener), listener, progress, false);
    driverCalls = CountingDevice.byName(memory::driverCalls);
    driverNanos = memory.driverNanos();
  }

  private CachingAllocator policy(DeviceMemory memory, EffectListener listener) {
    return new CachingAllocator(setup.config(), setup.limitBytes(), memory, listener);
  }

  private void run(
      CachingAllocator policy, EffectListener listener, ProgressMeter progress, boolean restored) {
    Replay replay =
        new Replay(trace, setup.deviceIndex(), policy, listener, stats::activeBytes);
    Replay.Observer observer =
        event -> {
          timeline.at(trace.timeNanos(event));
          if (trace.kind(event) == RequestKind.ALLOCATE && event >= trace.prologueCount()) {
            failures.beforeRequest();
          }
          if ((event & (PROGRESS_STEP - 1)) == 0) {
            progress.update(event, trace.eventCount());
          }
        };
    if (restored) {
      replay.runRestored(observer);
    } else {
      replay.run(observer);
    }
    layout = MemoryLayout.of(policy);
  }

  /** Tells listeners of memory that was there before the first event. */
  private static void announce(MemoryLayout layout, EffectListener listener) {
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      boolean small = layout.isSmall(segment);
      int stream = layout.stream(segment);
      long address = layout.segmentAddress(segment);
      if (layout.isExpandable(segment)) {
        listener.segmentMapped(address, layout.segmentBytes(segment), stream, small);
      } else {
        listener.segmentAllocated(address, layout.segmentBytes(segment), stream, small);
      }
      int end = layout.firstBlock(segment + 1);
      for (int block = layout.firstBlock(segment); block < end; block++) {
        BlockState state = layout.state(block);
        long bytes = layout.blockBytes(block);
        if (state == BlockState.INACTIVE) {
          if (bytes < layout.segmentBytes(segment)) {
            listener.inactiveSplitChanged(1, bytes, small);
          }
          continue;
        }
        int allocation = layout.allocation(block);
        long start = layout.blockAddress(block);
        long requested = layout.requestedBytes(block);
        listener.blockAllocated(allocation, start, requested, bytes, stream, small);
        if (state == BlockState.ACTIVE_PENDING_FREE) {
          listener.freeRequested(allocation, start, requested, bytes, stream, small);
        }
      }
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

  /** Requests that failed. */
  Failures failures() {
    return failures;
  }

  /** Where reserved memory went. */
  Fragmentation fragmentation() {
    return Fragmentation.of(stats, timeline, layout);
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
