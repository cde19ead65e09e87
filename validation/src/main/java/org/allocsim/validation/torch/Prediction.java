package org.allocsim.validation.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.function.LongUnaryOperator;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;

/** What a process is expected to do with requests, from the requests alone. */
final class Prediction {
  /** Streams that PyTorch creates when a program first asks for one (2.11). */
  private static final int STREAMS_OF_THE_POOL = 32;

  private final EffectLog effects = new EffectLog();
  private final List<Failure> failures = new ArrayList<>();
  private final DeviceProfile profile;
  private final MemoryStats stats;

  /** Start of the driver's reservation around each segment, by row of the effects. */
  private long[] regions = new long[64];

  /**
   * A request that fails.
   *
   * @param allocation its id
   * @param row of the effects; −1 where it never reaches the allocator
   */
  record Failure(int allocation, int row, OutOfMemoryMessage message) {
    /** The text of the error with so much free memory and these sentences about processes. */
    String text(long deviceFreeBytes, String processes, OutOfMemoryMessage.Template template) {
      if (message == null) {
        return OutOfMemoryMessage.MORE_THAN_ONE_EXABYTE;
      }
      return new OutOfMemoryMessage(
              message.deviceIndex(),
              message.segmentBytes(),
              message.deviceTotalBytes(),
              deviceFreeBytes,
              message.limitBytes(),
              message.allocatedBytes(),
              message.reservedBytes(),
              message.privateFreeBytes(),
              processes)
          .text(template);
    }
  }

  private Prediction(DeviceProfile profile, AllocatorConfig config) {
    this.profile = profile;
    stats = new MemoryStats(config.maxSplitBytes());
  }

  /**
   * Replays requests on a simulated device.
   *
   * @param makesStreams whether the process has made its streams before
   */
  static Prediction of(Case run, DeviceProfile profile, boolean makesStreams) {
    Prediction prediction = new Prediction(profile, run.config);
    SimulatedDevice device = new SimulatedDevice(profile);
    if (makesStreams) {
      device.createStreams(STREAMS_OF_THE_POOL);
    }
    prediction.replay(run, device, device::reservationStart, null);
    return prediction;
  }

  /**
   * Replays requests on a device that gives the recorded addresses, for uses that end in the
   * recorded order: what else an allocator does follows from its rules alone.
   */
  static Prediction following(Case run, EffectLog recorded, long totalBytes) {
    DeviceProfile any = DeviceProfiles.defaultProfile();
    Prediction prediction = new Prediction(any, run.config);
    RecordedDevice device = new RecordedDevice(recorded, prediction.effects::count, totalBytes);
    prediction.replay(run, device, _ -> 0, recorded);
    return prediction;
  }

  /**
   * What is replayed.
   *
   * @param gpu number of the GPU, for messages
   */
  record Case(
      TorchRequests requests,
      AllocatorConfig config,
      PyTorchVersion version,
      long limitBytes,
      int gpu) {}

  private void replay(
      Case run, DeviceMemory device, LongUnaryOperator regionOf, EffectLog recorded) {
    AllocationTrace trace = run.requests.trace();
    EffectListener listener = EffectListeners.all(stats, new Rows(regionOf), new Failures(run.gpu));
    CachingAllocator allocator =
        new CachingAllocator(run.config, run.version, run.limitBytes, device, listener);
    AllocatorPolicy policy =
        recorded == null ? allocator : new RecordedOrder(allocator, recorded, effects::count);
    new Replay(trace, 0, policy, listener, stats::activeBytes).run(_ -> true);
  }

  /** What the allocator does. */
  EffectLog effects() {
    return effects;
  }

  /** The requests that fail. */
  List<Failure> failures() {
    return failures;
  }

  /** The statistics at the end. */
  SortedMap<String, Long> statistics() {
    return stats.toMap();
  }

  /**
   * The profile with the arena and the top of the address space as a recording shows them: the
   * first segment in the arena shows one, the first other reservation the other. Unchanged where
   * the recording shows neither.
   *
   * @param rows leading rows that are of the same kinds on both sides
   */
  DeviceProfile learn(EffectLog recorded, int rows) {
    long arenaOffset = 0;
    long topOffset = 0;
    boolean arenaKnown = false;
    boolean topKnown = false;
    for (int row = 0; row < rows && !(arenaKnown && topKnown); row++) {
      if (effects.kind(row) != EffectKind.SEGMENT_ALLOC) {
        continue;
      }
      long offset = recorded.address(row) - effects.address(row);
      if (regions[row] == profile.arenaAddress() || regions[row] == profile.localMemoryAddress()) {
        arenaOffset = arenaKnown ? arenaOffset : offset;
        arenaKnown = true;
      } else {
        topOffset = topKnown ? topOffset : offset;
        topKnown = true;
      }
    }
    if (!arenaKnown) {
      arenaOffset = topOffset;
    }
    if (!topKnown) {
      topOffset = arenaOffset;
    }
    try {
      return profile.withAddresses(
          profile.arenaAddress() + arenaOffset, profile.topAddress() + topOffset);
    } catch (IllegalArgumentException _) {
      return profile;
    }
  }

  private final class Rows extends EffectRows {
    private final LongUnaryOperator regionOf;

    Rows(LongUnaryOperator regionOf) {
      this.regionOf = regionOf;
    }

    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      if (kind == EffectKind.SEGMENT_ALLOC) {
        int row = effects.count();
        if (row >= regions.length) {
          regions = Arrays.copyOf(regions, row + (row >> 1));
        }
        regions[row] = regionOf.applyAsLong(address);
      }
      effects.add(kind, address, bytes, stream);
    }
  }

  /** Receives failures after the statistics and the rows did. */
  private final class Failures implements EffectListener {
    private final int gpu;

    Failures(int gpu) {
      this.gpu = gpu;
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failures.add(
          new Failure(
              failure.allocation(),
              effects.count() - 1,
              new OutOfMemoryMessage(
                  gpu,
                  failure.segmentBytes(),
                  failure.deviceTotalBytes(),
                  failure.deviceFreeBytes(),
                  failure.limitBytes(),
                  stats.allocatedBytes(),
                  stats.reservedBytes(),
                  failure.privateFreeBytes(),
                  "")));
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      failures.add(new Failure(allocation, -1, null));
    }
  }
}
