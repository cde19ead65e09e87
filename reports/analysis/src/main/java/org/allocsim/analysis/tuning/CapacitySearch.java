package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.allocsim.analysis.recording.RecordedAnswers;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.profile.ShippedProfiles;

/**
 * Finds the smallest device on which a program runs without any failed request, in steps of 2 MiB.
 *
 * <p>A capacity is the free bytes before the first allocation. The search halves the range between
 * what the program asks for at most and what its allocator would take without any limit, then
 * replays at the answer and at every one of {@value #NEIGHBOURS} steps below and above it. Where
 * memory is short, the allocator releases cached memory and tries again, so that a program may pass
 * on a smaller device and fail on a larger one; further away than those steps this is not looked
 * for.
 */
public final class CapacitySearch {
  /** Steps below and above the answer at which the program is replayed too. */
  public static final int NEIGHBOURS = 8;

  /** Size of a step: a page of device memory. */
  public static final long STEP_BYTES = DeviceProfile.PAGE_BYTES;

  private final AllocationTrace trace;
  private final int device;
  private final Function<DeviceProfile, Scenario> scenarios;
  private final Map<Long, Boolean> passing = new ConcurrentHashMap<>();

  /**
   * What a search found.
   *
   * @param scenario the allocator and its settings, on a device without bounds
   * @param capacityBytes the smallest capacity, −1 where requests fail at any (the allocator's own
   *     limit is too small)
   * @param failingAboveBytes capacities close above it at which a request fails all the same
   * @param ample the replay on a device without bounds
   * @param demand lower bounds
   * @param gpus the known GPUs, by ascending size
   * @param others those that are found by their names only, by ascending size
   * @param replays replays that the search took
   */
  public record Result(
      Scenario scenario,
      long capacityBytes,
      List<Long> failingAboveBytes,
      RunResult ample,
      Demand demand,
      List<Gpu> gpus,
      List<Gpu> others,
      int replays) {
    /** Keeps its own copies. */
    public Result {
      failingAboveBytes = List.copyOf(failingAboveBytes);
      gpus = List.copyOf(gpus);
      others = List.copyOf(others);
    }

    /** The settings; those of PyTorch's allocator, other policies have nothing of them. */
    public ParsedConfig config() {
      return scenario.config();
    }

    /**
     * Maximum bytes in blocks at a time, where memory is ample: what the program holds, rounded.
     */
    public long peakBlockBytes() {
      return scenario().takesConf() ? demand.peakBlockBytes() : ample.peakAllocatedBytes();
    }

    /** The smallest known GPU on which the program runs. */
    public Optional<Gpu> smallestGpu() {
      return gpus.stream().filter(Gpu::fits).findFirst();
    }
  }

  /**
   * A GPU.
   *
   * @param profile its size, and what its context takes
   * @param fits whether the program runs on it
   */
  public record Gpu(DeviceProfile profile, boolean fits) {}

  private CapacitySearch(
      AllocationTrace trace, int device, Function<DeviceProfile, Scenario> scenarios) {
    this.trace = trace;
    this.device = device;
    this.scenarios = scenarios;
  }

  /** Ends a search whose answer nobody waits for. */
  private static final class GivenUp extends RuntimeException {
    private static final long serialVersionUID = 1;

    GivenUp() {
      super("the process was asked to stop");
    }
  }

  /**
   * Searches for several allocators and settings, on all cores. Where the process is asked to stop,
   * those whose search is not over are missing.
   *
   * @param settings each makes the scenario on a device; its limit may depend on the device's size
   */
  public static List<Result> run(
      AllocationTrace trace,
      int device,
      List<Function<DeviceProfile, Scenario>> settings,
      Tuning.Progress progress) {
    List<Callable<Optional<Result>>> tasks = new ArrayList<>();
    for (Function<DeviceProfile, Scenario> setting : settings) {
      tasks.add(() -> new CapacitySearch(trace, device, setting).searchToTheEnd());
    }
    return ParallelTasks.run(tasks, progress::done).stream().flatMap(Optional::stream).toList();
  }

  /** Empty where the process is asked to stop before the search is over. */
  private Optional<Result> searchToTheEnd() {
    try {
      return Optional.of(search());
    } catch (GivenUp _) {
      return Optional.empty();
    }
  }

  /**
   * The smallest known GPU on which a program runs; empty where it runs on none. A GPU with a
   * smaller number of bytes than the program asks for at once is not tried.
   *
   * @param setting makes the scenario on a device
   * @param demand what the program asks for
   * @param known a run under the same setting; where it passed, a GPU on which what it reserved is
   *     free serves it too
   */
  public static Optional<DeviceProfile> smallestGpu(
      AllocationTrace trace,
      int device,
      Function<DeviceProfile, Scenario> setting,
      Demand demand,
      RunResult known) {
    CapacitySearch search = new CapacitySearch(trace, device, setting);
    long minBytes = demand.peakRequestedBytes();
    long enoughBytes =
        known.passes() ? known.peakReservedBytes() + RecordedAnswers.STREAM_BYTES : Long.MAX_VALUE;
    return ShippedProfiles.all().stream()
        .sorted(Comparator.comparingLong(DeviceProfile::capacityBytes))
        .filter(profile -> profile.capacityBytes() >= minBytes)
        .filter(profile -> profile.capacityBytes() >= enoughBytes || search.passesOn(profile))
        .findFirst();
  }

