package org.allocsim.simulator.policy.bfc;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;

/**
 * A device that places blocks by ascending address on whole pages, end to end or with a hole
 * between them, and lists all calls.
 */
final class ListedDevice implements DeviceMemory {
  private static final long PAGE_BYTES = 2L << 20;

  final List<String> calls = new ArrayList<>();
  private final long capacityBytes;
  private final long holeBytes;
  private final TreeMap<Long, Long> blocks = new TreeMap<>();
  private long nextAddress = 1L << 32;
  private long takenBytes;

  ListedDevice(long capacityBytes) {
    this(capacityBytes, 0);
  }

  ListedDevice(long capacityBytes, long holeBytes) {
    this.capacityBytes = capacityBytes;
    this.holeBytes = holeBytes;
  }

  @Override
  public long allocate(long bytes) {
    if (bytes > capacityBytes - takenBytes) {
      calls.add("refuse " + bytes);
      return REFUSED;
    }
    calls.add("allocate " + bytes);
    long address = nextAddress;
    nextAddress += (bytes + holeBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    takenBytes += bytes;
    blocks.put(address, bytes);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    if (!Long.valueOf(bytes).equals(blocks.remove(address))) {
      throw new AssertionError("no block of " + bytes + " bytes at " + address);
    }
    calls.add("free " + bytes);
    takenBytes -= bytes;
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

  /** Bytes that are allocated now. */
  long takenBytes() {
    return takenBytes;
  }

  /** Bytes of the whole pages that are allocated now. */
  long pageBytes() {
    return blocks.values().stream()
        .mapToLong(bytes -> (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)
        .sum();
  }

  @Override
  public long freeBytes() {
    return capacityBytes - takenBytes;
  }

  @Override
  public long totalBytes() {
    return capacityBytes;
  }
}
