package org.allocsim.simulator.timing;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.cost.ComputeProfile;

/** Page-locked host memory as the operating system and the driver give it; there is enough. */
final class PinnedMemory implements DeviceMemory {
  private static final long MEBIBYTE = 1L << 20;
  private static final long PAGE_BYTES = 4096;

  private final ComputeProfile compute;
  private final HostClock host;
  private long nextAddress = PAGE_BYTES;
  private long heldBytes;
  private long peakBytes;

  PinnedMemory(ComputeProfile compute, HostClock host) {
    this.compute = compute;
    this.host = host;
  }

  /** Most bytes that were pinned at a time. */
  long peakBytes() {
    return peakBytes;
  }

  @Override
  public long allocate(long bytes) {
    long address = nextAddress;
    nextAddress += (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    heldBytes += bytes;
    peakBytes = Math.max(peakBytes, heldBytes);
    host.spend(
        HostActivity.PIN, compute.pinNanos() + bytes / MEBIBYTE * compute.pinMebibyteNanos());
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    heldBytes -= bytes;
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    return REFUSED;
  }

  @Override
  public void unreserve(long address, long bytes) {
    throw new IllegalStateException("host memory has no address ranges");
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    return false;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    throw new IllegalStateException("host memory has no address ranges");
  }

  @Override
  public long freeBytes() {
    return Long.MAX_VALUE - heldBytes;
  }

  @Override
  public long totalBytes() {
    return Long.MAX_VALUE;
  }
}
