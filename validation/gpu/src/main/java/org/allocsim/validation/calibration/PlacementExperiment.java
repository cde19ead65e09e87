package org.allocsim.validation.calibration;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;

/** Finds units and places of memory in a process that has taken none yet. */
final class PlacementExperiment {
  private static final long UNKNOWN = -1;
  private static final long SMALLEST_BYTES = 1;

  /** Far above any page of device memory. */
  private static final long LARGEST_PAGE_BYTES = 64L << 20;

  /** Blocks of so many pages leave no hole that the next one fits. */
  private static final int[] RESERVING_PAGES = {300, 340, 420, 500, 620, 700};

  private static final int MAX_UNUSABLE_PAGES = 64;

  private PlacementExperiment() {}

  static Placement of(DeviceMemory memory) {
    long before = memory.freeBytes();
    long first = taken(memory, SMALLEST_BYTES);
    long pageBytes = before - memory.freeBytes();
    if (Long.bitCount(pageBytes) != 1 || pageBytes < 512 || pageBytes > LARGEST_PAGE_BYTES) {
      throw new CalibrationException(
          ("the first block took %d bytes of the device, which is not a page; end other programs"
                  + " that use it")
              .formatted(pageBytes));
    }
    long second = taken(memory, SMALLEST_BYTES);
    long alignmentBytes = Math.abs(second - first);
    boolean shares = before - memory.freeBytes() == pageBytes;
    memory.free(second, SMALLEST_BYTES);
    long largestShared = shares ? largestShared(memory, pageBytes, alignmentBytes) : UNKNOWN;
    memory.free(first, SMALLEST_BYTES);
    // A single page may lie elsewhere, where the context's own memory leaves one.
    long arena = taken(memory, 2 * pageBytes);
    memory.free(arena, 2 * pageBytes);
    long range = memory.reserve(LARGEST_PAGE_BYTES, pageBytes, 0);
    if (range != DeviceMemory.REFUSED) {
      memory.unreserve(range, LARGEST_PAGE_BYTES);
    }
    List<Long> addresses = new ArrayList<>();
    long unit = 0;
    for (int pages : RESERVING_PAGES) {
      long address = memory.allocate(pages * pageBytes);
      if (address == DeviceMemory.REFUSED) {
        break;
      }
      addresses.add(address);
      unit = gcd(unit, address);
    }
    for (int i = 0; i < addresses.size(); i++) {
      memory.free(addresses.get(i), RESERVING_PAGES[i] * pageBytes);
    }
    boolean known = addresses.size() == RESERVING_PAGES.length && Long.bitCount(unit) == 1;
    long firstBytes = RESERVING_PAGES[0] * pageBytes;
    return new Placement(
        pageBytes,
        alignmentBytes,
        largestShared,
        known ? unit : UNKNOWN,
        arena,
        known ? addresses.getFirst() + (firstBytes + unit - 1) / unit * unit : UNKNOWN,
        range,
        UNKNOWN,
        UNKNOWN);
  }

  private static long largestShared(DeviceMemory memory, long pageBytes, long alignmentBytes) {
    long low = 1;
    long high = 2 * pageBytes / alignmentBytes;
    while (low < high) {
      long middle = (low + high + 1) / 2;
      long before = memory.freeBytes();
      long block = taken(memory, middle * alignmentBytes);
      boolean shares = memory.freeBytes() == before;
      memory.free(block, middle * alignmentBytes);
      if (shares) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low * alignmentBytes;
  }

  /** Takes all memory for a moment; answers what stays free, or −1 where that is not clear. */
  static long unusableBytes(DeviceMemory memory, long pageBytes) {
    long free = memory.freeBytes() / pageBytes;
    for (int left = 0; left <= MAX_UNUSABLE_PAGES && left < free; left++) {
      long bytes = (free - left) * pageBytes;
      long block = memory.allocate(bytes);
      if (block != DeviceMemory.REFUSED) {
        memory.free(block, bytes);
        return left * pageBytes;
      }
    }
    return UNKNOWN;
  }

  private static long taken(DeviceMemory memory, long bytes) {
    long address = memory.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      throw new CalibrationException(
          "the device has no memory left; end other programs or allow more");
    }
    return address;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