  /**
   * A size that serves a program for certain, as does every larger one: what it reserves where
   * memory is ample. With a limit that depends on the size only ample memory does.
   *
   * @param found of a search in which no request failed on the device without bounds
   */
  public static long enoughBytes(Result found) {
    RunResult ample = found.ample();
    return ample.setup().limitBytes() >= 0
        ? found.scenario().device().capacityBytes()
        : stepsFor(ample.peakReservedBytes() + RecordedAnswers.STREAM_BYTES) * STEP_BYTES;
  }

  /**
   * The smallest size from a given one on, in steps, with which every request is served.
   *
   * @param setting makes the scenario on a device; some size serves the program under it
   */
  public static long smallestFrom(
      AllocationTrace trace,
      int device,
      Function<DeviceProfile, Scenario> setting,
      long fromBytes) {
    CapacitySearch search = new CapacitySearch(trace, device, setting);
    long steps = stepsFor(fromBytes);
    long ampleBytes = DeviceProfiles.ample(fromBytes).capacityBytes();
    while (steps * STEP_BYTES < ampleBytes && !search.passes(steps)) {
      steps++;
    }
    return steps * STEP_BYTES;
  }

  private Result search() {
    Scenario small = scenarios.apply(DeviceProfiles.defaultProfile());
    Demand demand = Demand.of(trace, device, small.config().allocator());
    Scenario scenario = scenarios.apply(DeviceProfiles.ample(demand.peakRequestedBytes()));
    RunResult ample = run(scenario);
    if (!ample.passes()) {
      return result(scenario, -1, List.of(), ample, demand);
    }
    long steps =
        smallest(stepsFor(demand.peakRequestedBytes()), ample, scenario.device().capacityBytes());
    if (steps < 0) {
      return result(scenario, -1, List.of(), ample, demand);
    }
    List<Long> failing =
        LongStream.rangeClosed(steps + 1, steps + NEIGHBOURS)
            .parallel()
            .filter(above -> !passes(above))
            .mapToObj(above -> above * STEP_BYTES)
            .toList();
    return result(scenario, steps * STEP_BYTES, failing, ample, demand);
  }

  private Result result(
      Scenario scenario,
      long capacityBytes,
      List<Long> failingAboveBytes,
      RunResult ample,
      Demand demand) {
    return new Result(
        scenario,
        capacityBytes,
        failingAboveBytes,
        ample,
        demand,
        gpus(ShippedProfiles.all(), scenario, ample),
        gpus(ShippedProfiles.others(), scenario, ample),
        passing.size() + 1);
  }

  /** The smallest passing number of steps that is at least the bound, −1 where none is found. */
  private long smallest(long bound, RunResult ample, long ampleBytes) {
    long high = stepsFor(ample.peakReservedBytes() + RecordedAnswers.STREAM_BYTES);
    while (!passes(high)) {
      high *= 2;
      if (high * STEP_BYTES >= ampleBytes) {
        return -1;
      }
    }
    high = halve(bound - 1, high);
    LongStream.range(Math.max(bound, high - NEIGHBOURS), high).parallel().forEach(this::passes);
    long below = high - 1;
    while (below >= bound && below >= high - NEIGHBOURS) {
      if (passes(below)) {
        high = below;
      }
      below--;
    }
    return high;
  }

  /** Halves a range whose low end fails and whose high end passes until they are neighbours. */
  private long halve(long failing, long passingSteps) {
    long low = failing;
    long high = passingSteps;
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (passes(middle)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  private boolean passes(long steps) {
    Boolean known = passing.get(steps);
    if (known == null) {
      known = passesOn(DeviceProfiles.ofCapacity(steps * STEP_BYTES));
      passing.put(steps, known);
    }
    return known;
  }

  private RunResult run(Scenario scenario) {
    if (EarlyEnd.isAsked()) {
      throw new GivenUp();
    }
    RunResult result = Run.of(scenario.setup(trace, device, AfterOom.STOP));
    if (!result.isRun()) {
      throw new IllegalArgumentException(scenario.policy() + ": " + result.notRunBecause());
    }
    return result;
  }

  private boolean passesOn(DeviceProfile profile) {
    return run(scenarios.apply(profile)).passes();
  }

  private List<Gpu> gpus(List<DeviceProfile> profiles, Scenario scenario, RunResult ample) {
    boolean limited = scenario.limitBytes() >= 0;
    long enoughBytes = ample.peakReservedBytes() + RecordedAnswers.STREAM_BYTES;
    return profiles.stream()
        .sorted(Comparator.comparingLong(DeviceProfile::capacityBytes))
        .map(profile -> {
          boolean ampleHere = ample.passes() && !limited;
          boolean fits = ampleHere && profile.capacityBytes() >= enoughBytes || passesOn(profile);
          return new Gpu(profile, fits);
        })
        .toList();
  }

  private static long stepsFor(long bytes) {
    return Math.max(1, (bytes + STEP_BYTES - 1) / STEP_BYTES);
  }
}
