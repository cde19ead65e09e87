package org.allocsim.workloads.format.pytorch.derive;

import java.util.Arrays;

/**
 * A map from addresses to numbers of at least 0, open addressing with linear probing. Address 0 is
 * not a key.
 */
final class AddressMap {
  /** Answer where an address is not in the map. */
  static final int NONE = -1;

  private long[] keys = new long[1024];
  private int[] values = new int[1024];
  private int size;

  /** Number of addresses. */
  int size() {
    return size;
  }

  /** The number of an address, or {@link #NONE}. */
  int get(long address) {
    int slot = slot(address);
    return address != 0 && keys[slot] == address ? values[slot] : NONE;
  }

  /** Sets the number of an address. */
  void put(long address, int value) {
    if (size * 2 >= keys.length) {
      grow();
    }
    int slot = slot(address);
    if (keys[slot] != address) {
      keys[slot] = address;
      size++;
    }
    values[slot] = value;
  }

  /** Removes an address and returns its number, or {@link #NONE}. */
  int remove(long address) {
    int hole = slot(address);
    if (address == 0 || keys[hole] != address) {
      return NONE;
    }
    int value = values[hole];
    size--;
    int mask = keys.length - 1;
    int slot = hole;
    while (true) {
      slot = (slot + 1) & mask;
      if (keys[slot] == 0) {
        break;
      }
      int home = home(keys[slot]);
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        keys[hole] = keys[slot];
        values[hole] = values[slot];
        hole = slot;
      }
    }
    keys[hole] = 0;
    return value;
  }

  private int slot(long address) {
    int mask = keys.length - 1;
    int slot = home(address);
    while (keys[slot] != 0 && keys[slot] != address) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int home(long address) {
    long hash = address * 0x9E37_79B9_7F4A_7C15L;
    return (int) (hash >>> 40) & (keys.length - 1);
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = Arrays.copyOf(values, keys.length);
    size = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        put(oldKeys[i], oldValues[i]);
      }
    }
  }
}
