package org.allocsim.simulator.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.order.AddressOrder;

/**
 * Where {@code cuMemAlloc} puts blocks and how much memory they take, and where {@code
 * cuMemAddressReserve} puts ranges: both share reservations of address space. Rules found on driver
 * 580 (CUDA 13.0) with H100 and H200, where they reproduce every address of 8 500 recorded calls,
 * all segment addresses of 46 of 48 PyTorch 2.11 processes that run no kernels, and every address
 * of 4 400 reservations of ranges, some of them between blocks, once one address is known:
 *
 * <ol>
 *   <li>A block of a page or more takes whole pages. A smaller one is rounded up to 512 bytes and
 *       shares pages with its like; such a page is taken when no hole fits and returned with its
 *       last block.
 *   <li>Pages come from reservations of address space, whole units of 32 MiB at unit-aligned
 *       addresses. The newest reservation with a large enough hole serves a request: its smallest
 *       such hole, the lowest among equals. Without one a new reservation is made, just large
 *       enough, the block at its low end.
 *   <li>A reservation whose last block goes is given back at once. Two exist before the first call:
 *       the arena, which counts as the oldest and stays, and 244 pages below it the reservation of
 *       the context's local memory (207 pages), whose last page is to be had.
 *   <li>A new reservation goes as high as possible below the top address, at the upper end of the
 *       highest gap that is larger than it: the driver asks the system for somewhat more than it
 *       needs and aligns, so a gap of exactly its size is passed over.
 *   <li>A range takes addresses only, from the newest reservation with a large enough hole: its
 *       lowest such hole. Without one a new reservation is made in the lowest gap from 0x302000000
 *       on, in every process the same; none lies across 2^40, one that would is put 64 MiB behind.
 *       So small ranges lie at the arena and between blocks, and blocks at the ends of ranges.
 * </ol>
 */
final class RawHeap {
  /** No reservation for ranges lies across this address. */
  private static final long RANGE_BOUNDARY = 1L << 40;

  /** First address of a reservation for ranges beyond {@link #RANGE_BOUNDARY}. */
  private static final long BEYOND_BOUNDARY = RANGE_BOUNDARY + (64L << 20);

  /**
   * Local memory once kernels run, in pages: 1 792 bytes a thread (PyTorch 2.11 on driver 580, H100
   * and H200, seen at the first kernel of a process).
   */
  private static final int GROWN_LOCAL_MEMORY_PAGES = 252;

  /** Granularity of blocks smaller than a page. */
  private static final long SMALL_ALIGNMENT_BYTES = 512;

  private final long pageBytes;
  private final long unitBytes;
  private final long arenaAddress;

  /** Where reservations for ranges begin. */
  private final long rangeAddress;

  /** End of the highest reservation that there can be. */
  private final long endAddress;

  /** The arena first, then all reservations with holes or blocks, in no order. */
  private final List<Reservation> reservations = new ArrayList<>();

  /** Reservations by their numbers, from 1 on; those that were given back are used again. */
  private Reservation[] numbered = new Reservation[16];

  private int numbers;
  private final ArrayDeque<Reservation> unused = new ArrayDeque<>();

  /** Reservations with their largest holes, the newest first. */
  private final AddressOrder newest = new AddressOrder();

  /** The reservations below the arena and the ranges that others use, by address. */
  private final List<Reservation> placed = new ArrayList<>();

  /** Pages inside reservations that are no blocks of the program. */
  private final Spans hiddenPages = new Spans();

  private boolean localMemoryGrown;

  private final SmallPages smallPages;

  /** Bytes of each live block. */
  private final AddressMap blocks = new AddressMap();

  private long takenBytes;
  private int reservationsMade;
  private int reservationsReturned;
  private long lastAge = Long.MAX_VALUE;

  private static final class Reservation {
    long address;
    long bytes;

    /** Whether the driver did not make it for blocks: it has no holes and is never given back. */
    final boolean foreign;

    final Spans holes = new Spans();

    /** Number in {@link #numbered}, place in {@link #reservations}; none for what is foreign. */
    int number;

    int index;

    /** Number among all reservations ever made, less with each. */
    long age;

    Reservation(long address, long bytes, boolean foreign) {
      this.foreign = foreign;
      place(address, bytes);
    }

