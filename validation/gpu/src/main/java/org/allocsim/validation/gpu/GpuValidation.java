package org.allocsim.validation.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.DriverCallListener;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * Runs a policy on the same requests on a real GPU and on a simulated device made like it, and
 * compares the two, call by call.
 *
 * <p>What differs from process to process is taken from the real run before the comparison: how
 * much memory is free at the start and how many pages of it cannot be had, and the two addresses
 * below which the driver makes its reservations. The same calls of the driver are timed before and
 * after it ({@link HostSlowness}), and times are predicted for a host as fast as it was then.
 */
public final class GpuValidation {
  private final Opener opener;
  private final GpuBounds bounds;

  /** Costs and places to predict with, or null for those of such a GPU. */
  private final @Nullable DeviceProfile base;

  /** Opens the GPU. */
  @FunctionalInterface
  interface Opener {
    CudaDevice open(GpuBounds bounds, DriverCallListener listener);
  }

  /** Validation on a GPU by its number, from 0. */
  public GpuValidation(int gpu, GpuBounds bounds) {
    this(gpu, bounds, null);
  }

  /**
   * Validation on a GPU by its number, from 0.
   *
   * @param base costs and places of memory to predict with, or null for those of such a GPU
   */
  public GpuValidation(int gpu, GpuBounds bounds, @Nullable DeviceProfile base) {
    this((given, listener) -> CudaDevice.open(gpu, given, listener), bounds, base);
  }

  GpuValidation(Opener opener, GpuBounds bounds) {
    this(opener, bounds, null);
  }

  GpuValidation(Opener opener, GpuBounds bounds, @Nullable DeviceProfile base) {
    this.opener = opener;
    this.bounds = bounds;
    this.base = base;
  }

  /**
   * Looks at the GPU, which is given back at once.
   *
   * @throws CudaException where there is none
   */
  public CudaDevice.Identity identify() {
    try (CudaDevice gpu = opener.open(bounds, DriverCallListener.NONE)) {
      return gpu.identity();
    }
  }

  /**
   * Makes every kind of call a few times, so that the loading and compiling of what calls the
   * driver is not measured later.
   */
  public void warmUp() {
    try (CudaDevice gpu = opener.open(bounds, DriverCallListener.NONE)) {
      gpu.warmUp();
    }
  }

  /** The simulated device that stands for this GPU with so much memory free. */
  public static DeviceProfile profile(CudaDevice.Identity gpu, long freeBytes) {
    return GpuProfiles.like(
        GpuProfiles.of(gpu),
        gpu,
        freeBytes,
        DeviceProfile.UNUSABLE_BYTES,
        DeviceProfile.PAGE_BYTES);
  }

  private record Real(
      DeviceRun run,
      DriverMeasure measure,
      DeviceProfile profile,
      long freeBytesAtStart,
      boolean heldBack) {}

  private record Predicted(DeviceRun run, SimulatedDevice device, DeviceProfile profile) {}

  /**
   * Runs one case.
   *
   * @throws PolicyOptionException where an option of the policy is wrong
   * @throws UnfitTraceException where the policy needs what the trace or a GPU does not have
   * @throws CudaException where the GPU fails
   */
  public CaseResult run(GpuCase run) throws PolicyOptionException, UnfitTraceException {
    return run(memory -> PolicyRun.of(run, memory), run.capacityBytes());
  }

  /**
   * Makes calls that were made on a simulated device.
   *
   * @param calls how many there are
   * @param replay makes them, and says how many were made before memory was lacking
   * @throws CudaException where the GPU fails
   */
  public CaseResult run(int calls, ToIntFunction<DeviceMemory> replay) {
    try {
      return run(
          memory -> {
            int made = replay.applyAsInt(memory);
            return new DeviceRun.Outcome(calls, made < calls ? List.of((long) made) : List.of());
          },
          -1);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new IllegalStateException("no policy given", e);
    }
  }

  private CaseResult run(DeviceRun.Work work, long capacityBytes)
      throws PolicyOptionException, UnfitTraceException {
    boolean isTimed = capacityBytes < 0;
    HostSlowness slowness = isTimed ? hostSlowness() : HostSlowness.OF_PROFILE;
    Real real = measure(work, capacityBytes);
    if (isTimed) {
      slowness = slowness.and(hostSlowness());
    }
    Predicted predicted = predict(work, real.profile());
    DeviceProfile learned = learn(predicted, real);
    boolean isLearned = !learned.equals(real.profile());
    if (isLearned) {
      predicted = predict(work, learned);
    }
    return compare(predicted, real, isLearned, slowness);
  }

  private HostSlowness hostSlowness() throws PolicyOptionException, UnfitTraceException {
    Real real = measure(TimedCalls::on, -1);
    List<LoggedCall> predicted = predict(TimedCalls::on, real.profile()).run().log();
    List<LoggedCall> measured = real.run().log();
    return HostSlowness.of(predicted, measured, equalCalls(predicted, measured));
  }

  private Real measure(DeviceRun.Work work, long capacityBytes)
      throws PolicyOptionException, UnfitTraceException {
    DriverMeasure measure = new DriverMeasure();
    try (CudaDevice gpu = opener.open(bounds, measure)) {
      if (capacityBytes >= 0) {
        gpu.holdBack(capacityBytes);
      }
      DeviceProfile profile =
          GpuProfiles.like(
              base == null ? GpuProfiles.of(gpu.identity()) : base,
              gpu.identity(),
              gpu.freeBytes(),
              gpu.isBounded() ? 0 : gpu.unusableBytes(),
              gpu.pageBytes());
      List<LoggedCall> log = new ArrayList<>();
      RecordingDevice recorder = new RecordingDevice(gpu, new RealProbe(gpu, measure), log);
      return new Real(
          DeviceRun.of(work, recorder, log),
          measure,
          profile,
          gpu.identity().freeBytesAtStart(),
          capacityBytes >= 0);
    }
  }

