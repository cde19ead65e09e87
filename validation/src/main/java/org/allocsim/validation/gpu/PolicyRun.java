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

/**
 * One run of a policy on a recorded device. The program is taken to go on without what a failed
 * request asked for.
 *
 * @param result what came of it
 * @param log the calls of the device
 * @param freeBytesAtStart free bytes of the device before the first call
 */
record PolicyRun(RunResult result, CallLog log, long freeBytesAtStart) {
  /**
   * Runs a policy to the end of its requests.
   *
   * @param memory the device inside its recorder, which writes to {@code log}
   */
  static PolicyRun of(GpuCase run, RecordingDevice memory, CallLog log)
      throws PolicyOptionException, UnfitTraceException {
    long freeBytesAtStart = memory.freeBytesAtStart();
    RunObserver toucher = run.touch() ? new Toucher(memory) : new RunObserver() {};
    RunResult result =
        Run.start(setup(run, memory).keepingFailures(Integer.MAX_VALUE), toucher).finish();
    return new PolicyRun(result, log, freeBytesAtStart);
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

  /** Indices of the failed requests among the allocation requests after the prologue. */
  int[] failures() {
    return result.failures().stream()
        .mapToLong(FailedRequest::requestIndex)
        .mapToInt(Math::toIntExact)
        .toArray();
  }

  /** Allocation requests after the prologue. */
  int requests() {
    return Math.toIntExact(result.requests());
  }

  /** Highest memory taken from the device after any call. */
  long peakBytes() {
    long least = freeBytesAtStart;
    for (int call = 0; call < log.count(); call++) {
      least = Math.min(least, log.freeBytes(call));
    }
    return freeBytesAtStart - least;
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
