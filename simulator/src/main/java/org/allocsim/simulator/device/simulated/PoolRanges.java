package org.allocsim.simulator.device.simulated;

import java.util.Arrays;
import org.allocsim.simulator.order.BlockRows;
import org.allocsim.simulator.order.SizeOrderedRows;

/**
 * The addresses of a pool, cut into ranges that are in use or lie in a free list: one list for each
 * stream, of what was given back on it, and a shared one of what is known to be complete, which
 * holds everything at the start. A range is a row of a table; rows are linked by address. Offsets
 * count from the pool's first address. Lists are ordered by (bytes, time of the last change).
 *
 * <p>A free range has two stamps. The first, of its last change, decides between ranges of equal
 * size; the second, of its last free or merge, which a split leaves as it is, decides the order in
 * which a stream's ranges enter the shared list and shows whether its frees are complete.
 */
final class PoolRanges extends BlockRows {
  // Numbers of a row; in orders the stamp stands in place of the address.
  private static final int START = 0;
  private static final int REQUESTED_BYTES = 1;

  // Links of a row.
  private static final int PREVIOUS = 0;
  private static final int NEXT = 1;
  private static final int NEWER = 2;
  private static final int OLDER = 3;
  private static final int SET = 4;

  private static final int IN_USE = -1;

  /** The shared ranges of which every chunk has memory, as far as was looked. */
  private static final int SHARED_BACKED = 0;

  /** The other shared ranges. */
  private static final int SHARED_OPEN = 1;

  private static final int FIRST_STREAM = 2;

  private final ChunkMap chunks;
  private final int chunkShift;
  private long clock;
  private int first;

  /** The free ranges: the shared ones, then those of each stream. */
  private SizeOrderedRows[] orders = new SizeOrderedRows[FIRST_STREAM + 2];

  /** Time of the last free or merge of the ranges in streams' lists. */
  private long[] freed = new long[64];

  /** The range of each stream that was freed or merged last. */
  private int[] newest = new int[2];

  /**
   * Addresses that are all free.
   *
   * @param endBytes their end, in whole chunks
   * @param chunks what has memory; informed here which chunks are wholly free
   * @param chunkShift binary logarithm of a chunk's bytes
   */
  PoolRanges(long endBytes, ChunkMap chunks, int chunkShift) {
    this.chunks = chunks;
    this.chunkShift = chunkShift;
    Arrays.setAll(orders, _ -> new SizeOrderedRows(this));
    first = create(0, endBytes);
    addShared(first);
  }

  /** Offset of a range. */
  long start(int range) {
    return numbers[range * NUMBERS + START];
  }

  /** What was asked for when a range in use was taken. */
  long requestedBytes(int range) {
    return numbers[range * NUMBERS + REQUESTED_BYTES];
  }

  /** Whether a range is in use. */
  boolean isInUse(int range) {
    return set(range) == IN_USE;
  }

  /** The range at the lowest addresses. */
  int first() {
    return first;
  }

  /** The range after, or {@link #NONE}. */
  int next(int range) {
    return links[range * LINKS + NEXT];
  }

  /** Time of the last change; it grows with every one. */
  long clock() {
    return clock;
  }

  /** Time of the last free or merge of a range in a stream's list. */
  long freed(int range) {
    return freed[range];
  }

  /** The next larger range of a stream's list, the next younger among equals, or {@link #NONE}. */
  int larger(int stream, int range) {
    return orders[FIRST_STREAM + stream].next(range);
  }

  /** Smallest range of a stream's list that is large enough, or {@link #NONE}. */
  int bestOfStream(int stream, long atLeastBytes) {
    return stream < newest.length ? orders[FIRST_STREAM + stream].ceiling(atLeastBytes, 0) : NONE;
  }

  /** Smallest shared range that is large enough and has memory throughout, or {@link #NONE}. */
  int bestBacked(long atLeastBytes) {
    int range = orders[SHARED_BACKED].ceiling(atLeastBytes, 0);
    while (range != NONE && !isBacked(range)) {
      orders[SHARED_BACKED].remove(range);
      list(range, SHARED_OPEN);
      range = orders[SHARED_BACKED].ceiling(atLeastBytes, 0);
    }
    return range;
  }

  /** Smallest shared range that is large enough, or {@link #NONE}. */
  int bestShared(long atLeastBytes) {
    int backed = orders[SHARED_BACKED].ceiling(atLeastBytes, 0);
    int open = orders[SHARED_OPEN].ceiling(atLeastBytes, 0);
    if (backed == NONE || open == NONE) {
      return backed | open;
    }
    boolean openFirst =
        bytes(open) < bytes(backed)
            || (bytes(open) == bytes(backed) && stamp(open) < stamp(backed));
    return openFirst ? open : backed;
  }

  /**
   * Takes the start of a free range, whose rest stays in its list.
   *
   * @return the range in use
   */
  int take(int range, long takenBytes, long requested) {
    int from = set(range);
    long start = start(range);
    long restBytes = bytes(range) - takenBytes;
    orders[from].remove(range);
    if (from < FIRST_STREAM) {
      chunks.unshare(start >>> chunkShift, chunkAtOrAbove(start + takenBytes));
    }
    int taken = range;
    if (restBytes == 0) {
      if (from >= FIRST_STREAM) {
        unlinkByAge(from - FIRST_STREAM, range);
      }
    } else {
      taken = create(start, takenBytes);
      setPlace(range, start + takenBytes, restBytes);
      linkBefore(taken, range);
      if (from >= FIRST_STREAM) {
        place(range, ++clock, restBytes);
        orders[from].add(range);
      } else {
        addShared(range);
      }
    }
    links[taken * LINKS + SET] = IN_USE;
    numbers[taken * NUMBERS + REQUESTED_BYTES] = requested;
    return taken;
  }

