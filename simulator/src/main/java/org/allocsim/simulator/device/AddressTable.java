package org.allocsim.simulator.device;

import java.util.Arrays;

/** Addresses, ascending, each with its size in bytes. Sorted primitive arrays. */
final class AddressTable {
  private int count;
  private long[] addresses = new long[16];
  private long[] sizes = new long[16];

  /** Number of entries. */
  int count() {
    return count;
  }

  /** Address of an entry. */
  long address(int entry) {
    return addresses[entry];
  }

  /** Size of an entry in bytes. */
  long bytes(int entry) {
    return sizes[entry];
  }

  /** The entry with this address, or −1. */
  int find(long address) {
    return Math.max(-1, Arrays.binarySearch(addresses, 0, count, address));
  }

  /** The last entry with this address or a lower one, or −1. */
  int findAtOrBelow(long address) {
    int found = Arrays.binarySearch(addresses, 0, count, address);
    return found >= 0 ? found : -found - 2;
  }

  /** Adds an entry; its address must be new. Returns its place. */
  int add(long address, long bytes) {
    int at = findAtOrBelow(address) + 1;
    if (count == addresses.length) {
      int capacity = Math.addExact(count, (count >> 1) + 16);
      addresses = Arrays.copyOf(addresses, capacity);
      sizes = Arrays.copyOf(sizes, capacity);
    }
    System.arraycopy(addresses, at, addresses, at + 1, count - at);
    System.arraycopy(sizes, at, sizes, at + 1, count - at);
    addresses[at] = address;
    sizes[at] = bytes;
    count++;
    return at;
  }

  /** Removes an entry. */
  void remove(int entry) {
    System.arraycopy(addresses, entry + 1, addresses, entry, count - entry - 1);
    System.arraycopy(sizes, entry + 1, sizes, entry, count - entry - 1);
    count--;
  }
}
