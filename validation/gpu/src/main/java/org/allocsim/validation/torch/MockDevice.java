package org.allocsim.validation.torch;

import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;

/**
 * The device of the stand-in for a GPU, call by call and address by address: free bytes are counted
 * in pages of 2 MiB, segments descend from one base, or ascend from it where every n-th does, and
 * address ranges are the lowest that are free. {@code standin.c} has the same rules.
 */
final class MockDevice implements DeviceMemory {
  private static final long PAGE_BYTES = 2L << 20;
  private static final long RANGE_UNIT_BYTES = 32L << 20;
  private static final long FIRST_RANGE = 0x1000_0000_0000L;
  private static final long BASE = 0x2400_0000_0000L;

  private final long totalBytes;
  private final int ascendingEvery;
  private final TreeMap<Long, Long> segments = new TreeMap<>();
  private final TreeMap<Long, Long> ranges = new TreeMap<>();
  private long freeBytes;
  private int placed;

  /**
   * A device whose memory is free.
   *
   * @param ascendingEvery every n-th segment ascends, 0 for none
   */
  MockDevice(long totalBytes, int ascendingEvery) {
    this.totalBytes = totalBytes;
    this.ascendingEvery = ascendingEvery;
    freeBytes = totalBytes;
  }

  @Override
  public long allocate(long bytes) {
    long taken = roundUp(bytes, PAGE_BYTES);
    if (taken > freeBytes) {
      return REFUSED;
    }
    boolean ascends = ascendingEvery > 0 && ++placed % ascendingEvery == 0;
    long address = ascends ? lowestGap(segments, BASE, taken) : highestGap(taken);
    segments.put(address, taken);
    freeBytes -= taken;
    return address;
  }

  /** The start of the lowest gap of at least these bytes. */
  private static long lowestGap(TreeMap<Long, Long> spans, long from, long bytes) {
    long candidate = from;
    for (Map.Entry<Long, Long> span : spans.tailMap(from, true).entrySet()) {
      if (span.getKey() - candidate >= bytes) {
        break;
      }
      candidate = span.getKey() + span.getValue();
    }
    return candidate;
  }

  /** The start of a span at the top of the highest gap below the base. */
  private long highestGap(long bytes) {
    long limit = BASE;
    for (Map.Entry<Long, Long> span : segments.headMap(BASE, false).descendingMap().entrySet()) {
      if (limit - (span.getKey() + span.getValue()) >= bytes) {
        break;
      }
      limit = span.getKey();
    }
    return limit - bytes;
  }

  @Override
  public void free(long address, long bytes) {
    Long taken = segments.remove(address);
    if (taken == null) {
      throw new IllegalArgumentException("no segment begins at " + Long.toHexString(address));
    }
    freeBytes += taken;
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    long taken = roundUp(bytes, RANGE_UNIT_BYTES);
    long address = lowestGap(ranges, FIRST_RANGE, taken);
    ranges.put(address, taken);
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {
    ranges.remove(address);
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    if (bytes > freeBytes) {
      return false;
    }
    freeBytes -= bytes;
    return true;
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
    return totalBytes;
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }
}
