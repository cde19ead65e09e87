package org.allocsim.validation.recordings;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;

/**
 * The device that the allocators of PyTorch's releases were recorded on: it counts bytes in pages
 * of 2 MiB, hands out the recorded addresses of segments, and reserves the lowest free range.
 */
final class CountingDevice implements DeviceMemory {
  private static final long PAGE_BYTES = 2L << 20;
  private static final long RANGE_UNIT_BYTES = 32L << 20;
  private static final long FIRST_RANGE = 0x1000_0000_0000L;
  private static final long STREAM_PAGES = 16;

  private final long capacityBytes;
  private final Iterator<Long> segmentAddresses;
  private final TreeMap<Long, Long> ranges = new TreeMap<>();
  private long freeBytes;

  CountingDevice(long capacityBytes, Iterator<Long> segmentAddresses) {
    this.capacityBytes = capacityBytes;
    this.segmentAddresses = segmentAddresses;
    freeBytes = capacityBytes;
  }

  /** PyTorch makes its streams, which costs memory. */
  void makeStreams() {
    freeBytes -= Math.min(STREAM_PAGES * PAGE_BYTES, freeBytes / PAGE_BYTES * PAGE_BYTES);
  }

  @Override
  public long allocate(long bytes) {
    if (!take(bytes)) {
      return REFUSED;
    }
    return segmentAddresses.hasNext() ? segmentAddresses.next() : PAGE_BYTES;
  }

  @Override
  public void free(long address, long bytes) {
    freeBytes += whole(bytes);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    long length = roundUp(bytes, RANGE_UNIT_BYTES);
    long address = FIRST_RANGE;
    for (Map.Entry<Long, Long> range : ranges.entrySet()) {
      if (address + length <= range.getKey()) {
        break;
      }
      address = range.getKey() + range.getValue();
    }
    ranges.put(address, length);
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {
    ranges.remove(address);
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    return take(bytes);
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    freeBytes += bytes;
  }

  @Override
  public long freeBytes() {
    return freeBytes;
  }

  @Override
  public long totalBytes() {
    return capacityBytes;
  }

  private boolean take(long bytes) {
    if (whole(bytes) > freeBytes) {
      return false;
    }
    freeBytes -= whole(bytes);
    return true;
  }

  private static long whole(long bytes) {
    return roundUp(bytes, PAGE_BYTES);
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }
}