    void place(long newAddress, long newBytes) {
      address = newAddress;
      bytes = newBytes;
      if (!foreign) {
        holes.clear();
        holes.add(newAddress, newBytes);
      }
    }

    long end() {
      return address + bytes;
    }

    boolean isEmpty() {
      return holes.largestBytes() == bytes;
    }
  }

  RawHeap(DeviceProfile profile) {
    pageBytes = profile.pageBytes();
    unitBytes = profile.reservationBytes();
    arenaAddress = profile.arenaAddress();
    rangeAddress = profile.rangeAddress();
    smallPages = new SmallPages(pageBytes);
    enlist(
        new Reservation(arenaAddress, roundUp(arenaAddress + 1, unitBytes) - arenaAddress, false));
    long localAddress = arenaAddress - DeviceProfile.LOCAL_MEMORY_DISTANCE * pageBytes;
    long localBytes = DeviceProfile.LOCAL_MEMORY_PAGES * pageBytes;
    Reservation local = new Reservation(localAddress, roundUp(localBytes, unitBytes), false);
    endAddress = local.end();
    if (profile.topAddress() < localAddress) {
      placed.add(new Reservation(profile.topAddress(), localAddress - profile.topAddress(), true));
    }
    placed.add(local);
    enlist(local);
    hide(local, localAddress, localBytes);
  }

  /** Bytes of device memory that all blocks take, in whole pages. */
  long takenBytes() {
    return takenBytes;
  }

  /** Number of live blocks. */
  int blockCount() {
    return blocks.size();
  }

  /** Number of reservations made so far, those of the start not counted. */
  int reservationsMade() {
    return reservationsMade;
  }

  /** Number of reservations given back so far. */
  int reservationsReturned() {
    return reservationsReturned;
  }

  /**
   * Serves a call.
   *
   * @param bytes at least 1
   * @param freeBytes what the device has left
   * @return the address, or {@link DeviceMemory#REFUSED} if and only if the pages that the call
   *     needs exceed the free bytes; nothing changes then
   */
  long allocate(long bytes, long freeBytes) {
    long address = bytes >= pageBytes ? allocatePages(bytes, freeBytes) : share(bytes, freeBytes);
    if (address != DeviceMemory.REFUSED) {
      blocks.put(address, bytes);
    }
    return address;
  }

  /** Takes addresses for a range, in whole pages; {@link DeviceMemory#REFUSED} where none are. */
  long reserveRange(long bytes) {
    int number = newest.lowest(bytes);
    if (number != AddressOrder.NONE) {
      Spans holes = numbered[number].holes;
      long address = holes.start(holes.firstFit(bytes));
      takeHole(numbered[number], address, bytes);
      return address;
    }
    long reservedBytes = bytes > arenaAddress ? arenaAddress : roundUp(bytes, unitBytes);
    long address = withinBoundary(rangeAddress, reservedBytes);
    int place = placeOf(rangeAddress - 1) + 1;
    while (place < placed.size() && placed.get(place).address - address < reservedBytes) {
      address = withinBoundary(Math.max(address, placed.get(place).end()), reservedBytes);
      place++;
    }
    if (place == placed.size()) {
      return DeviceMemory.REFUSED;
    }
    Reservation made = newReservation(address, reservedBytes);
    placed.add(place, made);
    enlist(made);
    takeHole(made, address, bytes);
    return address;
  }

  /** Gives the addresses of a range back. */
  void unreserveRange(long address, long bytes) {
    giveHole(reservationOf(address), address, bytes);
  }

  /** The first address from one on at which a reservation does not lie across the boundary. */
  private static long withinBoundary(long address, long bytes) {
    boolean isAcross = address < BEYOND_BOUNDARY && bytes > RANGE_BOUNDARY - address;
    return isAcross ? BEYOND_BOUNDARY : address;
  }

  /** Takes a page that no block will ever give back; the caller knows that one is free. */
  void takePageForever() {
    takenBytes += pageBytes;
    takeHiddenPages(pageBytes);
  }

  /**
   * The driver takes pages for itself or a library; which memory they are backed by does not count
   * here.
   */
  void takeHiddenPages(long bytes) {
    hiddenPages.add(takePages(bytes), bytes);
  }

