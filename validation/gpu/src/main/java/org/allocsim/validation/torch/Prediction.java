package org.allocsim.validation.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.LongUnaryOperator;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.jspecify.annotations.Nullable;

/** What a process is expected to do with requests, from the requests alone. */
final class Prediction {
  /** Streams that PyTorch creates when a program first asks for one (2.11). */
  private static final int STREAMS_OF_THE_POOL = 32;

  private final EffectLog effects = new EffectLog();
  private final List<Failure> failures = new ArrayList<>();
  private final DeviceProfile profile;

  /** Row of the effects that reported each failure. */
  private final List<Integer> failureRows = new ArrayList<>();

  private SortedMap<String, Long> statistics = new TreeMap<>();

  /** Start of the driver's reservation around each segment, by row of the effects. */
  private long[] regions = new long[64];

  /**
   * A request that fails.
   *
   * @param allocation its id
   * @param row of the effects; −1 where it never reaches the allocator
   */
  record Failure(int allocation, int row, @Nullable OutOfMemoryMessage message) {
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

  private Prediction(DeviceProfile profile) {
    this.profile = profile;
  }

  /**
   * Replays requests on a simulated device.
   *
   * @param makesStreams whether the process has made its streams before
   */
  static Prediction of(Case run, DeviceProfile profile, boolean makesStreams) {
    Prediction prediction = new Prediction(profile);
    SimulatedDevice device = new SimulatedDevice(profile);
    if (makesStreams) {
      device.createStreams(STREAMS_OF_THE_POOL);
    }
    prediction.replay(run, run.policy(), device, device::reservationStart);
    return prediction;
  }

  /** Replays requests on the device of the stand-in for a GPU, whose addresses are known. */
  static Prediction onMockDriver(Case run, long totalBytes) {
    Prediction prediction = new Prediction(DeviceProfiles.defaultProfile());
    prediction.replay(run, run.policy(), new MockDevice(totalBytes, 0), _ -> 0);
    return prediction;
  }

  /**
   * Replays requests on a device that gives the recorded addresses, for uses that end in the
   * recorded order: what else an allocator does follows from its rules alone.
   */
  static Prediction following(Case run, EffectLog recorded, long totalBytes) {
    Prediction prediction = new Prediction(DeviceProfiles.defaultProfile());
    RecordedDevice device = new RecordedDevice(recorded, prediction.effects::count, totalBytes);
    RunPolicy policy = new InRecordedOrder(run.policy(), recorded, prediction.effects::count);
    prediction.replay(run, policy, device, _ -> 0);
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
      int gpu) {
    private RunPolicy policy() {
      return RunPolicy.pytorch(config, version);
    }
  }

  private void replay(Case run, RunPolicy policy, DeviceMemory device, LongUnaryOperator regionOf) {
    RunResult result =
        Run.of(
            new RunSetup(
                    run.requests.trace(), 0, policy, run.limitBytes, new MemorySource.Given(device))
                .keepingFailures(Integer.MAX_VALUE),
            new Rows(regionOf),
            new FailureRows());
    statistics = result.stats();
    for (FailedRequest failed : result.failures()) {
      failures.add(failure(failed, run.gpu, failures.size()));
    }
  }

  private Failure failure(FailedRequest failed, int gpu, int index) {
    OutOfMemory shortage = failed.shortage();
    int row = failureRows.get(index);
    if (shortage == null) {
      return new Failure(failed.allocation(), row, null);
    }
    return new Failure(
        failed.allocation(),
        row,
        new OutOfMemoryMessage(
            gpu,
            shortage.segmentBytes(),
            shortage.deviceTotalBytes(),
            shortage.deviceFreeBytes(),
            shortage.limitBytes(),
            failed.allocatedBytes(),
            failed.reservedBytes(),
            shortage.privateFreeBytes(),
            ""));
  }

  /** The allocator of a run, to which uses end in the recorded order. */
  private record InRecordedOrder(RunPolicy policy, EffectLog recorded, IntSupplier nextRow)
      implements RunPolicy {
    @Override
    public AllocatorPolicy create(
        long limitBytes, FutureRequests requests, DeviceMemory memory, EffectListener listener)
        throws UnfitTraceException, PolicyOptionException {
      return new RecordedOrder(
          policy.create(limitBytes, requests, memory, listener), recorded, nextRow);
    }

    @Override
    public long oversizeBytes() throws PolicyOptionException {
      return policy.oversizeBytes();
    }

    @Override
    public Optional<OutOfMemoryMessage.Template> wording() throws PolicyOptionException {
      return policy.wording();
    }
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
    return statistics;
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

  private final class Rows extends EffectRows implements RunObserver {
    private final LongUnaryOperator regionOf;

    Rows(LongUnaryOperator regionOf) {
      this.regionOf = regionOf;
    }

    @Override
    public EffectListener effects() {
      return this;
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

  /** Notes the row of each failure, which the effects have by then. */
  private final class FailureRows implements RunObserver, EffectListener {
    @Override
    public EffectListener effects() {
      return this;
    }

    @Override
    public boolean followsBlocks() {
      return false;
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failureRows.add(effects.count() - 1);
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      failureRows.add(-1);
    }
  }
}
