package org.allocsim.validation.gpu;

import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * One policy that serves the requests of one device of a trace, to be run on both devices.
 *
 * @param trace the requests
 * @param device index of the device in the trace
 * @param provider makes the policy
 * @param settings its limit and options
 * @param capacityBytes memory to leave free on the GPU, so that the driver refuses what goes
 *     beyond, or −1 for all that is free
 * @param touch whether every block that is handed out is filled with zeros
 */
public record GpuCase(
    AllocationTrace trace,
    int device,
    PolicyProvider provider,
    PolicySettings settings,
    long capacityBytes,
    boolean touch) {
  /** The same with other memory. */
  GpuCase with(long limitBytes, long newCapacityBytes) {
    return new GpuCase(
        trace,
        device,
        provider,
        new PolicySettings(limitBytes, settings.options()),
        newCapacityBytes,
        touch);
  }
}
