package org.allocsim.simulator.device.simulated;

import org.allocsim.simulator.order.AddressOrder;
import org.allocsim.simulator.order.BlockRows;

/**
 * Addresses, each with a size in bytes. Every operation takes time logarithmic in their number.
 * Entries have numbers; {@link #NONE} is no entry.
 */
final class AddressTable extends BlockRows {
  private final AddressOrder order = new AddressOrder();

  /** The entry with this address. */
  int find(long address) {
    int entry = floor(address);
    return entry != NONE && address(entry) == address ? entry : NONE;
  }

  /** The entry with this address, else the one with the next lower address. */
  int floor(long address) {
    return order.floor(address);
  }

  /** Adds an entry; its address must be new. */
  void add(long address, long bytes) {
    int entry = newRow();
    place(entry, address, bytes);
    order.add(entry, address, bytes);
  }

  /** Removes an entry. */
  void remove(int entry) {
    order.remove(entry);
    recycle(entry);
  }
}
