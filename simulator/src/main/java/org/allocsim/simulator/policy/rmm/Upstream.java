package org.allocsim.simulator.policy.rmm;

import org.allocsim.simulator.device.DeviceMemory;

/**
 * The device under a resource, under a limit as RMM's {@code limiting_resource_adaptor} sets it:
 * every request counts with its size rounded up to 256 bytes, and one that would pass the limit is
 * refused without asking the device.
 */
final class Upstream {
  /** Unit of sizes and addresses ({@code CUDA_ALLOCATION_ALIGNMENT}). */
  static final long UNIT_BYTES = 256;

  private static final long MAX_BYTES = Long.MAX_VALUE & -UNIT_BYTES;

  private final DeviceMemory device;
  private final long limitBytes;
  private long heldBytes;

  /**
   * A device of which nothing is held.
   *
   * @param limitBytes most rounded bytes that may be held, −1 for no limit
   */
  Upstream(DeviceMemory device, long limitBytes) {
    this.device = device;
    this.limitBytes = limitBytes;
  }

  /** A size rounded up to the unit; sizes that no device has end at the largest multiple. */
  static long alignUp(long bytes) {
    return bytes >= MAX_BYTES ? MAX_BYTES : (bytes + UNIT_BYTES - 1) & -UNIT_BYTES;
  }

  /** A size rounded down to the unit. */
  static long alignDown(long bytes) {
    return bytes & -UNIT_BYTES;
  }

  /** Memory of the device, or {@link DeviceMemory#REFUSED}. */
  long allocate(long bytes) {
    long counted = alignUp(bytes);
    if (limitBytes >= 0 && counted > limitBytes - heldBytes) {
      return DeviceMemory.REFUSED;
    }
    long address = device.allocate(bytes);
    if (address != DeviceMemory.REFUSED) {
      heldBytes += counted;
    }
    return address;
  }

  /** Gives memory back. */
  void free(long address, long bytes) {
    device.free(address, bytes);
    heldBytes -= alignUp(bytes);
  }

  /** The limit, −1 for none. */
  long limitBytes() {
    return limitBytes;
  }

  /** Free bytes of the device. */
  long deviceFreeBytes() {
    return device.freeBytes();
  }
}
