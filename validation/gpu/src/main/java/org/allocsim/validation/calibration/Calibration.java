package org.allocsim.validation.calibration;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.workloads.profile.ProfileFile;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.jspecify.annotations.Nullable;

/**
 * Calibrates a device: finds its units and places, then runs rounds of random calls of every kind
 * and fits the cost model to their times. Rounds repeat all kinds, so that a drift of the machine's
 * speed reaches each of them alike, and times are scaled to one speed of the host ({@link
 * ObservationSet}).
 */
public final class Calibration {
  private static final long SEED = 20_251_122;
  private static final int BLOCK_CALLS = 500;
  private static final int HANDLE_CYCLES = 4;
  private static final int HANDLE_CALLS = 60;
  private static final int POOL_CALLS = 1_500;

  /** So many that each kind of refusal comes several times. */
  private static final int FULL_CYCLES = 12;

  private static final int WAITS = 20;

  /** Maximum bytes that the streams take. */
  private static final int STREAMS_PAGES = 2;

  /** Chunks of the pool that a filled device has left. */
  private static final int LEFT_CHUNKS = 24;

  private final CalibrationTarget target;
  private final DeviceProfile base;
  private final CalibrationBounds bounds;
  private final ObservationSet observations = new ObservationSet();
  private final List<String> undetermined = new ArrayList<>();

  private Calibration(CalibrationTarget target, DeviceProfile base, CalibrationBounds bounds) {
    this.target = target;
    this.base = base;
    this.bounds = bounds;
  }

  /**
   * Calibrates a device on which this process has taken nothing yet. The device is empty again
   * afterwards.
   *
   * @param base gives the name, and every figure that cannot be determined
   * @param progress receives the number of each round that is over, from 1
   * @throws CalibrationException where the device behaves in a way that cannot be calibrated
   */
  public static CalibrationResult of(
      CalibrationTarget target,
      DeviceProfile base,
      CalibrationBounds bounds,
      IntConsumer progress) {
    return new Calibration(target, base, bounds).run(progress);
  }

  private CalibrationResult run(IntConsumer progress) {
    final long start = System.nanoTime();
    DeviceMemory memory = target.memory();
    final long freeBytes = memory.freeBytes();
    if (freeBytes < bounds.maxBytes()) {
      throw new CalibrationException(
          ("only %d bytes of the device are free, but %d are needed; end other programs or"
                  + " allow less")
              .formatted(freeBytes, bounds.maxBytes()));
    }
    Placement placement = PlacementExperiment.of(memory);
    if (placement.pageBytes() != DeviceProfile.PAGE_BYTES) {
      throw new CalibrationException(
          "the device has pages of %d bytes, but only pages of %d bytes can be simulated"
              .formatted(placement.pageBytes(), DeviceProfile.PAGE_BYTES));
    }
    MarkedDevice marked = new MarkedDevice(shadow(placement, freeBytes));
    LockstepRun run =
        new LockstepRun(
            target,
            marked,
            observations,
            new Well19937c(SEED),
            bounds.maxBytes() - STREAMS_PAGES * placement.pageBytes());
    placement = placement.with(createPool(run), placement.unusableBytes());
    target.warmUp();
    target.createStreams(PoolExperiment.STREAMS);
    marked.device().createStreams(PoolExperiment.STREAMS);
    PoolExperiment pool = new PoolExperiment(run);
    pool.empty();
    BlockExperiment blocks = new BlockExperiment(run);
    HandleExperiment handles = new HandleExperiment(run);
    int rounds = 0;
    while (rounds < bounds.maxRounds()
        && (rounds == 0 || System.nanoTime() - start < bounds.maxNanos())) {
      phase(() -> blocks.cycle(BLOCK_CALLS));
      for (int cycle = 0; cycle < HANDLE_CYCLES; cycle++) {
        phase(() -> handles.cycle(HANDLE_CALLS));
      }
      phase(() -> pool.cycle(POOL_CALLS));
      rounds++;
      progress.accept(rounds);
    }
    if (bounds.fills()) {
      placement =
          placement.with(
              placement.chunkBytes(),
              PlacementExperiment.unusableBytes(memory, placement.pageBytes()));
      fill(run, pool, placement.chunkBytes());
    }
    CopyExperiment.Result copies = target.copies().map(CopyExperiment::of).orElse(null);
    return result(placement, freeBytes, rounds, copies);
  }

  /** Some calls, with waits for the idle device before and after them. */
  private void phase(Runnable calls) {
    double[] waits = new double[2 * WAITS];
    for (int wait = 0; wait < WAITS; wait++) {
      waits[wait] = waitForIdle();
    }
    calls.run();
    for (int wait = 0; wait < WAITS; wait++) {
      waits[WAITS + wait] = waitForIdle();
    }
    observations.endPhase(new Median().evaluate(waits));
  }

  private double waitForIdle() {
    double nanos = target.synchronizeNanos();
    observations.of(CallClass.SYNCHRONIZE).add(nanos);
    return nanos;
  }

  /** The simulated device that runs in lockstep, like the target as far as that is known. */
  private DeviceProfile shadow(Placement placement, long freeBytes) {
    return found(placement, freeBytes, 0);
  }

  private DeviceProfile found(Placement placement, long freeBytes, long unusableBytes) {
    boolean placed = isPlaced(placement);
    long totalBytes = target.memory().totalBytes();
    return new DeviceProfile(
        base.name(),
        DeviceProfile.Origin.MEASURED,
        "calibrated on %s, CUDA %d.%d"
            .formatted(
                target.cardName(), target.cudaVersion() / 1000, target.cudaVersion() % 1000 / 10),
        totalBytes,
        totalBytes - freeBytes,
        unusableBytes,
        placement.pageBytes(),
        placed ? placement.reservationBytes() : base.reservationBytes(),
        placed ? placement.arenaAddress() : base.arenaAddress(),
        placed ? placement.topAddress() : base.topAddress(),
        placed ? rangeAddress(placement) : base.rangeAddress(),
        base.costs(),
        base.compute(),
        base.history());
  }

