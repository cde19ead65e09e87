package org.allocsim.simulator.order;

import java.util.Arrays;

/**
 * A number for each of some addresses, found in constant time: an open hash table with linear
 * probing, without gaps after removals. Values are at least 0.
 */
public final class AddressMap {
  /** Answer for an address that is not in the map; no value of it. */
  public static final long NONE = -1;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private long[] addresses = new long[16];
  private long[] values = new long[16];
  private int shift = Long.SIZE - 4;
  private int size;

  /** An empty map. */
  public AddressMap() {
    Arrays.fill(values, NONE);
  }

  /** Number of addresses. */
  public int size() {
    return size;
  }

  /** Value of an address, or {@link #NONE}. */
  public long get(long address) {
    return values[slotOf(address)];
  }

  /** Sets the value of an address. */
  public void put(long address, long value) {
    int slot = slotOf(address);
    boolean isNew = values[slot] == NONE;
    addresses[slot] = address;
    values[slot] = value;
    if (isNew && ++size > addresses.length / 2) {
      grow();
    }
  }

  /** Removes an address; answers the value that it had, or {@link #NONE}. */
  public long remove(long address) {
    int slot = slotOf(address);
    long value = values[slot];
    if (value == NONE) {
      return NONE;
    }
    size--;
    int mask = addresses.length - 1;
    int gap = slot;
    // What was pushed after its place by a neighbour moves back into the gap.
    for (int at = gap + 1 & mask; values[at] != NONE; at = at + 1 & mask) {
      int home = homeOf(addresses[at]);
      if ((at - home & mask) >= (at - gap & mask)) {
        addresses[gap] = addresses[at];
        values[gap] = values[at];
        gap = at;
      }
    }
    values[gap] = NONE;
    return value;
  }

  /** Where an address is, or the slot where it would be put. */
  private int slotOf(long address) {
    int mask = addresses.length - 1;
    int slot = homeOf(address);
    while (values[slot] != NONE && addresses[slot] != address) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private int homeOf(long address) {
    return (int) (address * SPREAD >>> shift);
  }

  private void grow() {
    long[] oldAddresses = addresses;
    long[] oldValues = values;
    int capacity = Math.multiplyExact(oldAddresses.length, 2);
    addresses = new long[capacity];
    values = new long[capacity];
    Arrays.fill(values, NONE);
    shift--;
    for (int slot = 0; slot < oldAddresses.length; slot++) {
      if (oldValues[slot] != NONE) {
        int free = slotOf(oldAddresses[slot]);
        addresses[free] = oldAddresses[slot];
        values[free] = oldValues[slot];
      }
    }
  }
}