  /** Gives a range in use to a stream's list. */
  void give(int range, int stream) {
    if (stream >= newest.length) {
      growStreams(Math.max(stream + 1, 2 * newest.length));
    }
    int list = FIRST_STREAM + stream;
    int merged = range;
    int below = previous(merged);
    if (below != NONE && set(below) == list) {
      orders[list].remove(below);
      unlinkByAge(stream, below);
      absorbNext(below);
      merged = below;
    }
    int above = next(merged);
    if (above != NONE && set(above) == list) {
      orders[list].remove(above);
      unlinkByAge(stream, above);
      absorbNext(merged);
    }
    place(merged, ++clock, bytes(merged));
    list(merged, list);
    freed[merged] = clock;
    int before = newest[stream];
    links[merged * LINKS + OLDER] = before;
    links[merged * LINKS + NEWER] = NONE;
    links[before * LINKS + NEWER] = merged;
    newest[stream] = merged;
  }

  private void growStreams(int count) {
    newest = Arrays.copyOf(newest, count);
    int known = orders.length;
    orders = Arrays.copyOf(orders, FIRST_STREAM + count);
    for (int list = known; list < orders.length; list++) {
      orders[list] = new SizeOrderedRows(this);
    }
  }

  /** Moves a stream's list into the shared one; answers whether there was anything in it. */
  boolean share(int stream) {
    return shareFreedBy(stream, Long.MAX_VALUE);
  }

  /**
   * Moves the ranges of a stream's list into the shared one that were freed by a time; answers
   * whether there were any.
   */
  boolean shareFreedBy(int stream, long time) {
    if (stream >= newest.length) {
      return false;
    }
    int range = newest[stream];
    while (range != NONE && freed[range] > time) {
      range = older(range);
    }
    if (range == NONE) {
      return false;
    }
    for (int each = range; each != NONE; each = older(each)) {
      orders[FIRST_STREAM + stream].remove(each);
    }
    int newer = links[range * LINKS + NEWER];
    if (newer == NONE) {
      newest[stream] = NONE;
    } else {
      links[newer * LINKS + OLDER] = NONE;
    }
    shareFrom(range);
    return true;
  }

  private void shareFrom(int newestRange) {
    int range = newestRange;
    while (range != NONE) {
      int then = older(range);
      mergeIntoShared(range);
      range = then;
    }
  }

  private void mergeIntoShared(int range) {
    int merged = range;
    int below = previous(merged);
    if (below != NONE && isShared(below)) {
      orders[set(below)].remove(below);
      absorbNext(below);
      merged = below;
    }
    int above = next(merged);
    if (above != NONE && isShared(above)) {
      orders[set(above)].remove(above);
      absorbNext(merged);
    }
    addShared(merged);
  }

  /** Adds a range that is in no list, and touches no shared range, to the shared list. */
  private void addShared(int range) {
    long start = start(range);
    chunks.share(chunkAtOrAbove(start), (start + bytes(range)) >>> chunkShift);
    place(range, ++clock, bytes(range));
    list(range, isBacked(range) ? SHARED_BACKED : SHARED_OPEN);
  }

  /** Adds a range, which has its stamp, to a list. */
  private void list(int range, int set) {
    links[range * LINKS + SET] = set;
    orders[set].add(range);
  }

  private boolean isShared(int range) {
    return set(range) == SHARED_BACKED || set(range) == SHARED_OPEN;
  }

  /** Whether all chunks of a range have memory. */
  private boolean isBacked(int range) {
    long from = start(range) >>> chunkShift;
    long to = chunkAtOrAbove(start(range) + bytes(range));
    return chunks.countBacked(from, to) == to - from;
  }

  private long chunkAtOrAbove(long offset) {
    return (offset + (1L << chunkShift) - 1) >>> chunkShift;
  }

  private void unlinkByAge(int stream, int range) {
    int newer = links[range * LINKS + NEWER];
    int older = older(range);
    links[older * LINKS + NEWER] = newer;
    if (newer == NONE) {
      newest[stream] = older;
    } else {
      links[newer * LINKS + OLDER] = older;
    }
  }

  private void linkBefore(int range, int above) {
    int below = previous(above);
    link(below, range);
    link(range, above);
    if (below == NONE) {
      first = range;
    }
  }

  private void absorbNext(int range) {
    int absorbed = next(range);
    setPlace(range, start(range), bytes(range) + bytes(absorbed));
    link(range, next(absorbed));
    recycle(absorbed);
  }

  /** Makes two rows neighbours; one of them may be {@link #NONE}. */
  private void link(int left, int right) {
    links[left * LINKS + NEXT] = right;
    links[right * LINKS + PREVIOUS] = left;
  }

  private int set(int range) {
    return links[range * LINKS + SET];
  }

  private int previous(int range) {
    return links[range * LINKS + PREVIOUS];
  }

  private int older(int range) {
    return links[range * LINKS + OLDER];
  }

  private long stamp(int range) {
    return address(range);
  }

  private void setPlace(int range, long start, long bytes) {
    numbers[range * NUMBERS + START] = start;
    place(range, stamp(range), bytes);
  }

  /** A range without neighbours that is in no list. */
  private int create(long start, long bytes) {
    int range = newRow();
    if (range >= freed.length) {
      freed = Arrays.copyOf(freed, Math.multiplyExact(2, freed.length));
    }
    setPlace(range, start, bytes);
    links[range * LINKS + PREVIOUS] = NONE;
    links[range * LINKS + NEXT] = NONE;
    return range;
  }
}
