package org.allocsim.simulator.device.simulated;

import java.util.Arrays;

/**
 * Finds the row of an address. Open addressing with linear probing; a removal closes the gap, so
 * nothing is left behind.
 */
final class AddressRows {
  /** No row. */
  static final int NONE = -1;

  private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

  private long[] addresses = new long[64];
  private int[] rows = new int[64];
  private int count;

  AddressRows() {
    Arrays.fill(rows, NONE);
  }

  /** Row of an address, or {@link #NONE}. */
  int row(long address) {
    return rows[slot(address)];
  }

  /** Adds an address that is not in the table. */
  void put(long address, int row) {
    if (2 * count >= rows.length) {
      grow();
    }
    int slot = slot(address);
    addresses[slot] = address;
    rows[slot] = row;
    count++;
  }

  /** Removes an address that is in the table. */
  void remove(long address) {
    int mask = rows.length - 1;
    int gap = slot(address);
    for (int slot = (gap + 1) & mask; rows[slot] != NONE; slot = (slot + 1) & mask) {
      int home = home(addresses[slot]);
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        addresses[gap] = addresses[slot];
        rows[gap] = rows[slot];
        gap = slot;
      }
    }
    rows[gap] = NONE;
    count--;
  }

  /** Slot of an address, or the free one where it belongs. */
  private int slot(long address) {
    int mask = rows.length - 1;
    int slot = home(address);
    while (rows[slot] != NONE && addresses[slot] != address) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int home(long address) {
    return (int) ((address * MIX) >>> (Long.numberOfLeadingZeros(rows.length) + 1));
  }

  private void grow() {
    long[] oldAddresses = addresses;
    int[] oldRows = rows;
    addresses = new long[Math.multiplyExact(2, oldRows.length)];
    rows = new int[addresses.length];
    Arrays.fill(rows, NONE);
    count = 0;
    for (int i = 0; i < oldRows.length; i++) {
      if (oldRows[i] != NONE) {
        put(oldAddresses[i], oldRows[i]);
      }
    }
  }
}