  /**
   * Kernels run from now on: the driver replaces the local memory of the bare context by a larger
   * block. Its old reservation is given back, or becomes a hole where its spare page is in use.
   */
  void growLocalMemory() {
    if (!localMemoryGrown) {
      localMemoryGrown = true;
      takeHiddenPages(GROWN_LOCAL_MEMORY_PAGES * pageBytes);
      release(
          arenaAddress - DeviceProfile.LOCAL_MEMORY_DISTANCE * pageBytes,
          DeviceProfile.LOCAL_MEMORY_PAGES * pageBytes);
    }
  }

  /** Others take what is left of the place of the bare context's local memory. */
  void fillLocalMemory() {
    occupy(
        arenaAddress - DeviceProfile.LOCAL_MEMORY_DISTANCE * pageBytes,
        DeviceProfile.LOCAL_MEMORY_PAGES * pageBytes);
  }

  /** Lets a change of a process's history happen. */
  void apply(AddressHistory.Change change, long address, long bytes) {
    switch (change) {
      case OCCUPY -> occupy(address, bytes);
      case RELEASE -> release(address, bytes);
      case OPEN_HOLE -> openHole(address, bytes);
      case GROW_LOCAL_MEMORY -> growLocalMemory();
    }
  }

  /** Others take what is to be had of a range. */
  void occupy(long address, long bytes) {
    long end = address + bytes;
    for (Reservation reservation : reservations) {
      long from = Math.max(address, reservation.address);
      long to = Math.min(end, reservation.end());
      Spans holes = reservation.holes;
      for (int hole = holes.count() - 1; hole >= 0 && from < to; hole--) {
        long start = Math.max(from, holes.start(hole));
        long stop = Math.min(to, holes.start(hole) + holes.bytes(hole));
        if (start < stop) {
          hide(reservation, start, stop - start);
        }
      }
    }
    long at = address;
    int place = Math.max(0, placeOf(address));
    while (at < Math.min(end, endAddress)) {
      Reservation next = place < placed.size() ? placed.get(place) : null;
      if (next != null && next.address <= at) {
        at = Math.max(at, next.end());
      } else {
        long to = Math.min(Math.min(end, endAddress), next == null ? end : next.address);
        placed.add(place, new Reservation(at, to - at, true));
        at = to;
      }
      place++;
    }
  }

  /** Others give back what they have of a range. */
  void release(long address, long bytes) {
    removeForeign(address, address + bytes);
    for (int span = hiddenPages.count() - 1; span >= 0; span--) {
      long from = Math.max(address, hiddenPages.start(span));
      long to = Math.min(address + bytes, hiddenPages.start(span) + hiddenPages.bytes(span));
      if (from < to) {
        hiddenPages.remove(from, to - from);
        giveHoles(from, to);
      }
    }
  }

  private void removeForeign(long from, long to) {
    for (int place = placeOf(to - 1); place >= 0 && placed.get(place).end() > from; place--) {
      Reservation each = placed.get(place);
      if (each.foreign) {
        placed.remove(place);
        if (to < each.end()) {
          placed.add(place, new Reservation(to, each.end() - to, true));
        }
        if (each.address < from) {
          placed.add(place, new Reservation(each.address, from - each.address, true));
        }
      }
    }
  }

  /**
   * A range is a hole in a reservation that others keep. Reservations that it reaches into turn out
   * to be parts of that one; at the arena, nothing happens.
   */
  void openHole(long address, long bytes) {
    release(address, bytes);
    long from = address & -unitBytes;
    long to = roundUp(address + bytes, unitBytes);
    if (to > endAddress) {
      return;
    }
    List<Reservation> parts = new ArrayList<>();
    for (int place = placeOf(to - 1); place >= 0 && placed.get(place).end() > from; place--) {
      if (!placed.get(place).foreign) {
        parts.addFirst(placed.get(place));
      }
    }
    if (parts.size() == 1
        && parts.getFirst().address <= address
        && parts.getFirst().end() >= address + bytes) {
      return;
    }
    if (!parts.isEmpty()) {
      from = Math.min(from, parts.getFirst().address);
      to = Math.max(to, parts.getLast().end());
    }
    removeForeign(from, to);
    Reservation whole = new Reservation(from, to - from, false);
    long at = from;
    for (Reservation part : parts) {
      hideOutside(whole, at, part.address, address, address + bytes);
      whole.holes.remove(part.address, part.bytes);
      for (int hole = 0; hole < part.holes.count(); hole++) {
        whole.holes.add(part.holes.start(hole), part.holes.bytes(hole));
      }
      delist(part);
      placed.remove(placeOf(part.address));
      at = part.end();
    }
    hideOutside(whole, at, to, address, address + bytes);
    placed.add(placeOf(from) + 1, whole);
    enlist(whole);
  }

