package org.allocsim.validation.recordings;

import org.allocsim.simulator.device.DeviceMemory;

/** A device that answers every request for a segment with the address a recorded one got. */
final class RecordedAddresses implements DeviceMemory {
  private long nextAddress = REFUSED;
  private int calls;

  /** The address of the next segment. */
  void next(long address) {
    nextAddress = address;
  }

  /** Segments handed out so far. */
  int calls() {
    return calls;
  }

  @Override
  public long allocate(long bytes) {
    calls++;
    return nextAddress;
  }

  @Override
  public void free(long address, long bytes) {}

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    throw new AssertionError();
  }

  @Override
  public void unreserve(long address, long bytes) {
    throw new AssertionError();
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    throw new AssertionError();
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    throw new AssertionError();
  }

  @Override
  public long freeBytes() {
    return 0;
  }

  @Override
  public long totalBytes() {
    return -1;
  }
}