  private static Predicted predict(DeviceRun.Work work, DeviceProfile profile)
      throws PolicyOptionException, UnfitTraceException {
    SimulatedDevice device = new SimulatedDevice(profile);
    List<LoggedCall> log = new ArrayList<>();
    RecordingDevice recorder = new RecordingDevice(device, new SimulatedProbe(device), log);
    return new Predicted(DeviceRun.of(work, recorder, log), device, profile);
  }

  private static DeviceProfile learn(Predicted predicted, Real real) {
    List<LoggedCall> simulated = predicted.run().log();
    List<LoggedCall> measured = real.run().log();
    return AddressComparison.learn(
        predicted.profile(), simulated, measured, equalCalls(simulated, measured));
  }

  static int equalCalls(List<LoggedCall> predicted, List<LoggedCall> measured) {
    int most = Math.min(predicted.size(), measured.size());
    int call = 0;
    while (call < most
        && predicted.get(call).kind() == measured.get(call).kind()
        && predicted.get(call).bytes() == measured.get(call).bytes()
        && predicted.get(call).isRefused() == measured.get(call).isRefused()) {
      call++;
    }
    return call;
  }

  private static CaseResult compare(
      Predicted predicted, Real real, boolean learned, HostSlowness slowness) {
    List<LoggedCall> simulated = predicted.run().log();
    List<LoggedCall> measured = real.run().log();
    int end = equalCalls(simulated, measured);
    Exactness.Sum free = new Exactness.Sum();
    Exactness.Sum reserved = new Exactness.Sum();
    Exactness.Sum used = new Exactness.Sum();
    long refused = 0;
    for (int call = 0; call < end; call++) {
      free.add(simulated.get(call).freeBytes(), measured.get(call).freeBytes());
      refused += measured.get(call).isRefused() ? 1 : 0;
      if (measured.get(call).kind().isStreamOrdered()) {
        reserved.add(simulated.get(call).reservedBytes(), measured.get(call).reservedBytes());
        used.add(simulated.get(call).usedBytes(), measured.get(call).usedBytes());
      }
    }
    return new CaseResult(
        predicted.profile().name(),
        real.freeBytesAtStart(),
        real.heldBack(),
        real.run().freeBytesAtStart(),
        real.run().outcome().requests(),
        simulated.size(),
        measured.size(),
        end,
        difference(simulated, measured, end).orElse(null),
        refused,
        learned,
        free.result(),
        reserved.result(),
        used.result(),
        AddressComparison.of(simulated, measured, end, predicted.profile().arenaAddress()),
        predicted.run().peakBytes(),
        real.run().peakBytes(),
        OomComparison.of(predicted.run().outcome().failures(), real.run().outcome().failures()),
        DriverTime.of(predicted.device(), real.measure(), slowness, simulated, measured, end));
  }

  static Optional<String> difference(
      List<LoggedCall> predicted, List<LoggedCall> measured, int call) {
    String simulated = describe(predicted, call);
    String real = describe(measured, call);
    return call == predicted.size() && call == measured.size()
        ? Optional.empty()
        : Optional.of("call %d: predicted %s, real %s".formatted(call, simulated, real));
  }

  private static String describe(List<LoggedCall> log, int call) {
    return call == log.size()
        ? "no more calls"
        : log.get(call).kind()
            + " of "
            + log.get(call).bytes()
            + (log.get(call).isRefused() ? " refused at " : " served, leaving ")
            + log.get(call).freeBytes()
            + " free";
  }

  record RealProbe(CudaDevice gpu, DriverMeasure measure, ProgramWork work)
      implements RecordingDevice.Probe {
    RealProbe(CudaDevice gpu, DriverMeasure measure) {
      this(gpu, measure, new ProgramWork());
    }

    @Override
    public void pause() {
      work.run();
    }

    @Override
    public long driverNanos() {
      return measure.nanos();
    }

    @Override
    public long region(long address) {
      return 0;
    }

    /** The device makes streams itself. */
    @Override
    public void streamCreated() {}

    @Override
    public void touch(long address, long bytes, int stream) {
      gpu.touch(address, bytes, stream);
    }
  }

  record SimulatedProbe(SimulatedDevice device) implements RecordingDevice.Probe {
    /** A prediction ends where a GPU would be given back. */
    @Override
    public void pause() {
      if (EarlyEnd.isAsked()) {
        throw new CudaException("the prediction was not finished because the program is ending");
      }
    }

    @Override
    public long driverNanos() {
      return device.driverNanos();
    }

    @Override
    public long region(long address) {
      return device.reservationStart(address);
    }

    @Override
    public void streamCreated() {
      device.createStreams(1);
    }

    @Override
    public void touch(long address, long bytes, int stream) {}
  }

  /** Whether the policy serves every request on the simulated device with so much memory. */
  static boolean passes(GpuCase run, DeviceProfile profile)
      throws PolicyOptionException, UnfitTraceException {
    SimulatedDevice device = new SimulatedDevice(profile);
    DeviceMemory memory =
        new RecordingDevice(device, new SimulatedProbe(device), new ArrayList<>());
    return PolicyRun.passes(run, memory);
  }
}
