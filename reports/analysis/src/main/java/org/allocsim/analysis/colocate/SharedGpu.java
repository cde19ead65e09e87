package org.allocsim.analysis.colocate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.SharedObserver;
import org.allocsim.simulator.run.SharedResult;
import org.allocsim.simulator.run.SharedRun;
import org.allocsim.simulator.run.Tenant;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * Programs on one GPU, and what they need to run together. Searches halve ranges in steps of 2 MiB;
 * caches that are released under pressure can make a program fail with more memory and pass with
 * less, which is not looked for beyond the steps that a search takes.
 *
 * @param programs those that share it
 * @param gpu its size, and how its driver works
 * @param afterOom how a program goes on after a failed request
 */
public record SharedGpu(List<SharingProgram> programs, DeviceProfile gpu, AfterOom afterOom) {
  private static final long STEP_BYTES = DeviceProfile.PAGE_BYTES;

  /** Sums of this stay far from overflowing. */
  private static final long MAX_HELD_BYTES = 1L << 44;

  /** Keeps its own copy. */
  public SharedGpu {
    programs = List.copyOf(programs);
  }

  /**
   * The range of a program's own limit with which all programs run.
   *
   * @param minBytes the lowest limit with which all programs run; −1 where there is none
   * @param maxBytes the highest one; −1 where all run without a limit of this program, or none is
   */
  public record LimitRange(long minBytes, long maxBytes) {
    static final LimitRange NONE = new LimitRange(-1, -1);
  }

  /** The process was asked to end before a search had finished. */
  public static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private EndedException() {
      super("the search was stopped early");
    }
  }

  /** Runs the programs together. */
  public SharedResult run(SharedObserver observer) {
    return run(programs, gpu, observer);
  }

  private SharedResult run(
      List<SharingProgram> sharing, DeviceProfile device, SharedObserver observer) {
    List<Tenant> tenants =
        sharing.stream().map(program -> program.tenant(device, afterOom)).toList();
    return SharedRun.of(tenants, observer);
  }

  /** The same GPU with another amount of memory, which may be less than its own context. */
  private DeviceProfile sized(long totalBytes) {
    return gpu.withContext(0).withTotal(totalBytes);
  }

  private boolean passes(List<SharingProgram> sharing, long totalBytes) {
    if (EarlyEnd.isAsked()) {
      throw new EndedException();
    }
    // Where not even a context fits, no tenant can be made.
    return sharing.stream().allMatch(program -> program.fixedBytes() <= totalBytes)
        && run(sharing, sized(totalBytes), SharedObserver.NONE).passes();
  }

  /**
   * The smallest GPU on which all programs run, in steps of 2 MiB; −1 where they run on none, as a
   * program's own limit is too small.
   */
  public long smallestBytes() {
    long largestContext = programs.stream().mapToLong(SharingProgram::fixedBytes).max().orElse(0);
    long ample = Math.max(DeviceProfiles.ample(requestedBytes()).totalBytes(), largestContext);
    SharedResult result = run(programs, sized(ample), SharedObserver.NONE);
    if (!result.passes()) {
      return -1;
    }
    long enough = steps(result.peak().bytes() + gpu.unusableBytes());
    while (!passes(programs, enough * STEP_BYTES)) {
      enough += Math.max(1, enough / 64);
    }
    long low = steps(largestContext) - 1;
    return STEP_BYTES * lowest(low, enough, each -> passes(programs, each * STEP_BYTES));
  }

  /** What all programs hold at most, if their peaks are at the same time. */
  private long requestedBytes() {
    return programs.stream().mapToLong(each -> Math.min(heldBytes(each), MAX_HELD_BYTES)).sum();
  }

  private static long heldBytes(SharingProgram program) {
    DeviceTrace input = program.input();
    return program.fixedBytes()
        + Demand.of(input.trace(), input.device(), AllocatorConfig.DEFAULT).peakRequestedBytes();
  }

  /** The known GPUs that have so much memory, by ascending size. */
  public static List<DeviceProfile> ofSize(long bytes) {
    return ShippedProfiles.all().stream()
        .filter(each -> bytes >= 0 && each.totalBytes() >= bytes)
        .sorted(Comparator.comparingLong(DeviceProfile::totalBytes))
        .toList();
  }

  /**
   * The limits of a program's own allocator under which all programs run, while those of the others
   * stay as they are.
   */
  public LimitRange limits(int program) {
    long total = gpu.totalBytes();
    if (passes(with(program, MemoryLimit.NONE), total)) {
      long most = steps(total);
      long least = lowest(0, most, each -> passesUnder(program, each));
      return new LimitRange(least * STEP_BYTES, -1);
    }
    // Without a limit some program fails. From the lowest limit with which this one could run
    // alone, limits are tried upwards.
    long least = minAlone(program);
    if (least < 0 || !passesUnder(program, least)) {
      return LimitRange.NONE;
    }
    long most = lowest(least, steps(total), each -> !passesUnder(program, each)) - 1;
    return new LimitRange(least * STEP_BYTES, most * STEP_BYTES);
  }

  /** The lowest limit, in steps, under which the program runs alone; −1 where there is none. */
  private long minAlone(int program) {
    SharingProgram alone = programs.get(program);
    long total = gpu.totalBytes();
    if (!passes(List.of(alone.withLimit(MemoryLimit.NONE)), total)) {
      return -1;
    }
    return lowest(
        0, steps(total), each -> passes(List.of(alone.withLimit(each * STEP_BYTES)), total));
  }

  private boolean passesUnder(int program, long limitSteps) {
    return passes(with(program, limitSteps * STEP_BYTES), gpu.totalBytes());
  }

  private List<SharingProgram> with(int program, long limitBytes) {
    List<SharingProgram> changed = new ArrayList<>(programs);
    changed.set(program, changed.get(program).withLimit(limitBytes));
    return changed;
  }

  private static long steps(long bytes) {
    return Math.ceilDiv(bytes, STEP_BYTES);
  }

  /** Whether a number of steps is enough. */
  @FunctionalInterface
  private interface Test {
    boolean holds(long steps);
  }

  /** The lowest number above {@code low}, up to {@code high}, for which a test holds there. */
  private static long lowest(long low, long high, Test test) {
    long below = low;
    long enough = high;
    while (enough - below > 1) {
      long middle = below + (enough - below) / 2;
      if (test.holds(middle)) {
        enough = middle;
      } else {
        below = middle;
      }
    }
    return enough;
  }
}
