package org.allocsim.reports.advice;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.validation.fidelity.RestoredStart;

/** One replay that ends behind a chosen row and leaves the allocator as it is then. */
final class StoppableReplay {
  /** Hears of every row that was sent. */
  @FunctionalInterface
  interface RowListener {
    /** A row was sent, and what it caused is done. */
    void sent(int row);
  }

  private final ReplayInput input;
  private final AllocationTrace trace;
  private final MemoryStats stats;
  private final CachingAllocator policy;
  private final EffectListener listener;
  private final TrialDevice device;

  /** Null where addresses are modelled. */
  private final EffectFollower follower;

  /** Null where addresses are recorded. */
  private final PyTorchProcess process;

  private FailedRequest firstFailure;
  private long failures;
  private int row;
  private int reported;

  StoppableReplay(ReplayInput input) {
    this.input = input;
    trace = input.trace();
    stats = new MemoryStats(input.config().maxSplitBytes());
    ReplayInput.RecordedRun recording = input.recording();
    EffectListener counters = EffectListeners.both(stats, new FailureListener());
    DeviceMemory memory;
    if (recording == null) {
      follower = null;
      SimulatedDevice simulated = new SimulatedDevice(input.profile());
      process = new PyTorchProcess(trace, simulated);
      memory = simulated;
      listener = counters;
    } else {
      process = null;
      follower = new EffectFollower(recording.effects(), 0);
      memory =
          new RecordedDevice(recording.effects(), follower::position, input.profile().totalBytes());
      listener = EffectListeners.both(counters, follower);
    }
    device = new TrialDevice(memory);
    policy =
        new CachingAllocator(
            input.config(), input.version(), input.effectiveLimitBytes(), device, listener);
    row = -1;
    if (recording != null) {
      RestoredStart.restore(policy, stats, recording.start());
      row = trace.prologueCount() - 1;
    }
  }

  /** Row behind which the replay of an input begins: −1, or the last one of the prologue. */
  static int startRow(ReplayInput input) {
    return input.recording() == null ? -1 : input.trace().prologueCount() - 1;
  }

  /** Replays up to and with a row; once. */
  void runTo(int lastRow, RowListener rows) {
    Replay replay = new Replay(trace, input.device(), policy, listener, stats::activeBytes);
    reported = row;
    Replay.Observer observer =
        next -> {
          report(rows);
          if (next > lastRow) {
            return false;
          }
          row = next;
          if (process != null) {
            process.before(next);
          }
          return true;
        };
    if (input.recording() != null) {
      replay.runRestored(observer);
    } else {
      replay.run(observer);
    }
    report(rows);
  }

  private void report(RowListener rows) {
    if (row != reported) {
      reported = row;
      rows.sent(row);
    }
  }

  MemoryStats stats() {
    return stats;
  }

  CachingAllocator policy() {
    return policy;
  }

  TrialDevice device() {
    return device;
  }

  /** The row that was sent last. */
  int row() {
    return row;
  }

  /** The first request that failed, or null. */
  FailedRequest firstFailure() {
    return firstFailure;
  }

  /** Number of requests that failed. */
  long failures() {
    return failures;
  }

  /** Recorded row from which on the allocator did something else, or −1. */
  long divergedRow() {
    if (follower == null
        || (!follower.hasDiverged()
            && follower.position() == input.recording().effects().count())) {
      return -1;
    }
    return follower.position();
  }

  private final class FailureListener implements EffectListener {
    @Override
    public boolean followsBlocks() {
      return false;
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failures++;
      if (firstFailure == null) {
        firstFailure =
            new FailedRequest(
                failure.allocation(),
                row,
                failure.requestedBytes(),
                failure.roundedBytes(),
                failure.segmentBytes(),
                failure.stream(),
                trace.pool(row),
                failure.limitBytes(),
                failure.deviceFreeBytes(),
                failure.deviceTotalBytes());
      }
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      failures++;
    }
  }
}
