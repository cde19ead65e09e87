package org.allocsim.validation.gpu;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * One run of a policy on one device, with the requests that failed. The program is taken to go on
 * without what a failed request asked for.
 */
final class PolicyRun {
  private final GpuCase run;
  private final CallLog log;
  private int[] failures = new int[16];
  private int failureCount;
  private int request = -1;
  private long freeBytesAtStart;
  private boolean stopAtFailure;

  private PolicyRun(GpuCase run, CallLog log) {
    this.run = run;
    this.log = log;
  }

  /**
   * Runs a policy to the end of its requests.
   *
   * @param memory the device behind its recorder, which writes to {@code log}
   */
  static PolicyRun of(GpuCase run, RecordingDevice memory, CallLog log)
      throws PolicyOptionException, UnfitTraceException {
    PolicyRun result = new PolicyRun(run, log);
    result.freeBytesAtStart = memory.freeBytesAtStart();
    result.replay(memory, run.touch() ? memory : null);
    return result;
  }

  /** Whether a policy serves every request on a device; ends at the first that fails. */
  static boolean passes(GpuCase run, DeviceMemory memory)
      throws PolicyOptionException, UnfitTraceException {
    PolicyRun result = new PolicyRun(run, null);
    result.stopAtFailure = true;
    result.replay(memory, null);
    return result.failureCount == 0;
  }

  private void replay(DeviceMemory memory, RecordingDevice touched)
      throws PolicyOptionException, UnfitTraceException {
    AllocationTrace trace = run.trace();
    Failures heard = new Failures(touched);
    AllocatorPolicy policy =
        run.provider()
            .create(run.settings(), new FutureRequests(trace, run.device()), memory, heard);
    new Replay(trace, run.device(), policy, heard, () -> 0).run(this::before);
  }

  private boolean before(int event) {
    if (stopAtFailure && failureCount > 0) {
      return false;
    }
    AllocationTrace trace = run.trace();
    if (event >= trace.prologueCount() && trace.kind(event) == RequestKind.ALLOCATE) {
      request++;
    }
    return true;
  }

  private final class Failures implements EffectListener {
    private final RecordingDevice touched;

    Failures(RecordingDevice touched) {
      this.touched = touched;
    }

    @Override
    public void blockAllocated(
        int allocation,
        long address,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      if (touched != null && requestedBytes > 0) {
        touched.touch(address, requestedBytes, stream);
      }
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      fail();
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      fail();
    }

    private void fail() {
      if (failureCount == failures.length) {
        failures = Arrays.copyOf(failures, Math.addExact(failureCount, failureCount));
      }
      failures[failureCount++] = request;
    }
  }

  CallLog log() {
    return log;
  }

  long freeBytesAtStart() {
    return freeBytesAtStart;
  }

  /** Indices of the failed requests among the allocation requests behind the prologue. */
  int[] failures() {
    return Arrays.copyOf(failures, failureCount);
  }

  /** Allocation requests behind the prologue. */
  int requests() {
    return request + 1;
  }

  /** Most memory taken from the device after any call. */
  long peakBytes() {
    long least = freeBytesAtStart;
    for (int call = 0; call < log.count(); call++) {
      least = Math.min(least, log.freeBytes(call));
    }
    return freeBytesAtStart - least;
  }
}
