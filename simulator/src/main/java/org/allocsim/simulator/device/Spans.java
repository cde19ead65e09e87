package org.allocsim.simulator.device;

import java.util.Arrays;

/** Disjoint address spans, ascending; spans that touch are one. Sorted primitive arrays. */
final class Spans {
  private int count;
  private long[] starts = new long[4];
  private long[] ends = new long[4];
  private long largestBytes;

  /** Number of spans. */
  int count() {
    return count;
  }

  /** Forgets all spans. */
  void clear() {
    count = 0;
    largestBytes = 0;
  }

  /** First address of a span. */
  long start(int span) {
    return starts[span];
  }

  /** Length of a span in bytes. */
  long bytes(int span) {
    return ends[span] - starts[span];
  }

  /** Length of the largest span, 0 without one. */
  long largestBytes() {
    return largestBytes;
  }

  /** Whether one span covers the whole of [start, start + bytes). */
  boolean covers(long start, long bytes) {
    int span = lastStartingAtOrBelow(start);
    return span >= 0 && ends[span] - start >= bytes;
  }

  /** Whether any address of [start, start + bytes) lies in a span. */
  boolean overlaps(long start, long bytes) {
    int below = lastStartingAtOrBelow(start);
    return (below >= 0 && ends[below] > start)
        || (below + 1 < count && starts[below + 1] - start < bytes);
  }

  /** The smallest span of at least this size, the lowest among equals, or −1. */
  int bestFit(long bytes) {
    int best = -1;
    for (int span = 0; span < count; span++) {
      if (bytes(span) >= bytes && (best < 0 || bytes(span) < bytes(best))) {
        best = span;
      }
    }
    return best;
  }

  /** The lowest span of at least this size, or −1. */
  int firstFit(long bytes) {
    for (int span = 0; span < count; span++) {
      if (bytes(span) >= bytes) {
        return span;
      }
    }
    return -1;
  }

  /** Adds [start, start + bytes), which overlaps no span, and joins it with what it touches. */
  void add(long start, long bytes) {
    if (overlaps(start, bytes)) {
      throw new IllegalArgumentException(
          "range 0x%x of %d bytes overlaps a known one".formatted(start, bytes));
    }
    int below = lastStartingAtOrBelow(start);
    int above = below + 1;
    boolean joinsBelow = below >= 0 && ends[below] == start;
    boolean joinsAbove = above < count && starts[above] == start + bytes;
    int grown = joinsBelow ? below : above;
    if (joinsBelow && joinsAbove) {
      ends[below] = ends[above];
      delete(above);
    } else if (joinsBelow) {
      ends[below] = start + bytes;
    } else if (joinsAbove) {
      starts[above] = start;
    } else {
      insert(above, start, start + bytes);
    }
    largestBytes = Math.max(largestBytes, bytes(grown));
  }

  /** Removes [start, start + bytes), which lies in one span. */
  void remove(long start, long bytes) {
    if (!covers(start, bytes)) {
      throw new IllegalArgumentException(
          "range 0x%x of %d bytes is not wholly inside a known one".formatted(start, bytes));
    }
    int span = lastStartingAtOrBelow(start);
    boolean wasLargest = bytes(span) == largestBytes;
    long end = ends[span];
    if (start == starts[span]) {
      if (start + bytes == end) {
        delete(span);
      } else {
        starts[span] = start + bytes;
      }
    } else {
      ends[span] = start;
      if (start + bytes < end) {
        insert(span + 1, start + bytes, end);
      }
    }
    if (wasLargest) {
      findLargest();
    }
  }

  private int lastStartingAtOrBelow(long address) {
    int found = Arrays.binarySearch(starts, 0, count, address);
    return found >= 0 ? found : -found - 2;
  }

  private void insert(int at, long start, long end) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    System.arraycopy(starts, at, starts, at + 1, count - at);
    System.arraycopy(ends, at, ends, at + 1, count - at);
    starts[at] = start;
    ends[at] = end;
    count++;
  }

  private void delete(int at) {
    System.arraycopy(starts, at + 1, starts, at, count - at - 1);
    System.arraycopy(ends, at + 1, ends, at, count - at - 1);
    count--;
  }

  private void findLargest() {
    largestBytes = 0;
    for (int span = 0; span < count; span++) {
      largestBytes = Math.max(largestBytes, bytes(span));
    }
  }
}
