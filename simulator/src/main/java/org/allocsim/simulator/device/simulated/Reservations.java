package org.allocsim.simulator.device.simulated;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.allocsim.simulator.order.AddressOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reservations of address space in the order of their addresses, and the gaps between them. Every
 * operation takes time logarithmic in their number.
 */
final class Reservations {
  private final long unitBytes;

  /** Where the highest gap ends: no reservation, but the neighbour of the highest one. */
  private final Reservation end;

  private Reservation[] numbered = new Reservation[16];
  private int count;
  private final ArrayDeque<Reservation> unused = new ArrayDeque<>();

  /** Reservations with the bytes of the gaps below them. */
  private final AddressOrder upwards = new AddressOrder();

  /**
   * Reservations and the end from the highest on, by the complements of their addresses, with the
   * most bytes that a new reservation in the gap below may have.
   */
  private final AddressOrder downwards = new AddressOrder();

  /**
   * No reservations.
   *
   * @param unitBytes reservations that seek a gap start at multiples of this, a power of two
   * @param endAddress where address space ends
   */
  Reservations(long unitBytes, long endAddress) {
    this.unitBytes = unitBytes;
    end = make(endAddress, 0, true);
    downwards.add(end.number, ~endAddress, maxBytes(end));
  }

  /** A reservation that is not among these yet. */
  Reservation make(long address, long bytes, boolean foreign) {
    Reservation reservation = unused.pollLast();
    if (reservation == null) {
      if (++count == numbered.length) {
        numbered = Arrays.copyOf(numbered, 2 * count);
      }
      reservation = new Reservation(count);
      numbered[count] = reservation;
    }
    reservation.place(address, bytes, foreign);
    return reservation;
  }

  /** The reservation with a number. */
  Reservation numbered(int number) {
    return numbered[number];
  }

  /** The last reservation that starts at an address or below it, or null. */
  @Nullable Reservation floor(long address) {
    return orNull(upwards.floor(address));
  }

  /** Start of the gap below a reservation or the end. */
  static long gapStart(Reservation reservation) {
    return reservation.below == null ? 0 : reservation.below.end();
  }

  /** What lies above an address: a reservation or the end. */
  Reservation above(long address) {
    Reservation floor = floor(address);
    if (floor != null) {
      return floor.above;
    }
    int lowest = upwards.lowest(Long.MIN_VALUE);
    return lowest == AddressOrder.NONE ? end : numbered[lowest];
  }

  /**
   * What lies above the highest gap that is larger than so many bytes, its end rounded down to a
   * unit. The lowest gap counts as large enough.
   *
   * @param bytes whole units
   */
  Reservation aboveHighestGap(long bytes) {
    return numbered[downwards.lowest(bytes)];
  }

  /**
   * The lowest reservation above a gap of at least so many bytes, but none that starts below an
   * address; null for none.
   */
  @Nullable Reservation aboveGap(long address, long bytes) {
    return orNull(upwards.lowestFrom(address, bytes));
  }

  /** Takes in a reservation, which overlaps none. */
  void add(Reservation reservation) {
    Reservation above = above(reservation.address());
    reservation.above = above;
    reservation.below = above.below;
    if (above.below != null) {
      above.below.above = reservation;
    }
    above.below = reservation;
    long address = reservation.address();
    upwards.add(reservation.number, address, address - gapStart(reservation));
    downwards.add(reservation.number, ~address, maxBytes(reservation));
    settle(above);
  }

  /** Gives a reservation up, which is used again for another one. */
  void remove(Reservation reservation) {
    upwards.remove(reservation.number);
    downwards.remove(reservation.number);
    Reservation above = reservation.above;
    above.below = reservation.below;
    if (reservation.below != null) {
      reservation.below.above = above;
    }
    settle(above);
    reservation.below = null;
    unused.addLast(reservation);
  }

  /** The gap below a reservation is another one. */
  private void settle(Reservation reservation) {
    long address = reservation.address();
    downwards.resize(reservation.number, ~address, maxBytes(reservation));
    if (!reservation.equals(end)) {
      upwards.resize(reservation.number, address, address - gapStart(reservation));
    }
  }

  private long maxBytes(Reservation above) {
    return above.below == null
        ? Long.MAX_VALUE
        : (above.address() & -unitBytes) - above.below.end() - 1;
  }

  private @Nullable Reservation orNull(int number) {
    return number == AddressOrder.NONE ? null : numbered[number];
  }
}
