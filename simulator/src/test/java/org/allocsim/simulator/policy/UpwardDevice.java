package org.allocsim.simulator.policy;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;

/** Memory that lies after what was handed out before, without pages; it remembers the calls. */
public final class UpwardDevice implements DeviceMemory {
  private final long totalBytes;
  private final List<String> calls = new ArrayList<>();
  private long nextAddress;
  private long freeBytes;

  /** A device whose first block lies at an address. */
  public UpwardDevice(long firstAddress, long totalBytes) {
    nextAddress = firstAddress;
    this.totalBytes = totalBytes;
    freeBytes = totalBytes;
  }

  /** All calls so far, such as {@code "allocate 4096"} and {@code "free 0x100000"}. */
  public List<String> calls() {
    return calls;
  }

  /** The calls since the last call of this method. */
  public List<String> newCalls() {
    List<String> copy = List.copyOf(calls);
    calls.clear();
    return copy;
  }

  @Override
  public long allocate(long bytes) {
    calls.add("allocate " + bytes);
    if (bytes > freeBytes) {
      return REFUSED;
    }
    freeBytes -= bytes;
    long address = nextAddress;
    nextAddress += bytes;
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    calls.add("free 0x" + Long.toHexString(address));
    freeBytes += bytes;
  }

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
    return freeBytes;
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }
}
