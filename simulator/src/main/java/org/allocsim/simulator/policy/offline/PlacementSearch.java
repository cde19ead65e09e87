package org.allocsim.simulator.policy.offline;

import java.util.Arrays;

/**
 * Looks for a placement of buffers below a capacity, depth first.
 *
 * <p>Buffers are placed by ascending offset, each on the floor or right on top of another; every
 * placement can be pushed down into this form, so that nothing is lost. A branch ends where
 *
 * <ul>
 *   <li>in some section what is placed and what is still to be placed there pass the capacity,
 *       counting as lost what no buffer can reach any more;
 *   <li>a buffer would leave a gap below it into which another one fits whole;
 *   <li>the buffer just placed has nothing left to lie on it, and the rest failed all the same:
 *       then it fails with any other choice, too;
 *   <li>an equal buffer is still to be placed, and comes before in the order.
 * </ul>
 *
 * <p>Where no unplaced buffer connects the sections to the left and to the right of a point in time
 * any longer, both sides are searched on their own.
 *
 * <p><b>Source.</b> The rules are those of MiniMalloc (M. Moffitt, ASPLOS 2023; google/minimalloc,
 * 2026-04), the one for equal buffers excepted.
 *
 * <p><b>Cost.</b> Up to n! nodes, bounded by a number that is given; a node takes time linear in
 * the buffers of its part and in the lifetimes of those that it lifts.
 */
final class PlacementSearch {
  /** How a search ended. */
  enum Result {
    /** There is a placement. */
    FOUND,
    /** There is none. */
    NONE,
    /** The nodes were used up. */
    GAVE_UP
  }

  private static final long NOT_PLACED = -1;

  private final int n;
  private final long[] bytes;
  private final Sections sections;

  /** Buffers that live together with each. */
  private final int[][] neighbours;

  /** Buffers that live in each section. */
  private final int[][] residents;

  private final int[] rank;
  private final long[] offsets;
  private final long[] leastOffset;
  private final long[] floor;
  private final long[] unplacedBytes;

  /** Unplaced buffers that live in a section and in the next one. */
  private final int[] crossing;

  private final int[] stamp;
  private int stamps;
  private int[] trailRow = new int[1024];
  private long[] trailValue = new long[1024];
  private int trail;
  private long capacityBytes;
  private long nodesLeft;

  /**
   * A search among some buffers, by their indices.
   *
   * @param bytes their sizes
   */
  PlacementSearch(long[] bytes, Sections sections) {
    this.bytes = bytes;
    this.sections = sections;
    n = bytes.length;
    rank = new int[n];
    offsets = new long[n];
    leastOffset = new long[n];
    floor = new long[sections.count()];
    unplacedBytes = new long[sections.count()];
    crossing = new int[sections.count()];
    stamp = new int[sections.count()];
    residents = residents();
    neighbours = neighbours();
  }

