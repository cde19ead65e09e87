package org.allocsim.simulator.device;

import java.util.Map;
import java.util.TreeMap;

/** Which addresses a recording shows as memory that is held; addresses are unsigned. */
final class HeldMemory {
  private final TreeMap<Long, Long> ends = new TreeMap<>(Long::compareUnsigned);

  /** Whether any of the bytes at an address is held. */
  boolean overlaps(long address, long bytes) {
    Map.Entry<Long, Long> below = ends.lowerEntry(address + bytes);
    return below != null && Long.compareUnsigned(below.getValue(), address) > 0;
  }

  /** Takes in bytes, none of which is held. */
  void add(long address, long bytes) {
    ends.put(address, address + bytes);
  }

  /** Gives bytes back, as far as they are held. */
  void remove(long address, long bytes) {
    long end = address + bytes;
    for (Map.Entry<Long, Long> held = ends.lowerEntry(end);
        held != null && Long.compareUnsigned(held.getValue(), address) > 0;
        held = ends.lowerEntry(end)) {
      ends.remove(held.getKey());
      if (Long.compareUnsigned(held.getKey(), address) < 0) {
        ends.put(held.getKey(), address);
      }
      if (Long.compareUnsigned(held.getValue(), end) > 0) {
        ends.put(end, held.getValue());
      }
    }
  }
}
