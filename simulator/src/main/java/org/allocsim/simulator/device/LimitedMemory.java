package org.allocsim.simulator.device;

/**
 * A device on which an allocator may hold a limited number of bytes: a call that would exceed the
 * limit fails as if the device were full. It gives a limit to allocators without one.
 */
public final class LimitedMemory implements DeviceMemory {
  private final DeviceMemory device;
  private final long limitBytes;
  private long heldBytes;

  private LimitedMemory(DeviceMemory device, long limitBytes) {
    this.device = device;
    this.limitBytes = limitBytes;
  }

  /** The device itself if the limit is negative, which means no limit. */
  public static DeviceMemory of(DeviceMemory device, long limitBytes) {
    return limitBytes < 0 ? device : new LimitedMemory(device, limitBytes);
  }

  @Override
  public long allocate(long bytes) {
    if (bytes > limitBytes - heldBytes) {
      return REFUSED;
    }
    long address = device.allocate(bytes);
    heldBytes += address == REFUSED ? 0 : bytes;
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    device.free(address, bytes);
    heldBytes -= bytes;
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    return device.reserve(bytes, pageBytes, stream);
  }

  @Override
  public void unreserve(long address, long bytes) {
    device.unreserve(address, bytes);
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    boolean mapped = bytes <= limitBytes - heldBytes && device.map(address, bytes, pageBytes);
    heldBytes += mapped ? bytes : 0;
    return mapped;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    device.unmap(address, bytes, pageBytes);
    heldBytes -= bytes;
  }

  /** Free bytes of the device, which the limit does not change. */
  @Override
  public long freeBytes() {
    return device.freeBytes();
  }

  @Override
  public long totalBytes() {
    return device.totalBytes();
  }
}
