package org.allocsim.benchmarks.suite;

import org.allocsim.simulator.device.DeviceMemory;

/** A device that refuses nothing and never gives the same address twice. */
final class EndlessMemory implements DeviceMemory {
  private static final long TOTAL_BYTES = 1L << 46;
  private static final long PAGE_BYTES = 2L << 20;

  private long nextAddress = PAGE_BYTES;

  @Override
  public long allocate(long bytes) {
    long address = nextAddress;
    nextAddress += (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    return address;
  }

  @Override
  public void free(long address, long bytes) {}

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    return allocate(bytes);
  }

  @Override
  public void unreserve(long address, long bytes) {}

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    return true;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {}

  @Override
  public long freeBytes() {
    return TOTAL_BYTES;
  }

  @Override
  public long totalBytes() {
    return TOTAL_BYTES;
  }
}