  /** Hides what of [from, to) is not in [start, end). */
  private void hideOutside(Reservation reservation, long from, long to, long start, long end) {
    hide(reservation, from, Math.min(to, start) - from);
    long after = Math.max(from, end);
    hide(reservation, after, to - after);
  }

  /** Whether a live block of this size lies at an address. */
  boolean holds(long address, long bytes) {
    return blocks.get(address) == bytes;
  }

  /** Where the next block of whole pages would come to lie. */
  long next(long bytes) {
    int number = newest.lowest(bytes);
    if (number != AddressOrder.NONE) {
      Spans holes = numbered[number].holes;
      return holes.start(holes.bestFit(bytes));
    }
    long reservedBytes = roundUp(bytes, unitBytes);
    return addressAt(placeFor(reservedBytes), reservedBytes);
  }

  /** Whether an address lies in a known reservation or at the arena. */
  boolean isReserved(long address) {
    if (address >= endAddress) {
      return true;
    }
    int place = placeOf(address);
    return place >= 0 && !placed.get(place).foreign && address < placed.get(place).end();
  }

  /** Whether a part of a range lies in a known reservation or at the arena. */
  boolean isReserved(long address, long bytes) {
    boolean reserved = address + bytes > endAddress;
    for (int place = placeOf(address + bytes - 1);
        !reserved && place >= 0 && placed.get(place).end() > address;
        place--) {
      reserved = !placed.get(place).foreign;
    }
    return reserved;
  }

  /** Start of the known reservation around an address. */
  long reservationStart(long address) {
    return reservationOf(address).address;
  }

  /** End of the known reservation around an address. */
  long reservationEnd(long address) {
    return reservationOf(address).end();
  }

  /** Whether a range lies in one hole of a known reservation. */
  boolean isHole(long address, long bytes) {
    for (Reservation reservation : reservations) {
      if (reservation.holes.covers(address, bytes)) {
        return true;
      }
    }
    return false;
  }

  /** End of the hole that starts at an address, or −1. */
  long holeEnd(long address) {
    for (Reservation reservation : reservations) {
      Spans holes = reservation.holes;
      for (int hole = 0; hole < holes.count(); hole++) {
        if (holes.start(hole) == address) {
          return address + holes.bytes(hole);
        }
      }
    }
    return -1;
  }

  /** Start of the gap between reservations that an address lies in; 0 for the lowest one. */
  long gapStart(long address) {
    int place = placeOf(address);
    return place < 0 ? 0 : placed.get(place).end();
  }

  /** End of the gap between reservations that an address lies in. */
  long gapEnd(long address) {
    int place = placeOf(address) + 1;
    return place == placed.size() ? endAddress : placed.get(place).address;
  }

  /** Gives a block back; {@code bytes} must be what was asked for. */
  void free(long address, long bytes) {
    if (blocks.get(address) != bytes) {
      throw new IllegalArgumentException(
          "no block of %d bytes lies at 0x%x".formatted(bytes, address));
    }
    blocks.remove(address);
    if (bytes >= pageBytes) {
      givePages(address, roundUp(bytes, pageBytes));
    } else {
      long page = smallPages.give(address, roundUp(bytes, SMALL_ALIGNMENT_BYTES));
      if (page != SmallPages.PAGE_IN_USE) {
        givePages(page, pageBytes);
      }
    }
  }

  private long allocatePages(long bytes, long freeBytes) {
    if (bytes > freeBytes || roundUp(bytes, pageBytes) > freeBytes) {
      return DeviceMemory.REFUSED;
    }
    long wholeBytes = roundUp(bytes, pageBytes);
    takenBytes += wholeBytes;
    return takePages(wholeBytes);
  }

