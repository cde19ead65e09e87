package org.allocsim.simulator.device.simulated;

import org.allocsim.simulator.order.AddressMap;
import org.allocsim.simulator.order.BlockRows;
import org.allocsim.simulator.order.SizeOrderedRows;

/**
 * The pages that blocks smaller than a page share. A block takes the smallest hole of any page,
 * among equals the one that came into being first; the rest of a hole, a freed block and holes that
 * join count as new. Holes join inside their page only (driver 580, CUDA 13.0, H100 and H200).
 *
 * <p>Holes are found by size in time logarithmic in their number, and by their ends at once.
 */
final class SmallPages extends BlockRows {
  /** Answer of {@link #take} when no hole is large enough. */
  static final long NO_HOLE = -1;

  /** Answer of {@link #give} when the page still holds blocks. */
  static final long PAGE_IN_USE = -1;

  /** Number of a row; in the order the time of its making stands in place of the address. */
  private static final int START = 0;

  private final long pageBytes;

  /** Holes by (bytes, time at which they came into being). */
  private final SizeOrderedRows bySize = new SizeOrderedRows(this);

  private final AddressMap byStart = new AddressMap();
  private final AddressMap byEnd = new AddressMap();
  private long clock;

  SmallPages(long pageBytes) {
    this.pageBytes = pageBytes;
  }

  /** Takes a block; returns its address or {@link #NO_HOLE}. */
  long take(long bytes) {
    int hole = bySize.ceiling(bytes, 0);
    if (hole == NONE) {
      return NO_HOLE;
    }
    long address = start(hole);
    long restBytes = bytes(hole) - bytes;
    remove(hole);
    if (restBytes > 0) {
      add(address + bytes, restBytes);
    }
    return address;
  }

  /** Adds a page and takes a block from its start. */
  void addPage(long page, long bytes) {
    if (bytes < pageBytes) {
      add(page + bytes, pageBytes - bytes);
    }
  }

  /**
   * Gives a block back. When it was the last one of its page, the page leaves the pool and its
   * address is returned, else {@link #PAGE_IN_USE}.
   */
  long give(long address, long bytes) {
    long page = address & -pageBytes;
    long start = address;
    long end = address + bytes;
    long above = end < page + pageBytes ? byStart.get(end) : AddressMap.NONE;
    if (above != AddressMap.NONE) {
      end += bytes((int) above);
      remove((int) above);
    }
    long below = start > page ? byEnd.get(start) : AddressMap.NONE;
    if (below != AddressMap.NONE) {
      start = start((int) below);
      remove((int) below);
    }
    if (end - start == pageBytes) {
      return page;
    }
    add(start, end - start);
    return PAGE_IN_USE;
  }

  private long start(int hole) {
    return numbers[hole * NUMBERS + START];
  }

  private void add(long start, long bytes) {
    int hole = newRow();
    place(hole, clock++, bytes);
    numbers[hole * NUMBERS + START] = start;
    byStart.put(start, hole);
    byEnd.put(start + bytes, hole);
    bySize.add(hole);
  }

  private void remove(int hole) {
    byStart.remove(start(hole));
    byEnd.remove(start(hole) + bytes(hole));
    bySize.remove(hole);
    recycle(hole);
  }
}
