package org.allocsim.simulator.policy.pytorch;

import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;

/**
 * A device for tests: segments S1 &lt; S2 &lt; …, reserved ranges E1 &lt; E2 &lt; …, addresses
 * never used twice, one counter of free bytes. A call that no correct policy makes fails the test.
 */
final class ScriptedDevice implements DeviceMemory {
  static final long UNLIMITED_BYTES = 80L << 30;

  private static final long FIRST_SEGMENT = 1L << 46;
  private static final long FIRST_RANGE = 1L << 47;
  private static final long STRIDE = 1L << 40;

  private final long capacityBytes;
  private final TreeMap<Long, Long> segments = new TreeMap<>();
  private final TreeMap<Long, Long> ranges = new TreeMap<>();
  private final TreeMap<Long, Long> pages = new TreeMap<>();
  private int segmentCount;
  private int rangeCount;
  private long usedBytes;

  ScriptedDevice(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  long usedBytes() {
    return usedBytes;
  }

  /** The name of an address: {@code S2}, {@code E1+20M}, {@code S1+512}. */
  static String name(long address) {
    boolean inRange = address >= FIRST_RANGE;
    long offset = address - (inRange ? FIRST_RANGE : FIRST_SEGMENT);
    String base = (inRange ? "E" : "S") + (offset / STRIDE + 1);
    long inside = offset % STRIDE;
    return inside == 0 ? base : base + "+" + size(inside);
  }

  /** A size in MiB if it is a whole number of them, else in bytes. */
  static String size(long bytes) {
    return bytes > 0 && bytes % (1 << 20) == 0 ? (bytes >> 20) + "M" : Long.toString(bytes);
  }

  @Override
  public long allocate(long bytes) {
    if (usedBytes + bytes > capacityBytes) {
      return REFUSED;
    }
    usedBytes += bytes;
    long address = FIRST_SEGMENT + STRIDE * segmentCount++;
    segments.put(address, bytes);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    Long known = segments.remove(address);
    check(known != null && known == bytes, "free of " + name(address));
    usedBytes -= bytes;
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    check(bytes % pageBytes == 0 && bytes <= STRIDE, "reservation of " + size(bytes));
    long address = FIRST_RANGE + STRIDE * rangeCount++;
    ranges.put(address, bytes);
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {
    Long known = ranges.remove(address);
    check(known != null && known == bytes, "giving back " + name(address));
    check(pages.subMap(address, address + bytes).isEmpty(), "pages left in " + name(address));
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    checkPages(address, bytes, pageBytes);
    if (usedBytes + bytes > capacityBytes) {
      return false;
    }
    for (long page = address; page < address + bytes; page += pageBytes) {
      check(pages.put(page, pageBytes) == null, "second mapping of " + name(page));
    }
    usedBytes += bytes;
    return true;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    checkPages(address, bytes, pageBytes);
    for (long page = address; page < address + bytes; page += pageBytes) {
      check(pages.remove(page) != null, "unmapping of unmapped " + name(page));
    }
    usedBytes -= bytes;
  }

  @Override
  public long freeBytes() {
    return capacityBytes - usedBytes;
  }

  @Override
  public long totalBytes() {
    return capacityBytes;
  }

  private void checkPages(long address, long bytes, long pageBytes) {
    var range = ranges.floorEntry(address);
    check(
        range != null
            && address + bytes <= range.getKey() + range.getValue()
            && bytes > 0
            && bytes % pageBytes == 0
            && (address - range.getKey()) % pageBytes == 0,
        "pages at " + name(address) + " of " + size(bytes));
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("wrong call: " + what);
    }
  }
}
