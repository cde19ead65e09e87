package org.allocsim.simulator.device.simulated;

import org.allocsim.simulator.device.span.Spans;
import org.jspecify.annotations.Nullable;

/** A reservation of address space; {@link Reservations} makes it and uses it again. */
final class Reservation {
  /** Number among the reservations that there are, from 1 on. */
  final int number;

  /** Where blocks can come to lie. */
  final Spans holes = new Spans();

  /** Neighbours by address, null for none. */
  @Nullable Reservation below;

  @SuppressWarnings("NullAway.Init") // the end and what is not placed are not asked
  Reservation above;

  /** Whether its holes are looked through for blocks. */
  boolean isListed;

  /** Number among all reservations ever listed, less with each. */
  long age;

  private long address;
  private long bytes;
  private boolean isForeign;

  Reservation(int number) {
    this.number = number;
  }

  /** Gives it its place; unless it is foreign it is one hole. */
  void place(long newAddress, long newBytes, boolean foreign) {
    address = newAddress;
    bytes = newBytes;
    isForeign = foreign;
    holes.clear();
    if (!foreign) {
      holes.add(newAddress, newBytes);
    }
  }

  long address() {
    return address;
  }

  long bytes() {
    return bytes;
  }

  long end() {
    return address + bytes;
  }

  /** Whether the driver did not make it for blocks: it has no holes and is never given back. */
  boolean isForeign() {
    return isForeign;
  }

  boolean isEmpty() {
    return holes.largestBytes() == bytes;
  }
}
