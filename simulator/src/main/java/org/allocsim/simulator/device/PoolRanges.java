package org.allocsim.simulator.device;

import java.util.Arrays;

/**
 * The addresses of a pool, cut into ranges that are in use or lie in a free list: one list for each
 * stream, of what was given back on it, and a shared one of what is known to be complete, which
 * holds everything at the start. A range is a row of columns; rows are linked by address. Offsets
 * count from the pool's first address.
 *
 * <p>A free range has two stamps. The first, of its last change, decides between ranges of equal
 * size; the second, of its last free or merge, which a split leaves as it is, decides the order in
 * which a stream's ranges enter the shared list and tells whether its frees are complete.
 */
final class PoolRanges {
  /** No range. */
  static final int NONE = -1;

  private static final int IN_USE = -1;

  /** The shared ranges of which every chunk has memory, as far as was looked. */
  private static final int SHARED_BACKED = 0;

  /** The other shared ranges. */
  private static final int SHARED_OPEN = 1;

  private static final int FIRST_STREAM = 2;

  private final ChunkMap chunks;
  private final int chunkShift;
  private final BestFitTrees trees = new BestFitTrees();
  private long clock;

  private long[] start = new long[64];
  private long[] bytes = new long[64];
  private long[] requestedBytes = new long[64];
  private int[] set = new int[64];
  private int[] previous = new int[64];
  private int[] next = new int[64];
  private int[] newer = new int[64];
  private int[] older = new int[64];

  /** Time of the last free or merge of the ranges in streams' lists. */
  private long[] freed = new long[64];

  private int rows;
  private int[] unused = new int[64];
  private int unusedCount;
  private int first;

  /** The range of each stream that was freed or merged last. */
  private int[] newest = new int[4];

  /**
   * Addresses that are all free.
   *
   * @param endBytes their end, in whole chunks
   * @param chunks what has memory; told here which chunks are wholly free
   * @param chunkShift binary logarithm of a chunk's bytes
   */
  PoolRanges(long endBytes, ChunkMap chunks, int chunkShift) {
    this.chunks = chunks;
    this.chunkShift = chunkShift;
    Arrays.fill(newest, NONE);
    first = create();
    start[first] = 0;
    bytes[first] = endBytes;
    previous[first] = NONE;
    next[first] = NONE;
    addShared(first);
  }

  /** Offset of a range. */
  long start(int range) {
    return start[range];
  }

  /** Size of a range. */
  long bytes(int range) {
    return bytes[range];
  }

  /** What was asked for when a range in use was taken. */
  long requestedBytes(int range) {
    return requestedBytes[range];
  }

  /** Whether a range is in use. */
  boolean isInUse(int range) {
    return set[range] == IN_USE;
  }

  /** The range at the lowest addresses. */
  int first() {
    return first;
  }

  /** The range behind, or {@link #NONE}. */
  int next(int range) {
    return next[range];
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
    return trees.after(FIRST_STREAM + stream, range);
  }

  /** Smallest range of a stream's list that is large enough, or {@link #NONE}. */
  int bestOfStream(int stream, long atLeastBytes) {
    return trees.bestFit(FIRST_STREAM + stream, atLeastBytes);
  }

  /** Smallest shared range that is large enough and has memory throughout, or {@link #NONE}. */
  int bestBacked(long atLeastBytes) {
    int range = trees.bestFit(SHARED_BACKED, atLeastBytes);
    while (range != NONE && !isBacked(range)) {
      trees.remove(SHARED_BACKED, range);
      set[range] = SHARED_OPEN;
      trees.add(SHARED_OPEN, range, bytes[range], trees.stamp(range));
      range = trees.bestFit(SHARED_BACKED, atLeastBytes);
    }
    return range;
  }

  /** Smallest shared range that is large enough, or {@link #NONE}. */
  int bestShared(long atLeastBytes) {
    int backed = trees.bestFit(SHARED_BACKED, atLeastBytes);
    int open = trees.bestFit(SHARED_OPEN, atLeastBytes);
    if (backed == NONE || open == NONE) {
      return Math.max(backed, open);
    }
    boolean openFirst =
        bytes[open] < bytes[backed]
            || (bytes[open] == bytes[backed] && trees.stamp(open) < trees.stamp(backed));
    return openFirst ? open : backed;
  }

  /**
   * Takes the start of a free range, whose rest stays in its list.
   *
   * @return the range in use
   */
  int take(int range, long takenBytes, long requested) {
    int from = set[range];
    trees.remove(from, range);
    if (from < FIRST_STREAM) {
      chunks.unshare(start[range] >>> chunkShift, chunkAtOrAbove(start[range] + takenBytes));
    }
    int taken = range;
    if (bytes[range] == takenBytes) {
      if (from >= FIRST_STREAM) {
        unlinkByAge(from - FIRST_STREAM, range);
      }
    } else {
      taken = create();
      start[taken] = start[range];
      bytes[taken] = takenBytes;
      start[range] += takenBytes;
      bytes[range] -= takenBytes;
      linkBefore(taken, range);
      if (from >= FIRST_STREAM) {
        trees.add(from, range, bytes[range], ++clock);
      } else {
        addShared(range);
      }
    }
    set[taken] = IN_USE;
    requestedBytes[taken] = requested;
    return taken;
  }

