package org.allocsim.simulator.device;

import java.util.Arrays;

/**
 * The pages that blocks smaller than a page share. A block takes the smallest hole of any page,
 * among equals the one that came into being first; the rest of a hole, a freed block and holes that
 * join count as new. Holes join inside their page only (driver 580, CUDA 13.0, H100 and H200).
 *
 * <p>Holes are found by size in time logarithmic in their number, and by their ends at once.
 */
final class SmallPages {
  /** Answer of {@link #take} when no hole is large enough. */
  static final long NO_HOLE = -1;

  /** Answer of {@link #give} when the page still holds blocks. */
  static final long PAGE_IN_USE = -1;

  /** The only set of the trees. */
  private static final int HOLES = 0;

  private final long pageBytes;

  /** Holes by (bytes, time at which they came into being). */
  private final BestFitTrees bySize = new BestFitTrees();

  private final AddressMap byStart = new AddressMap();
  private final AddressMap byEnd = new AddressMap();
  private long[] starts = new long[16];
  private int[] unused = new int[16];
  private int unusedCount;
  private int rows;
  private long clock;

  SmallPages(long pageBytes) {
    this.pageBytes = pageBytes;
  }

  /** Takes a block; returns its address or {@link #NO_HOLE}. */
  long take(long bytes) {
    int hole = bySize.bestFit(HOLES, bytes);
    if (hole == BestFitTrees.NONE) {
      return NO_HOLE;
    }
    long address = starts[hole];
    long restBytes = bySize.bytes(hole) - bytes;
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
    int above = end < page + pageBytes ? (int) byStart.get(end) : BestFitTrees.NONE;
    if (above != BestFitTrees.NONE) {
      end += bySize.bytes(above);
      remove(above);
    }
    int below = start > page ? (int) byEnd.get(start) : BestFitTrees.NONE;
    if (below != BestFitTrees.NONE) {
      start = starts[below];
      remove(below);
    }
    if (end - start == pageBytes) {
      return page;
    }
    add(start, end - start);
    return PAGE_IN_USE;
  }

  private void add(long start, long bytes) {
    int hole = unusedCount > 0 ? unused[--unusedCount] : rows++;
    if (hole == starts.length) {
      starts = Arrays.copyOf(starts, Math.multiplyExact(hole, 2));
      unused = Arrays.copyOf(unused, starts.length);
    }
    starts[hole] = start;
    byStart.put(start, hole);
    byEnd.put(start + bytes, hole);
    bySize.add(HOLES, hole, bytes, clock++);
  }

  private void remove(int hole) {
    byStart.remove(starts[hole]);
    byEnd.remove(starts[hole] + bySize.bytes(hole));
    bySize.remove(HOLES, hole);
    unused[unusedCount++] = hole;
  }
}
