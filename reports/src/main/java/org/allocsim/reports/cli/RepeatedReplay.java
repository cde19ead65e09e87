package org.allocsim.reports.cli;

import org.allocsim.reports.advice.AfterOom;
import org.allocsim.reports.advice.DeviceReplay;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.Foresight;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;

/**
 * Many passes over one program on a simulated device, without its time: what the allocator did
 * altogether, and how fast. What is held in memory does not depend on the number of passes.
 */
final class RepeatedReplay {
  /** PyTorch's {@code max_split_size} where it is not set: no block counts as oversize. */
  private static final long NO_OVERSIZE = -1;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int FAILURES_KEPT = 3;

  private final TraceInput input;
  private final PolicyChoice choice;
  private final DeviceProfile profile;
  private final long limitBytes;
  private final PyTorchVersion version;
  private final AfterOom afterOom;

  RepeatedReplay(
      TraceInput input,
      PolicyChoice choice,
      DeviceProfile profile,
      long limitBytes,
      PyTorchVersion version,
      AfterOom afterOom) {
    this.input = input;
    this.choice = choice;
    this.profile = profile.withHistory(input.addresses());
    this.limitBytes = limitBytes;
    this.version = version;
    this.afterOom = afterOom;
  }

  /**
   * Replays.
   *
   * @throws Failure where the policy cannot serve the program
   */
  RepeatedResult run(long passes) {
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    boolean isPyTorch = choice.provider().spec().id().equals(Scenario.PYTORCH);
    DeviceReplay replay =
        new DeviceReplay(
            input.trace(),
            input.device(),
            isPyTorch ? version : null,
            afterOom,
            stats,
            FAILURES_KEPT);
    SimulatedDevice memory = new SimulatedDevice(profile);
    EffectListener listener = EffectListeners.both(stats, replay.failures());
    AllocatorPolicy policy = policy(memory, listener);
    long startNanos = System.nanoTime();
    try (ProgressMeter progress = ProgressMeter.ofPasses("replaying")) {
      Passes counter = new Passes(passes, progress);
      replay.run(passes, policy, memory, listener, counter::before);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return new RepeatedResult(
        input,
        choice,
        profile,
        limitBytes,
        passes,
        stats,
        replay.failures().count(),
        replay.failures().kept(),
        seconds);
  }

  private AllocatorPolicy policy(SimulatedDevice memory, EffectListener listener) {
    try {
      return choice
          .provider()
          .create(
              new PolicySettings(limitBytes, choice.options()),
              new Foresight(input.trace(), input.device()),
              memory,
              listener);
    } catch (UnfitTraceException e) {
      throw new Failure(
          input.name() + ": policy " + choice.label() + " cannot serve it: needs " + e.getMessage(),
          e);
    } catch (PolicyOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  /** Tells how many passes have begun. */
  private final class Passes {
    private final long total;
    private final ProgressMeter progress;
    private final int first;
    private long begun;

    Passes(long total, ProgressMeter progress) {
      this.total = total;
      this.progress = progress;
      int event = input.trace().prologueCount();
      while (event < input.trace().eventCount() && input.trace().device(event) != input.device()) {
        event++;
      }
      first = event;
    }

    void before(int event) {
      if (event == first) {
        progress.update(begun++, total);
      }
    }
  }
}
