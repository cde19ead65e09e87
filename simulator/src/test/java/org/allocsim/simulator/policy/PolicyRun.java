package org.allocsim.simulator.policy;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** One replay of a trace through a policy on a simulated device, and what was seen. */
public final class PolicyRun {
  private final StringBuilder effects = new StringBuilder();
  private final int[] counts = new int[EffectKind.values().length];
  private final Totals totals = new Totals();
  private long maxDeviceBytes;
  private long deviceBytes;
  private boolean freeLoweredReserved;

  private PolicyRun() {}

  /**
   * Runs a policy over device 0 of a trace.
   *
   * @param limitBytes limit of the policy, −1 for none
   * @param traits what checks must know of the policy's layouts
   * @param checks whether the invariants are checked after every request
   */
  public static PolicyRun of(
      String policyId,
      Map<String, String> options,
      AllocationTrace trace,
      long capacityBytes,
      long limitBytes,
      PolicyTraits traits,
      boolean checks) {
    PolicyRun run = new PolicyRun();
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacityBytes));
    long most = limitBytes < 0 ? InvariantChecker.UNLIMITED : limitBytes;
    InvariantChecker checker =
        new InvariantChecker(most, traits.mergesFreeBlocks(), traits.spansBlocks());
    AnswerCheck answers = new AnswerCheck(traits.spansBlocks(), limitBytes);
    InactiveSplitCheck splits = new InactiveSplitCheck(traits.inactiveSplits());
    EffectListener listener =
        EffectListeners.all(run.new Rows(), run.totals, checker, answers.listener(), splits);
    AllocatorPolicy policy = policy(policyId, options, limitBytes, trace, device, listener);
    answers.over(policy);
    Replay replay =
        new Replay(trace, 0, answers, EffectListeners.NONE, () -> run.totals.allocatedBytes);
    long[] reservedBefore = {0};
    replay.run(event -> {
      run.after(device, capacityBytes);
      if (event > 0
          && trace.kind(event - 1) == RequestKind.FREE
          && run.totals.reservedBytes < reservedBefore[0]) {
        run.freeLoweredReserved = true;
      }
      reservedBefore[0] = run.totals.reservedBytes;
      if (checks) {
        checker.check(policy);
        answers.check();
        splits.check(policy);
      }
      return true;
    });
    run.after(device, capacityBytes);
    checker.check(policy);
    answers.check();
    splits.check(policy);
    return run;
  }

  /** A policy that holds nothing, without a limit, for device 0 of a trace. */
  static AllocatorPolicy policy(
      String policyId, Map<String, String> options, AllocationTrace trace, long capacityBytes) {
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacityBytes));
    return policy(policyId, options, -1, trace, device, EffectListeners.NONE);
  }

  private static AllocatorPolicy policy(
      String policyId,
      Map<String, String> options,
      long limitBytes,
      AllocationTrace trace,
      SimulatedDevice device,
      EffectListener listener) {
    try {
      return Policies.named(policyId)
          .orElseThrow()
          .create(
              new PolicySettings(limitBytes, options),
              new FutureRequests(trace, 0),
              device,
              listener);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new AssertionError(e);
    }
  }

  private void after(SimulatedDevice device, long capacityBytes) {
    deviceBytes = capacityBytes - device.freeBytes();
    maxDeviceBytes = Math.max(maxDeviceBytes, deviceBytes);
  }

  /** All effects as text, one a line. */
  public String effects() {
    return effects.toString();
  }

  /** Number of effects of a kind. */
  public int count(EffectKind kind) {
    return counts[kind.ordinal()];
  }

  /** Requests that failed or were refused as not valid. */
  public int refusedRequests() {
    return count(EffectKind.OOM) + totals.rejections;
  }

  /** Bytes reserved at the end. */
  public long reservedBytes() {
    return totals.reservedBytes;
  }

  /** Most bytes that were ever reserved. */
  public long peakReservedBytes() {
    return totals.peakReservedBytes;
  }

  /** Most bytes that were ever live as the program asked for them. */
  public long peakRequestedBytes() {
    return totals.peakRequestedBytes;
  }

  /** Bytes live at the end as the program asked for them. */
  public long liveBytes() {
    return totals.requestedBytes;
  }

  /** Bytes taken from the device and not given back at the end, whole pages. */
  public long deviceBytes() {
    return deviceBytes;
  }

  /** Most bytes that were ever taken from the device, whole pages. */
  public long maxDeviceBytes() {
    return maxDeviceBytes;
  }

  /** Whether reserved memory ever shrank at a free. */
  public boolean hasFreeThatLoweredReserved() {
    return freeLoweredReserved;
  }

  private final class Rows extends EffectRows {
    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      counts[kind.ordinal()]++;
      effects
          .append(kind.action())
          .append(' ')
          .append(Long.toHexString(address))
          .append(' ')
          .append(bytes)
          .append(' ')
          .append(stream)
          .append('\n');
    }
  }

  private static final class Totals implements EffectListener {
    long requestedBytes;
    long peakRequestedBytes;
    long allocatedBytes;
    long reservedBytes;
    long peakReservedBytes;
    int rejections;

    @Override
    public void requestRejected(int allocation, long requested, String reason) {
      rejections++;
    }

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      requestedBytes += requested;
      allocatedBytes += block;
      peakRequestedBytes = Math.max(peakRequestedBytes, requestedBytes);
    }

    @Override
    public void freeRequested(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      requestedBytes -= requested;
      allocatedBytes -= block;
    }

    @Override
    public void reservedChanged(long bytes) {
      reservedBytes += bytes;
      peakReservedBytes = Math.max(peakReservedBytes, reservedBytes);
    }
  }
}