  /** Gives a range in use to a stream's list. */
  void give(int range, int stream) {
    if (stream >= newest.length) {
      int old = newest.length;
      newest = Arrays.copyOf(newest, Math.max(stream + 1, 2 * old));
      Arrays.fill(newest, old, newest.length, NONE);
    }
    int list = FIRST_STREAM + stream;
    int merged = range;
    int below = previous[merged];
    if (below != NONE && set[below] == list) {
      trees.remove(list, below);
      unlinkByAge(stream, below);
      absorbNext(below);
      merged = below;
    }
    int above = next[merged];
    if (above != NONE && set[above] == list) {
      trees.remove(list, above);
      unlinkByAge(stream, above);
      absorbNext(merged);
    }
    set[merged] = list;
    trees.add(list, merged, bytes[merged], ++clock);
    freed[merged] = clock;
    older[merged] = newest[stream];
    newer[merged] = NONE;
    if (older[merged] != NONE) {
      newer[older[merged]] = merged;
    }
    newest[stream] = merged;
  }

  /** Moves a stream's list into the shared one; answers whether there was anything in it. */
  boolean share(int stream) {
    if (trees.isEmpty(FIRST_STREAM + stream)) {
      return false;
    }
    trees.clear(FIRST_STREAM + stream);
    int range = newest[stream];
    newest[stream] = NONE;
    shareFrom(range);
    return true;
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
      range = older[range];
    }
    if (range == NONE) {
      return false;
    }
    for (int each = range; each != NONE; each = older[each]) {
      trees.remove(FIRST_STREAM + stream, each);
    }
    if (newer[range] == NONE) {
      newest[stream] = NONE;
    } else {
      older[newer[range]] = NONE;
    }
    shareFrom(range);
    return true;
  }

  private void shareFrom(int newestRange) {
    int range = newestRange;
    while (range != NONE) {
      int then = older[range];
      mergeIntoShared(range);
      range = then;
    }
  }

  private void mergeIntoShared(int range) {
    int merged = range;
    int below = previous[merged];
    if (below != NONE && isShared(below)) {
      trees.remove(set[below], below);
      absorbNext(below);
      merged = below;
    }
    int above = next[merged];
    if (above != NONE && isShared(above)) {
      trees.remove(set[above], above);
      absorbNext(merged);
    }
    addShared(merged);
  }

  /** Adds a range that is in no list, and touches no shared range, to the shared list. */
  private void addShared(int range) {
    chunks.share(chunkAtOrAbove(start[range]), (start[range] + bytes[range]) >>> chunkShift);
    set[range] = isBacked(range) ? SHARED_BACKED : SHARED_OPEN;
    trees.add(set[range], range, bytes[range], ++clock);
  }

  private boolean isShared(int range) {
    return set[range] == SHARED_BACKED || set[range] == SHARED_OPEN;
  }

  /** Whether all chunks of a range have memory. */
  private boolean isBacked(int range) {
    long from = start[range] >>> chunkShift;
    long to = chunkAtOrAbove(start[range] + bytes[range]);
    return chunks.countBacked(from, to) == to - from;
  }

  private long chunkAtOrAbove(long offset) {
    return (offset + (1L << chunkShift) - 1) >>> chunkShift;
  }

  private void unlinkByAge(int stream, int range) {
    if (newer[range] == NONE) {
      newest[stream] = older[range];
    } else {
      older[newer[range]] = older[range];
    }
    if (older[range] != NONE) {
      newer[older[range]] = newer[range];
    }
  }

  private void linkBefore(int range, int above) {
    previous[range] = previous[above];
    next[range] = above;
    if (previous[above] == NONE) {
      first = range;
    } else {
      next[previous[above]] = range;
    }
    previous[above] = range;
  }

  private void absorbNext(int range) {
    int absorbed = next[range];
    bytes[range] += bytes[absorbed];
    next[range] = next[absorbed];
    if (next[absorbed] != NONE) {
      previous[next[absorbed]] = range;
    }
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, 2 * unusedCount);
    }
    unused[unusedCount++] = absorbed;
  }

  private int create() {
    if (unusedCount > 0) {
      return unused[--unusedCount];
    }
    if (rows == start.length) {
      int capacity = Math.addExact(rows, rows);
      start = Arrays.copyOf(start, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      requestedBytes = Arrays.copyOf(requestedBytes, capacity);
      set = Arrays.copyOf(set, capacity);
      previous = Arrays.copyOf(previous, capacity);
      next = Arrays.copyOf(next, capacity);
      newer = Arrays.copyOf(newer, capacity);
      older = Arrays.copyOf(older, capacity);
      freed = Arrays.copyOf(freed, capacity);
    }
    return rows++;
  }
}
