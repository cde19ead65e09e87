package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/** Which of the device and the allocator's own limit refused a request. */
public final class DeviceFailure {
  private DeviceFailure() {}

  /**
   * Most that the allocator could have when a request failed: what it held and what was free, and
   * less than what the device refused.
   *
   * @param freeBytes what was free on the device; negative where it was not recorded
   * @return {@link Long#MAX_VALUE} where that is not known, or where the device cannot have refused
   *     the request: the driver needs a page for page tables now and then (driver 580)
   */
  public static long maxBytes(
      long reservedBytes, long requestedBytes, long freeBytes, AllocatorConfig config) {
    long obtainedBytes = config.obtainedBytesFor(requestedBytes);
    return freeBytes < 0 || freeBytes >= obtainedBytes + DeviceProfile.PAGE_BYTES
        ? Long.MAX_VALUE
        : reservedBytes + Math.min(freeBytes, obtainedBytes - 1);
  }
}
