package org.allocsim.simulator.device;

import java.util.Arrays;

/**
 * The pages that blocks smaller than a page share. A block takes the smallest hole of any page,
 * among equals the one that came into being first; the rest of a hole, a freed block and holes that
 * join count as new. Holes join inside their page only (driver 580, CUDA 13.0, H100 and H200).
 */
final class SmallPages {
  /** Answer of {@link #take} when no hole is large enough. */
  static final long NO_HOLE = -1;

  /** Answer of {@link #give} when the page still holds blocks. */
  static final long PAGE_IN_USE = -1;

  private final long pageBytes;
  private int count;
  private long[] starts = new long[16];
  private long[] sizes = new long[16];
  private long[] births = new long[16];
  private long clock;

  SmallPages(long pageBytes) {
    this.pageBytes = pageBytes;
  }

  /** Whether a hole is large enough. */
  boolean fits(long bytes) {
    return bestHole(bytes) >= 0;
  }

  /** Takes a block; returns its address or {@link #NO_HOLE}. */
  long take(long bytes) {
    int hole = bestHole(bytes);
    if (hole < 0) {
      return NO_HOLE;
    }
    long address = starts[hole];
    starts[hole] += bytes;
    sizes[hole] -= bytes;
    births[hole] = clock++;
    if (sizes[hole] == 0) {
      delete(hole);
    }
    return address;
  }

  /** Adds a page and takes a block from its start. */
  void addPage(long page, long bytes) {
    if (bytes < pageBytes) {
      insert(firstStartingAbove(page), page + bytes, pageBytes - bytes);
    }
  }

  /**
   * Gives a block back. When it was the last one of its page, the page leaves the pool and its
   * address is returned, else {@link #PAGE_IN_USE}.
   */
  long give(long address, long bytes) {
    long page = address & -pageBytes;
    int above = firstStartingAbove(address);
    int below = above - 1;
    long start = address;
    long end = address + bytes;
    if (above < count && starts[above] == end && end < page + pageBytes) {
      end += sizes[above];
      delete(above);
    }
    if (below >= 0 && starts[below] >= page && starts[below] + sizes[below] == start) {
      start = starts[below];
      delete(below);
      above = below;
    }
    if (end - start == pageBytes) {
      return page;
    }
    insert(above, start, end - start);
    return PAGE_IN_USE;
  }

  private int bestHole(long bytes) {
    int best = -1;
    for (int hole = 0; hole < count; hole++) {
      if (sizes[hole] >= bytes
          && (best < 0
              || sizes[hole] < sizes[best]
              || (sizes[hole] == sizes[best] && births[hole] < births[best]))) {
        best = hole;
      }
    }
    return best;
  }

  private int firstStartingAbove(long address) {
    int found = Arrays.binarySearch(starts, 0, count, address);
    return found >= 0 ? found + 1 : -found - 1;
  }

  private void insert(int at, long start, long bytes) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      sizes = Arrays.copyOf(sizes, 2 * count);
      births = Arrays.copyOf(births, 2 * count);
    }
    System.arraycopy(starts, at, starts, at + 1, count - at);
    System.arraycopy(sizes, at, sizes, at + 1, count - at);
    System.arraycopy(births, at, births, at + 1, count - at);
    starts[at] = start;
    sizes[at] = bytes;
    births[at] = clock++;
    count++;
  }

  private void delete(int at) {
    System.arraycopy(starts, at + 1, starts, at, count - at - 1);
    System.arraycopy(sizes, at + 1, sizes, at, count - at - 1);
    System.arraycopy(births, at + 1, births, at, count - at - 1);
    count--;
  }
}
