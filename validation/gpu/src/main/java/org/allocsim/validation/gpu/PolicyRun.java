package org.allocsim.validation.gpu;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;

/** A policy serves requests on a device. */
final class PolicyRun {
  private PolicyRun() {}

  /**
   * Runs a policy to the end of its requests; the program is taken to go on without what a failed
   * request asked for.
   *
   * @param memory the device inside its recorder
   */
  static DeviceRun.Outcome of(GpuCase run, RecordingDevice memory)
      throws PolicyOptionException, UnfitTraceException {
    RunObserver toucher = run.touch() ? new Toucher(memory) : new RunObserver() {};
    RunResult result =
        Run.start(setup(run, memory).keepingFailures(Integer.MAX_VALUE), toucher).finish();
    return new DeviceRun.Outcome(
        result.requests(), result.failures().stream().map(FailedRequest::requestIndex).toList());
  }

  /** Whether a policy serves every request on a device; ends at the first that fails. */
  static boolean passes(GpuCase run, DeviceMemory memory)
      throws PolicyOptionException, UnfitTraceException {
    return Run.start(setup(run, memory).with(AfterOom.STOP)).finish().passes();
  }

  private static RunSetup setup(GpuCase run, DeviceMemory memory) {
    return new RunSetup(
        run.trace(),
        run.device(),
        RunPolicy.of(new PolicyChoice(run.provider(), run.settings().options())),
        run.settings().limitBytes(),
        new MemorySource.Given(memory));
  }

  /** Fills what is handed out. */
  private record Toucher(RecordingDevice device) implements RunObserver, EffectListener {
    @Override
    public EffectListener effects() {
      return this;
    }

    @Override
    public void blockAllocated(
        int allocation,
        long address,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      if (requestedBytes > 0) {
        device.touch(address, requestedBytes, stream);
      }
    }
  }
}