  /**
   * Whether the device places memory as NVIDIA's drivers for Linux do, which is the only way that
   * can be simulated. Other drivers count upwards, or mix blocks and ranges.
   */
  private boolean isPlaced(Placement placement) {
    long page = placement.pageBytes();
    long unit = placement.reservationBytes();
    long arena = placement.arenaAddress();
    return unit >= page
        && DeviceProfile.arePlaced(
            page, unit, rangeAddress(placement), placement.topAddress(), arena)
        && DeviceProfile.arePlaced(
            page, unit, base.rangeAddress(), base.topAddress(), baseArena(arena, unit));
  }

  private long rangeAddress(Placement placement) {
    return placement.rangeAddress() > 0 ? placement.rangeAddress() : base.rangeAddress();
  }

  /**
   * The base's arena, aligned as a measured one. Where things lie differs between processes (a Java
   * heap takes the low addresses that ranges have elsewhere), how the arena is aligned does not.
   */
  private long baseArena(long measuredAddress, long reservationBytes) {
    return base.arenaAddress() / reservationBytes * reservationBytes
        + measuredAddress % reservationBytes;
  }

  /** Makes the pool with the first of all allocations; answers its unit. */
  private long createPool(LockstepRun run) {
    StreamOrderedMemory pool = target.pool();
    StreamOrderedMemory simulated = run.marked().device().streamOrdered().orElseThrow();
    long[] address = new long[1];
    double nanos =
        run.timed(DriverCall.ALLOCATE_ASYNC, () -> address[0] = pool.allocateAsync(1, 0));
    if (address[0] == DeviceMemory.REFUSED) {
      throw new CalibrationException(
          "the stream-ordered pool failed to allocate one byte; free some memory");
    }
    long twin = simulated.allocateAsync(1, 0);
    run.marked().record(DriverCall.ALLOCATE_ASYNC, nanos, observations);
    long chunkBytes = pool.poolReservedBytes();
    pool.freeAsync(address[0], 1, 0);
    simulated.freeAsync(twin, 1, 0);
    // Java's first call of it is no measurement.
    run.marked().forget(DriverCall.FREE_ASYNC);
    return chunkBytes;
  }

  /** Stream-ordered calls on a device that has hardly any memory left. */
  private void fill(LockstepRun run, PoolExperiment pool, long chunkBytes) {
    DeviceMemory memory = target.memory();
    long page = run.pageBytes();
    // Some pages more than whole chunks, so that what is unusable does not matter.
    long left = LEFT_CHUNKS * chunkBytes + 4 * page;
    long bytes = (memory.freeBytes() - left) / page * page;
    long block = memory.allocate(bytes);
    if (block == DeviceMemory.REFUSED) {
      return;
    }
    long twin = run.marked().device().allocate(bytes);
    run.marked().forget(DriverCall.ALLOCATE);
    try {
      for (int cycle = 0; cycle < FULL_CYCLES; cycle++) {
        phase(() -> pool.nearlyFull(POOL_CALLS, left));
      }
    } finally {
      memory.free(block, bytes);
      run.marked().device().free(twin, bytes);
      run.marked().forget(DriverCall.FREE);
    }
  }

  private CalibrationResult result(
      Placement placement, long freeBytes, int rounds, CopyExperiment.@Nullable Result copies) {
    observations.scale();
    Map<CallClass, RobustFit> fits = new EnumMap<>(CallClass.class);
    Map<String, Long> parameters = new HashMap<>();
    for (CallClass each : CallClass.values()) {
      RobustFit fit = RobustFit.of(observations.of(each));
      fits.put(each, fit);
      for (int i = 0; i < each.parameters().size(); i++) {
        RobustFit.Estimate estimate = fit.estimate(i);
        if (estimate.isKnown()) {
          parameters.put(each.parameters().get(i), Math.max(0, Math.round(estimate.value())));
        } else {
          undetermined.add("costs." + each.parameters().get(i));
        }
      }
    }
    // The first allocation makes the pool and its first chunk.
    parameters.computeIfPresent(
        CallClass.CREATE_POOL.parameters().getFirst(),
        (_, nanos) ->
            Math.max(
                0,
                nanos
                    - parameters.getOrDefault("async.map_nanos", 0L)
                    - parameters.getOrDefault("async.new_chunk_nanos", 0L)));
    long unusable = placement.unusableBytes();
    if (unusable < 0) {
      undetermined.add("unusable_bytes");
      unusable = base.unusableBytes();
    }
    if (!isPlaced(placement)) {
      undetermined.add("reservation_bytes");
    }
    DeviceProfile profile = found(placement, freeBytes, unusable);
    profile =
        profile
            .withAddresses(
                baseArena(profile.arenaAddress(), profile.reservationBytes()), base.topAddress())
            .withRangeAddress(base.rangeAddress())
            .withCosts(ProfileFile.withParameters(base.costs(), parameters));
    if (copies != null) {
      profile =
          profile.withCompute(
              copies.on(
                  base.compute(),
                  "copies, pinning and launches (of a small fill) "
                      + profile.source()
                      + "; rates of arithmetic and memory and kernel time published or typical"));
    }
    return new CalibrationResult(
        profile, placement, observations, fits, copies, rounds, undetermined);
  }
}
