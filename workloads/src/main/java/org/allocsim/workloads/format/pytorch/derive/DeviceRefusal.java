package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/** Which of the device and the allocator's own limit refused a request. */
public final class DeviceRefusal {
  private DeviceRefusal() {}

  /**
   * Whether the device can have refused a request while so much of it was free. The driver needs a
   * page for page tables now and then (driver 580).
   */
  public static boolean isPossible(long requestedBytes, long freeBytes, AllocatorConfig config) {
    return freeBytes < config.obtainedBytesFor(requestedBytes) + DeviceProfile.PAGE_BYTES;
  }

  /** Most that the device could give then: what was free, and less than what it refused. */
  public static long mostGivenBytes(long requestedBytes, long freeBytes, AllocatorConfig config) {
    return Math.min(freeBytes, config.obtainedBytesFor(requestedBytes) - 1);
  }
}
