package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.device.DeviceMemory;

/**
 * The device memory of a heap whose addresses have no holes. Either a range of addresses as large
 * as the device is reserved at the first request and filled from its start with pages as the heap
 * grows, or one segment of a fixed size is taken (an arena), which never grows.
 */
final class HeapMemory {
  /** Pages of the CUDA driver, of which a growth step is a multiple. */
  static final long PAGE_BYTES = 2L << 20;

  /** Most bytes of a heap; so long is the range for devices that do not report their size. */
  static final long MAX_BYTES = 1L << 46;

  private final DeviceMemory device;
  private final long limitBytes;
  private final long stepBytes;
  private final long arenaBytes;
  private long baseAddress;
  private long rangeBytes;
  private long heldBytes;

  /**
   * Memory of which nothing is held yet.
   *
   * @param limitBytes most that may be held, −1 without limit
   * @param stepBytes what is taken at once: a multiple of this
   * @param arenaBytes size of the arena, or 0 for a heap that grows
   */
  HeapMemory(DeviceMemory device, long limitBytes, long stepBytes, long arenaBytes) {
    this.device = device;
    this.limitBytes = limitBytes;
    this.stepBytes = stepBytes;
    this.arenaBytes = arenaBytes;
  }

  /** A size rounded up to a multiple of a unit; {@link Long#MAX_VALUE} where there is none. */
  static long roundUp(long bytes, long unitBytes) {
    long rest = bytes % unitBytes;
    if (rest == 0) {
      return bytes;
    }
    return bytes > Long.MAX_VALUE - (unitBytes - rest) ? Long.MAX_VALUE : bytes - rest + unitBytes;
  }

  boolean isArena() {
    return arenaBytes > 0;
  }

  /** Address of the heap's first byte, once anything is held. */
  long baseAddress() {
    return baseAddress;
  }

  /** Bytes held from the device. */
  long heldBytes() {
    return heldBytes;
  }

  /** What the device is asked for where so many more bytes are needed. */
  long growthBytes(long neededBytes) {
    return isArena() ? arenaBytes : roundUp(neededBytes, stepBytes);
  }

  /**
   * Takes at least so many bytes more.
   *
   * @return how many were taken; 0 where the device, the limit or the arena has not as many
   */
  long grow(long neededBytes) {
    long bytes = growthBytes(neededBytes);
    if (limitBytes >= 0 && bytes > limitBytes - heldBytes) {
      return 0;
    }
    if (isArena()) {
      if (heldBytes > 0 || neededBytes > arenaBytes) {
        return 0;
      }
      long address = device.allocate(arenaBytes);
      if (address == DeviceMemory.REFUSED) {
        return 0;
      }
      baseAddress = address;
    } else if (!reserve()
        || bytes > rangeBytes - heldBytes
        || !device.map(baseAddress + heldBytes, bytes, stepBytes)) {
      return 0;
    }
    heldBytes += bytes;
    return bytes;
  }

  private boolean reserve() {
    if (rangeBytes > 0) {
      return true;
    }
    long most = device.totalBytes() < 0 ? MAX_BYTES : device.totalBytes();
    long bytes = roundUp(Math.min(most, MAX_BYTES), stepBytes);
    long address = device.reserve(bytes, stepBytes, 0);
    if (address == DeviceMemory.REFUSED) {
      return false;
    }
    baseAddress = address;
    rangeBytes = bytes;
    return true;
  }

  /** Bytes that whole steps need to hold a heap of this height. */
  long stepsFor(long heightBytes) {
    return isArena() ? heldBytes : roundUp(heightBytes, stepBytes);
  }

  /** Gives back all but the first bytes, which are whole steps. */
  void shrink(long keptBytes) {
    device.unmap(baseAddress + keptBytes, heldBytes - keptBytes, stepBytes);
    heldBytes = keptBytes;
  }
}