  private long share(long bytes, long freeBytes) {
    long blockBytes = roundUp(bytes, SMALL_ALIGNMENT_BYTES);
    long address = smallPages.take(blockBytes);
    if (address != SmallPages.NO_HOLE) {
      return address;
    }
    if (pageBytes > freeBytes) {
      return DeviceMemory.REFUSED;
    }
    takenBytes += pageBytes;
    long page = takePages(pageBytes);
    smallPages.addPage(page, blockBytes);
    return page;
  }

  private long takePages(long bytes) {
    int number = newest.lowest(bytes);
    if (number != AddressOrder.NONE) {
      Spans holes = numbered[number].holes;
      long address = holes.start(holes.bestFit(bytes));
      takeHole(numbered[number], address, bytes);
      return address;
    }
    Reservation made = reserve(roundUp(bytes, unitBytes));
    takeHole(made, made.address, bytes);
    return made.address;
  }

  private void givePages(long address, long bytes) {
    takenBytes -= bytes;
    giveHole(reservationOf(address), address, bytes);
  }

  private void giveHole(Reservation reservation, long address, long bytes) {
    reservation.holes.add(address, bytes);
    if (reservation.isEmpty() && reservation.address < arenaAddress) {
      delist(reservation);
      placed.remove(placeOf(reservation.address));
      unused.addLast(reservation);
      reservationsReturned++;
    } else {
      newest.resize(reservation.number, reservation.age, reservation.holes.largestBytes());
    }
  }

  private void giveHoles(long from, long to) {
    long at = from;
    while (at < to) {
      Reservation reservation = reservationOf(at);
      long stop = Math.min(to, reservation.end());
      giveHole(reservation, at, stop - at);
      at = stop;
    }
  }

  private void hide(Reservation reservation, long address, long bytes) {
    if (bytes > 0) {
      takeHole(reservation, address, bytes);
      hiddenPages.add(address, bytes);
    }
  }

  private Reservation reserve(long bytes) {
    int at = placeFor(bytes);
    Reservation made = newReservation(addressAt(at, bytes), bytes);
    placed.add(at, made);
    enlist(made);
    reservationsMade++;
    return made;
  }

  private Reservation newReservation(long address, long bytes) {
    if (unused.isEmpty()) {
      return new Reservation(address, bytes, false);
    }
    Reservation reservation = unused.removeLast();
    reservation.place(address, bytes);
    return reservation;
  }

  /** Takes in a reservation, the newest. */
  private void enlist(Reservation reservation) {
    if (reservation.number == 0) {
      if (++numbers == numbered.length) {
        numbered = Arrays.copyOf(numbered, 2 * numbers);
      }
      reservation.number = numbers;
      numbered[numbers] = reservation;
    }
    reservation.index = reservations.size();
    reservations.add(reservation);
    reservation.age = --lastAge;
    newest.add(reservation.number, reservation.age, reservation.holes.largestBytes());
  }

  private void delist(Reservation reservation) {
    newest.remove(reservation.number);
    Reservation last = reservations.removeLast();
    if (!last.equals(reservation)) {
      reservations.set(reservation.index, last);
      last.index = reservation.index;
    }
  }

  private void takeHole(Reservation reservation, long address, long bytes) {
    reservation.holes.remove(address, bytes);
    if (reservation.number > 0) {
      newest.resize(reservation.number, reservation.age, reservation.holes.largestBytes());
    }
  }

  /** Place in {@link #placed} of a new reservation. */
  private int placeFor(long bytes) {
    int at = placed.size();
    while (at > 0) {
      if (addressAt(at, bytes) > placed.get(at - 1).end()) {
        break;
      }
      at--;
    }
    return at;
  }

  private long addressAt(int place, long bytes) {
    long gapEnd = place == placed.size() ? endAddress : placed.get(place).address;
    return (gapEnd - bytes) & -unitBytes;
  }

  private Reservation reservationOf(long address) {
    return address >= arenaAddress ? reservations.getFirst() : placed.get(placeOf(address));
  }

  /** Place in {@link #placed} of the last reservation that starts at or below an address. */
  private int placeOf(long address) {
    int low = 0;
    int high = placed.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (placed.get(middle).address <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) & -unit;
  }
}