  private int[][] residents() {
    int[] counts = new int[sections.count()];
    for (int buffer = 0; buffer < n; buffer++) {
      for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
        counts[s]++;
      }
    }
    int[][] lists = new int[sections.count()][];
    Arrays.setAll(lists, s -> new int[counts[s]]);
    for (int buffer = n - 1; buffer >= 0; buffer--) {
      for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
        lists[s][--counts[s]] = buffer;
      }
    }
    return lists;
  }

  private int[][] neighbours() {
    int[][] lists = new int[n][];
    int[] list = new int[n];
    for (int a = 0; a < n; a++) {
      int count = 0;
      for (int b = 0; b < n; b++) {
        if (a != b && sections.first(a) < sections.end(b) && sections.first(b) < sections.end(a)) {
          list[count++] = b;
        }
      }
      lists[a] = Arrays.copyOf(list, count);
    }
    return lists;
  }

  /**
   * Searches.
   *
   * @param capacity height that the placement must not pass
   * @param preference buffers in the order in which they are tried where offsets are equal
   * @param nodes most nodes that are visited
   */
  Result search(long capacity, int[] preference, long nodes) {
    capacityBytes = capacity;
    nodesLeft = nodes;
    for (int i = 0; i < n; i++) {
      rank[preference[i]] = i;
    }
    Arrays.fill(offsets, NOT_PLACED);
    Arrays.fill(leastOffset, 0);
    Arrays.fill(floor, 0);
    Arrays.fill(unplacedBytes, 0);
    Arrays.fill(crossing, 0);
    trail = 0;
    for (int buffer = 0; buffer < n; buffer++) {
      for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
        unplacedBytes[s] += bytes[buffer];
        crossing[s] += s + 1 < sections.end(buffer) ? 1 : 0;
      }
    }
    if (!fits(0, sections.count(), 0)) {
      return Result.NONE;
    }
    return divide(preference, 0, sections.count(), 0, sections.count(), 0, -1);
  }

  /** The placement that was found. */
  long[] offsets() {
    return offsets.clone();
  }

  /** Nodes that the last search left over. */
  long nodesLeft() {
    return nodesLeft;
  }

  /**
   * Searches the parts into which unplaced buffers fall, cut only between {@code cutFrom} and
   * {@code cutTo}; an undivided part goes on where it was.
   */
  private Result divide(
      int[] unplaced, int from, int to, int cutFrom, int cutTo, long lastOffset, int lastRank) {
    int start = from;
    for (int s = cutFrom; s + 1 < cutTo; s++) {
      if (crossing[s] == 0) {
        Result result = searchPart(unplaced, start, s + 1);
        if (result != Result.FOUND) {
          unplace(unplaced);
          return result;
        }
        start = s + 1;
      }
    }
    if (start == from) {
      return descend(unplaced, from, to, lastOffset, lastRank);
    }
    Result result = searchPart(unplaced, start, to);
    if (result != Result.FOUND) {
      unplace(unplaced);
    }
    return result;
  }

  /** Forgets where the buffers of parts lie that were found before another part failed. */
  private void unplace(int[] buffers) {
    for (int buffer : buffers) {
      if (offsets[buffer] != NOT_PLACED) {
        forget(buffer);
      }
    }
  }

  private Result searchPart(int[] unplaced, int from, int to) {
    int[] part = new int[unplaced.length];
    int count = 0;
    for (int buffer : unplaced) {
      if (sections.first(buffer) >= from && sections.first(buffer) < to) {
        part[count++] = buffer;
      }
    }
    return descend(Arrays.copyOf(part, count), from, to, 0, -1);
  }

  /** Tries the unplaced buffers of a part one after the other. */
  private Result descend(int[] unplaced, int from, int to, long lastOffset, int lastRank) {
    if (unplaced.length == 0) {
      return Result.FOUND;
    }
    if (nodesLeft <= 0) {
      return Result.GAVE_UP;
    }
    nodesLeft--;
    long leastTop = Long.MAX_VALUE;
    for (int buffer : unplaced) {
      leastTop = Math.min(leastTop, leastOffset[buffer] + bytes[buffer]);
    }
    long triedOffset = lastOffset;
    int triedRank = lastRank;
    while (true) {
      int index = next(unplaced, triedOffset, triedRank);
      if (index < 0 || leastOffset[unplaced[index]] >= leastTop) {
        return Result.NONE;
      }
      int buffer = unplaced[index];
      triedOffset = leastOffset[buffer];
      triedRank = rank[buffer];
      if (hasEarlierTwin(unplaced, buffer)) {
        continue;
      }
      int mark = trail;
      boolean covered = place(buffer);
      Result result = Result.NONE;
      if (fits(from, to, triedOffset)) {
        int[] rest = new int[unplaced.length - 1];
        System.arraycopy(unplaced, 0, rest, 0, index);
        System.arraycopy(unplaced, index + 1, rest, index, rest.length - index);
        result =
            divide(
                rest,
                from,
                to,
                sections.first(buffer),
                sections.end(buffer),
                triedOffset,
                triedRank);
        if (result != Result.NONE) {
          return result;
        }
      }
      takeBack(buffer, mark);
      if (!covered) {
        return Result.NONE;
      }
    }
  }

  /** Index of the first buffer behind (offset, rank) in the order of both, or −1. */
  private int next(int[] unplaced, long offset, int after) {
    int best = -1;
    long bestOffset = Long.MAX_VALUE;
    int bestRank = Integer.MAX_VALUE;
    for (int i = 0; i < unplaced.length; i++) {
      int buffer = unplaced[i];
      long own = leastOffset[buffer];
      int ownRank = rank[buffer];
      if ((own > offset || (own == offset && ownRank > after))
          && (own < bestOffset || (own == bestOffset && ownRank < bestRank))) {
        best = i;
        bestOffset = own;
        bestRank = ownRank;
      }
    }
    return best;
  }

  private boolean hasEarlierTwin(int[] unplaced, int buffer) {
    for (int other : unplaced) {
      if (rank[other] < rank[buffer]
          && bytes[other] == bytes[buffer]
          && sections.first(other) == sections.first(buffer)
          && sections.end(other) == sections.end(buffer)) {
        return true;
      }
    }
    return false;
  }

  /** Whether what is unplaced in each section still fits above what is lost there. */
  private boolean fits(int from, int to, long offset) {
    for (int s = from; s < to; s++) {
      if (Math.max(offset, floor[s]) + unplacedBytes[s] > capacityBytes) {
        return false;
      }
    }
    return true;
  }

  /**
   * Places a buffer as low as it can lie and lifts those that must lie above it.
   *
   * @return whether there are any
   */
  private boolean place(int buffer) {
    long top = leastOffset[buffer] + bytes[buffer];
    offsets[buffer] = leastOffset[buffer];
    for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
      setFloor(s, top);
      unplacedBytes[s] -= bytes[buffer];
      crossing[s] -= s + 1 < sections.end(buffer) ? 1 : 0;
    }
    stamps++;
    boolean covered = false;
    for (int other : neighbours[buffer]) {
      if (offsets[other] == NOT_PLACED) {
        covered = true;
        if (leastOffset[other] < top) {
          record(~other, leastOffset[other]);
          leastOffset[other] = top;
          for (int s = sections.first(other); s < sections.end(other); s++) {
            stamp[s] = stamps;
          }
        }
      }
    }
    if (covered) {
      for (int other : neighbours[buffer]) {
        raiseFloors(other);
      }
    }
    return covered;
  }

  /** What lies below the lowest buffer that is still to come is lost in a section. */
  private void raiseFloors(int lifted) {
    if (offsets[lifted] != NOT_PLACED) {
      return;
    }
    for (int s = sections.first(lifted); s < sections.end(lifted); s++) {
      if (stamp[s] != stamps) {
        continue;
      }
      stamp[s] = 0;
      long least = Long.MAX_VALUE;
      for (int resident : residents[s]) {
        if (offsets[resident] == NOT_PLACED) {
          least = Math.min(least, leastOffset[resident]);
        }
      }
      if (least != Long.MAX_VALUE && least > floor[s]) {
        setFloor(s, least);
      }
    }
  }

  private void setFloor(int section, long value) {
    record(section, floor[section]);
    floor[section] = value;
  }

  /** Notes what a section's floor or, by its complement, a buffer's least offset was. */
  private void record(int row, long value) {
    if (trail == trailRow.length) {
      trailRow = Arrays.copyOf(trailRow, trail * 2);
      trailValue = Arrays.copyOf(trailValue, trail * 2);
    }
    trailRow[trail] = row;
    trailValue[trail++] = value;
  }

  private void takeBack(int buffer, int mark) {
    while (trail > mark) {
      trail--;
      int row = trailRow[trail];
      if (row >= 0) {
        floor[row] = trailValue[trail];
      } else {
        leastOffset[~row] = trailValue[trail];
      }
    }
    forget(buffer);
  }

  private void forget(int buffer) {
    offsets[buffer] = NOT_PLACED;
    for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
      unplacedBytes[s] += bytes[buffer];
      crossing[s] += s + 1 < sections.end(buffer) ? 1 : 0;
    }
  }
}
