package org.allocsim.simulator.device.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.span.Spans;
import org.allocsim.simulator.order.AddressMap;
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
 *       on, in every process the same; none lies across 2^40, one that would is put 64 MiB after.
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

  /** End of the addresses of a process on x86-64. */
  private static final long END_OF_ADDRESSES = 1L << 47;

  /** Granularity of blocks smaller than a page. */
  private static final long SMALL_ALIGNMENT_BYTES = 512;

  private final long pageBytes;
  private final long unitBytes;
  private final long arenaAddress;

  /** Where reservations for ranges begin. */
  private final long rangeAddress;

  /** End of the highest reservation that there can be. */
  private final long endAddress;

  /** Counts as the oldest reservation and is never given back. */
  private final Reservation arena;

  /** Reservations with their largest holes, the newest first. */
  private final AddressOrder newest = new AddressOrder();

  /** The reservations, the arena among them, and the ranges that others use. */
  private final Reservations placed;

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

  RawHeap(DeviceProfile profile) {
    pageBytes = profile.pageBytes();
    unitBytes = profile.reservationBytes();
    arenaAddress = profile.arenaAddress();
    rangeAddress = profile.rangeAddress();
    smallPages = new SmallPages(pageBytes);
    long arenaEnd = roundUp(arenaAddress + 1, unitBytes);
    endAddress = Math.max(END_OF_ADDRESSES, arenaEnd);
    placed = new Reservations(unitBytes, endAddress);
    // What is above the arena is others', until a process's history says something else.
    if (arenaEnd < endAddress) {
      placed.add(placed.make(arenaEnd, endAddress - arenaEnd, true));
    }
    arena = placed.make(arenaAddress, arenaEnd - arenaAddress, false);
    placed.add(arena);
    enlist(arena);
    long localAddress = arenaAddress - DeviceProfile.LOCAL_MEMORY_DISTANCE * pageBytes;
    long localBytes = DeviceProfile.LOCAL_MEMORY_PAGES * pageBytes;
    long localReservedBytes = Math.min(roundUp(localBytes, unitBytes), arenaAddress - localAddress);
    long localEnd = localAddress + localReservedBytes;
    if (localEnd < arenaAddress) {
      placed.add(placed.make(localEnd, arenaAddress - localEnd, true));
    }
    if (profile.topAddress() < localAddress) {
      placed.add(placed.make(profile.topAddress(), localAddress - profile.topAddress(), true));
    }
    Reservation local = placed.make(localAddress, localReservedBytes, false);
    placed.add(local);
    enlist(local);
    hide(local, localAddress, localBytes);
  }

  /** Bytes of device memory that all blocks take, in whole pages. */
  long takenBytes() {
    return takenBytes;
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
      Reservation reservation = placed.numbered(number);
      long address = reservation.holes.firstFit(bytes);
      takeHole(reservation, address, bytes);
      return address;
    }
    long reservedBytes = bytes > arenaAddress ? arenaAddress : roundUp(bytes, unitBytes);
    Reservation above = placed.aboveGap(rangeAddress, reservedBytes);
    while (above != null) {
      long start = Math.max(rangeAddress, Reservations.gapStart(above));
      long address = withinBoundary(start, reservedBytes);
      if (above.address() - address >= reservedBytes) {
        takeHole(reserveAt(address, reservedBytes), address, bytes);
        return address;
      }
      above = placed.aboveGap(above.address() + 1, reservedBytes);
    }
    return DeviceMemory.REFUSED;
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
    Reservation next = placed.above(address - 1);
    if (next.below != null && next.below.end() > address) {
      next = next.below;
    }
    long at = address;
    while (at < Math.min(end, endAddress)) {
      if (next.address() <= at) {
        occupyHoles(next, address, end);
        at = Math.max(at, next.end());
        next = next.above;
      } else {
        long to = Math.min(end, next.address());
        placed.add(placed.make(at, to - at, true));
        at = to;
      }
    }
  }

  private void occupyHoles(Reservation reservation, long from, long to) {
    Spans holes = reservation.holes;
    long at = holes.firstFrom(from);
    while (at != Spans.NONE && at < to) {
      long end = Math.min(to, holes.endOf(at));
      hide(reservation, at, end - at);
      at = holes.firstFrom(end);
    }
  }

  /** Others give back what they have of a range. */
  void release(long address, long bytes) {
    removeForeign(address, address + bytes);
    long end = address + bytes;
    long at = hiddenPages.firstFrom(address);
    while (at != Spans.NONE && at < end) {
      long to = Math.min(end, hiddenPages.endOf(at));
      hiddenPages.remove(at, to - at);
      giveHoles(at, to);
      at = hiddenPages.firstFrom(to);
    }
  }

  private void removeForeign(long from, long to) {
    Reservation each = placed.floor(to - 1);
    while (each != null && each.end() > from) {
      Reservation below = each.below;
      if (each.isForeign()) {
        long start = each.address();
        long end = each.end();
        placed.remove(each);
        if (to < end) {
          placed.add(placed.make(to, end - to, true));
        }
        if (start < from) {
          placed.add(placed.make(start, from - start, true));
        }
      }
      each = below;
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
    if (to > endAddress || (from < arena.end() && to > arena.address())) {
      return;
    }
    List<Reservation> parts = new ArrayList<>();
    for (Reservation each = placed.floor(to - 1);
        each != null && each.end() > from;
        each = each.below) {
      if (!each.isForeign()) {
        parts.addFirst(each);
      }
    }
    if (parts.size() == 1
        && parts.getFirst().address() <= address
        && parts.getFirst().end() >= address + bytes) {
      return;
    }
    if (!parts.isEmpty()) {
      from = Math.min(from, parts.getFirst().address());
      to = Math.max(to, parts.getLast().end());
    }
    removeForeign(from, to);
    Reservation whole = placed.make(from, to - from, false);
    long at = from;
    for (Reservation part : parts) {
      hideOutside(whole, at, part.address(), address, address + bytes);
      at = part.end();
      whole.holes.remove(part.address(), part.bytes());
      long hole = part.holes.firstFrom(part.address());
      while (hole != Spans.NONE) {
        long end = part.holes.endOf(hole);
        whole.holes.add(hole, end - hole);
        hole = part.holes.firstFrom(end);
      }
      delist(part);
      placed.remove(part);
    }
    hideOutside(whole, at, to, address, address + bytes);
    placed.add(whole);
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
      return placed.numbered(number).holes.bestFit(bytes);
    }
    return newAddress(roundUp(bytes, unitBytes));
  }

  /** Whether a process has a range of addresses. */
  boolean hasAddresses(long address, long bytes) {
    return address > 0 && address <= endAddress - bytes;
  }

  /** Whether an address lies in a known reservation. */
  boolean isReserved(long address) {
    Reservation below = placed.floor(address);
    return below != null && !below.isForeign() && address < below.end();
  }

  /** Whether a part of a range lies in a known reservation, or beyond all addresses. */
  boolean isReserved(long address, long bytes) {
    boolean reserved = address + bytes > endAddress;
    for (Reservation each = placed.floor(address + bytes - 1);
        !reserved && each != null && each.end() > address;
        each = each.below) {
      reserved = !each.isForeign();
    }
    return reserved;
  }

  /** Start of the known reservation around an address. */
  long reservationStart(long address) {
    return reservationOf(address).address();
  }

  /** End of the known reservation around an address. */
  long reservationEnd(long address) {
    return reservationOf(address).end();
  }

  /** Whether a range lies in one hole of a known reservation. */
  boolean isHole(long address, long bytes) {
    Reservation reservation = placed.floor(address);
    return reservation != null && reservation.holes.covers(address, bytes);
  }

  /** End of the hole that starts at an address, or −1. */
  long holeEnd(long address) {
    Reservation reservation = placed.floor(address);
    return reservation != null && reservation.holes.startsAt(address)
        ? reservation.holes.endOf(address)
        : -1;
  }

  /** Start of the gap between reservations that an address lies in; 0 for the lowest one. */
  long gapStart(long address) {
    return Reservations.gapStart(placed.above(address));
  }

  /** End of the gap between reservations that an address lies in. */
  long gapEnd(long address) {
    return placed.above(address).address();
  }

  /** Gives a block back; {@code bytes} must be what was asked for. */
  void free(long address, long bytes) {
    if (blocks.get(address) != bytes) {
      throw new IllegalArgumentException(
          "there is no block of %d bytes at 0x%x".formatted(bytes, address));
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
    Reservation reservation;
    long address;
    if (number != AddressOrder.NONE) {
      reservation = placed.numbered(number);
      address = reservation.holes.bestFit(bytes);
    } else {
      long reservedBytes = roundUp(bytes, unitBytes);
      address = newAddress(reservedBytes);
      reservation = reserveAt(address, reservedBytes);
      reservationsMade++;
    }
    takeHole(reservation, address, bytes);
    return address;
  }

  private void givePages(long address, long bytes) {
    takenBytes -= bytes;
    giveHole(reservationOf(address), address, bytes);
  }

  private void giveHole(Reservation reservation, long address, long bytes) {
    reservation.holes.add(address, bytes);
    if (reservation.isEmpty() && !reservation.equals(arena)) {
      delist(reservation);
      placed.remove(reservation);
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

  /** Makes a reservation, the newest. */
  private Reservation reserveAt(long address, long bytes) {
    Reservation made = placed.make(address, bytes, false);
    placed.add(made);
    enlist(made);
    return made;
  }

  /** Where a new reservation for blocks comes to lie. */
  private long newAddress(long bytes) {
    return (placed.aboveHighestGap(bytes).address() - bytes) & -unitBytes;
  }

  /** Takes in a reservation, the newest. */
  private void enlist(Reservation reservation) {
    reservation.isListed = true;
    reservation.age = --lastAge;
    newest.add(reservation.number, reservation.age, reservation.holes.largestBytes());
  }

  private void delist(Reservation reservation) {
    reservation.isListed = false;
    newest.remove(reservation.number);
  }

  private void takeHole(Reservation reservation, long address, long bytes) {
    reservation.holes.remove(address, bytes);
    if (reservation.isListed) {
      newest.resize(reservation.number, reservation.age, reservation.holes.largestBytes());
    }
  }

  /** The known reservation around an address. */
  private Reservation reservationOf(long address) {
    return Objects.requireNonNull(placed.floor(address));
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) & -unit;
  }
}
