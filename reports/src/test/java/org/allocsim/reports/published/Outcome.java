package org.allocsim.reports.published;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * What a replay came to, as the papers count it.
 *
 * @param peakAllocatedBytes maximum bytes handed out
 * @param peakReservedBytes maximum bytes held from the device
 * @param driverCalls calls of the driver
 * @param failures requests that were refused
 */
record Outcome(long peakAllocatedBytes, long peakReservedBytes, long driverCalls, int failures) {
  static Outcome of(
      AllocationTrace trace, DeviceProfile profile, String policyId, Map<String, String> options)
      throws Exception {
    SimulatedDevice device = new SimulatedDevice(profile);
    Totals totals = new Totals();
    AllocatorPolicy policy =
        Policies.named(policyId)
            .orElseThrow()
            .create(new PolicySettings(-1, options), new FutureRequests(trace, 0), device, totals);
    new Replay(trace, 0, policy, EffectListeners.NONE, () -> 0).run(event -> true);
    return new Outcome(
        totals.peakAllocated, totals.peakReserved, device.driverCalls(), totals.failures);
  }

  /** Peak allocated by peak reserved; the peaks may be at different moments. */
  double utilisation() {
    return (double) peakAllocatedBytes / peakReservedBytes;
  }

  /** Utilisation with three digits, or OOM. */
  String text() {
    return failures > 0 ? "OOM" : "%.3f".formatted(utilisation());
  }

  private static final class Totals implements EffectListener {
    private long allocated;
    private long peakAllocated;
    private long reserved;
    private long peakReserved;
    private int failures;

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      allocated += block;
      peakAllocated = Math.max(peakAllocated, allocated);
    }

    @Override
    public void freeRequested(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      allocated -= block;
    }

    @Override
    public void reservedChanged(long bytes) {
      reserved += bytes;
      peakReserved = Math.max(peakReserved, reserved);
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failures++;
    }
  }
}
