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

  /**
   * Which buffers are tried first where offsets are equal: most bytes still to be placed in a
   * section where it lives (crowd), longest life (width), largest product of size and life (area).
   */
  enum Preference {
    /** Crowd, then width, then area. */
    CROWD_WIDTH,
    /** Crowd, then area, then width. */
    CROWD_AREA,
    /** Crowd, then the number of buffers that live together with it. */
    CROWD_NEIGHBOURS,
    /** Width, then area, then crowd. */
    WIDTH_AREA
  }

  private static final long NOT_PLACED = -1;

  private final int n;
  private final long[] bytes;
  private final Sections sections;

  /** Buffers that live together with each. */
  private final int[][] neighbours;

  /** Buffers that live in each section. */
  private final int[][] residents;

  private final long[] area;
  private final long[] width;
  private final long[] crowd;
  private final int[] rank;
  private final long[] offsets;
  private final long[] minOffset;
  private final long[] floor;
  private final long[] unplacedBytes;

  /** Unplaced buffers that live in a section and in the next one. */
  private final int[] crossing;

  private final int[] stamp;
  private int stamps;
  private int[] trailRow = new int[1024];
  private long[] trailValue = new long[1024];
  private int trail;
  private Preference order = Preference.CROWD_WIDTH;
  private long capacityBytes;

  /** Whether, since the last placement, all floors leave room for what is to come above them. */
  private boolean fits;

  private long nodesLeft;

  /**
   * A search among some buffers, by their indices.
   *
   * @param bytes their sizes
   * @param width how long each lives
   */
  PlacementSearch(long[] bytes, long[] width, Sections sections) {
    this.bytes = bytes;
    this.sections = sections;
    n = bytes.length;
    this.width = width;
    area = new long[n];
    crowd = new long[n];
    for (int i = 0; i < n; i++) {
      area[i] = saturatedProduct(bytes[i], width[i]);
    }
    rank = new int[n];
    offsets = new long[n];
    minOffset = new long[n];
    floor = new long[sections.count()];
    unplacedBytes = new long[sections.count()];
    crossing = new int[sections.count()];
    stamp = new int[sections.count()];
    residents = residents();
    neighbours = neighbours();
  }

  private static long saturatedProduct(long a, long b) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE;
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
   * @param preference which buffers are tried first where offsets are equal
   * @param nodes most nodes that are visited
   */
  Result search(long capacity, Preference preference, long nodes) {
    capacityBytes = capacity;
    nodesLeft = nodes;
    order = preference;
    Arrays.setAll(rank, i -> i);
    Arrays.fill(offsets, NOT_PLACED);
    Arrays.fill(minOffset, 0);
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
    if (maxUnplacedBytes(0, sections.count()) > capacity) {
      return Result.NONE;
    }
    int[] all = new int[n];
    Arrays.setAll(all, i -> i);
    return searchPart(all, 0, sections.count());
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
    int[] ranks = null;
    for (int s = cutFrom; s + 1 < cutTo; s++) {
      if (crossing[s] == 0) {
        if (ranks == null) {
          ranks = ranksOf(unplaced);
        }
        Result result = searchPart(unplaced, start, s + 1);
        if (result != Result.FOUND) {
          unplace(unplaced, ranks);
          return result;
        }
        start = s + 1;
      }
    }
    if (ranks == null) {
      return descend(unplaced, from, to, lastOffset, lastRank);
    }
    Result result = searchPart(unplaced, start, to);
    if (result != Result.FOUND) {
      unplace(unplaced, ranks);
    }
    return result;
  }

  /** Forgets where the buffers of parts lie that were found before another part failed. */
  private void unplace(int[] buffers, int[] ranks) {
    for (int i = 0; i < buffers.length; i++) {
      rank[buffers[i]] = ranks[i];
      if (offsets[buffers[i]] != NOT_PLACED) {
        forget(buffers[i]);
      }
    }
  }

  private int[] ranksOf(int[] buffers) {
    int[] ranks = new int[buffers.length];
    for (int i = 0; i < buffers.length; i++) {
      ranks[i] = rank[buffers[i]];
    }
    return ranks;
  }

  private Result searchPart(int[] unplaced, int from, int to) {
    int[] list = new int[unplaced.length];
    int count = 0;
    for (int buffer : unplaced) {
      if (sections.first(buffer) >= from && sections.first(buffer) < to) {
        list[count++] = buffer;
      }
    }
    int[] part = Arrays.copyOf(list, count);
    prefer(part);
    return descend(part, from, to, 0, -1);
  }

  /** Ranks the buffers of a part anew: how crowded it is has changed. */
  private void prefer(int[] part) {
    for (int buffer : part) {
      long most = 0;
      for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
        most = Math.max(most, unplacedBytes[s]);
      }
      crowd[buffer] = most;
    }
    int[] sorted =
        Arrays.stream(part).boxed().sorted(this::compare).mapToInt(Integer::intValue).toArray();
    for (int i = 0; i < sorted.length; i++) {
      rank[sorted[i]] = i;
    }
  }

  private int compare(int a, int b) {
    int crowds = Long.compare(crowd[b], crowd[a]);
    int areas = Long.compare(area[b], area[a]);
    int widths = Long.compare(width[b], width[a]);
    int result =
        switch (order) {
          case CROWD_AREA -> crowds != 0 ? crowds : areas != 0 ? areas : widths;
          case CROWD_WIDTH -> crowds != 0 ? crowds : widths != 0 ? widths : areas;
          case CROWD_NEIGHBOURS ->
              crowds != 0 ? crowds : Integer.compare(neighbours[b].length, neighbours[a].length);
          case WIDTH_AREA -> widths != 0 ? widths : areas != 0 ? areas : crowds;
        };
    return result != 0 ? result : Integer.compare(a, b);
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
    // No buffer may lie at this offset or above: another one fits whole below it, or what is still
    // to come in some section does not fit above it.
    long endOfOffsets = capacityBytes - maxUnplacedBytes(from, to) + 1;
    for (int buffer : unplaced) {
      endOfOffsets = Math.min(endOfOffsets, minOffset[buffer] + bytes[buffer]);
    }
    long triedOffset = lastOffset;
    int triedRank = lastRank;
    while (true) {
      int index = next(unplaced, triedOffset, triedRank);
      if (index < 0 || minOffset[unplaced[index]] >= endOfOffsets) {
        return Result.NONE;
      }
      int buffer = unplaced[index];
      triedOffset = minOffset[buffer];
      triedRank = rank[buffer];
      if (hasEarlierTwin(unplaced, buffer)) {
        continue;
      }
      int mark = trail;
      place(buffer);
      boolean covered = lift(buffer);
      if (fits) {
        int[] rest = new int[unplaced.length - 1];
        System.arraycopy(unplaced, 0, rest, 0, index);
        System.arraycopy(unplaced, index + 1, rest, index, rest.length - index);
        Result result =
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

  private long maxUnplacedBytes(int from, int to) {
    long most = 0;
    for (int s = from; s < to; s++) {
      most = Math.max(most, unplacedBytes[s]);
    }
    return most;
  }

  /** Index of the first buffer after (offset, rank) in the order of both, or −1. */
  private int next(int[] unplaced, long offset, int after) {
    int best = -1;
    long bestOffset = Long.MAX_VALUE;
    int bestRank = Integer.MAX_VALUE;
    for (int i = 0; i < unplaced.length; i++) {
      int buffer = unplaced[i];
      long own = minOffset[buffer];
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

  /** Places a buffer as low as it can lie. */
  private void place(int buffer) {
    long top = minOffset[buffer] + bytes[buffer];
    offsets[buffer] = minOffset[buffer];
    fits = true;
    for (int s = sections.first(buffer); s < sections.end(buffer); s++) {
      unplacedBytes[s] -= bytes[buffer];
      crossing[s] -= s + 1 < sections.end(buffer) ? 1 : 0;
      setFloor(s, top);
    }
  }

  /**
   * Lifts the buffers that must lie above one just placed, and with them the floors of sections
   * where nothing lower is left to come, up to the first section that passes the capacity.
   *
   * @return whether there are any such buffers
   */
  private boolean lift(int placed) {
    long top = offsets[placed] + bytes[placed];
    stamps++;
    for (int s = sections.first(placed); s < sections.end(placed); s++) {
      stamp[s] = stamps;
    }
    boolean covered = false;
    for (int other : neighbours[placed]) {
      if (offsets[other] == NOT_PLACED) {
        covered = true;
        long old = minOffset[other];
        if (old < top) {
          record(~other, old);
          minOffset[other] = top;
          for (int s = sections.first(other); s < sections.end(other); s++) {
            // The floor of a section is where its lowest unplaced buffer can lie at best.
            if (old == floor[s]) {
              stamp[s] = stamps;
            }
          }
        }
      }
    }
    for (int i = 0; i < neighbours[placed].length && fits; i++) {
      raiseFloors(neighbours[placed][i]);
    }
    return covered;
  }

  /** What lies below the lowest buffer that is still to come is lost in a section. */
  private void raiseFloors(int lifted) {
    if (offsets[lifted] != NOT_PLACED) {
      return;
    }
    for (int s = sections.first(lifted); s < sections.end(lifted) && fits; s++) {
      if (stamp[s] != stamps) {
        continue;
      }
      stamp[s] = 0;
      long least = Long.MAX_VALUE;
      for (int resident : residents[s]) {
        if (offsets[resident] == NOT_PLACED) {
          least = Math.min(least, minOffset[resident]);
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
    fits &= value + unplacedBytes[section] <= capacityBytes;
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
        minOffset[~row] = trailValue[trail];
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
