package org.allocsim.simulator.device;

import java.util.ArrayList;
import java.util.List;

/**
 * Where {@code cuMemAlloc} puts blocks and how much memory they take. Rules found on driver 580
 * (CUDA 13.0) with H100 and H200, where they reproduce every address of 8 500 recorded calls, and
 * all segment addresses of 30 of 32 small PyTorch 2.11 processes, once one address is known:
 *
 * <ol>
 *   <li>A block of a page or more takes whole pages. A smaller one is rounded up to 512 bytes and
 *       shares pages with its like; such a page is taken when no hole fits and returned with its
 *       last block.
 *   <li>Pages come from reservations of address space, whole units of 32 MiB at unit-aligned
 *       addresses. The newest reservation with a large enough hole serves a request: its smallest
 *       such hole, the lowest among equals. Without one a new reservation is made, just large
 *       enough, the block at its low end.
 *   <li>A reservation whose last block goes is given back at once. Two exist before the first call
 *       and stay: the arena, which counts as the oldest, and behind it one spare page, 37 pages
 *       below the arena in a reservation that holds the context's own memory.
 *   <li>A new reservation goes as high as possible below the top address, at the upper end of the
 *       highest gap that is larger than it: the driver asks the system for somewhat more than it
 *       needs and aligns, so a gap of exactly its size is passed over.
 * </ol>
 */
final class RawHeap {
  /** Distance of the spare page below the arena, in pages. */
  private static final int SPARE_PAGE_DISTANCE = 37;

  /** Granularity of blocks smaller than a page. */
  private static final long SMALL_ALIGNMENT_BYTES = 512;

  private final long pageBytes;
  private final long unitBytes;
  private final long topAddress;

  /** The arena, the spare page, then all reservations in the order of their creation. */
  private final List<Reservation> reservations = new ArrayList<>();

  /** The reservations below the top, by address. */
  private final List<Reservation> placed = new ArrayList<>();

  private final SmallPages smallPages;
  private final AddressTable blocks = new AddressTable();
  private long takenBytes;
  private int reservationsMade;
  private int reservationsReturned;

  private static final class Reservation {
    final long address;
    final long bytes;
    final Spans holes = new Spans();

    Reservation(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
      holes.add(address, bytes);
    }

    boolean isEmpty() {
      return holes.largestBytes() == bytes;
    }
  }

  RawHeap(DeviceProfile profile) {
    pageBytes = profile.pageBytes();
    unitBytes = profile.reservationBytes();
    topAddress = profile.topAddress();
    smallPages = new SmallPages(pageBytes);
    long arena = profile.arenaAddress();
    reservations.add(new Reservation(arena, roundUp(arena + 1, unitBytes) - arena));
    reservations.add(new Reservation(arena - SPARE_PAGE_DISTANCE * pageBytes, pageBytes));
  }

  /** Bytes of device memory that all blocks take, in whole pages. */
  long takenBytes() {
    return takenBytes;
  }

  /** Number of live blocks. */
  int blockCount() {
    return blocks.count();
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
      blocks.add(address, bytes);
    }
    return address;
  }

  /** Takes a page that no block will ever give back; the caller knows that one is free. */
  void takePageForever() {
    takenBytes += pageBytes;
    takePages(pageBytes);
  }

  /** Gives a block back; {@code bytes} must be what was asked for. */
  void free(long address, long bytes) {
    int block = blocks.find(address);
    if (block < 0 || blocks.bytes(block) != bytes) {
      throw new IllegalArgumentException(
          "no block of %d bytes lies at 0x%x".formatted(bytes, address));
    }
    blocks.remove(block);
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
    for (int i = reservations.size() - 1; i >= 0; i--) {
      Spans holes = reservations.get(i).holes;
      if (holes.largestBytes() >= bytes) {
        long address = holes.start(holes.bestFit(bytes));
        holes.remove(address, bytes);
        return address;
      }
    }
    Reservation made = reserve(roundUp(bytes, unitBytes));
    made.holes.remove(made.address, bytes);
    return made.address;
  }

  private void givePages(long address, long bytes) {
    Reservation reservation = reservationOf(address);
    reservation.holes.add(address, bytes);
    takenBytes -= bytes;
    if (reservation.isEmpty() && reservation.address < topAddress) {
      reservations.remove(reservation);
      placed.remove(placeOf(reservation.address));
      reservationsReturned++;
    }
  }

  private Reservation reserve(long bytes) {
    long gapEnd = topAddress;
    int at = placed.size();
    while (at > 0) {
      Reservation below = placed.get(at - 1);
      if (gapEnd - (below.address + below.bytes) > bytes) {
        break;
      }
      gapEnd = below.address;
      at--;
    }
    Reservation made = new Reservation(gapEnd - bytes, bytes);
    placed.add(at, made);
    reservations.add(made);
    reservationsMade++;
    return made;
  }

  private Reservation reservationOf(long address) {
    if (address < topAddress) {
      return placed.get(placeOf(address));
    }
    return address >= reservations.getFirst().address ? reservations.get(0) : reservations.get(1);
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
