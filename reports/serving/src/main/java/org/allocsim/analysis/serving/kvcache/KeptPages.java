package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;

/**
 * The blocks that keep a prefix, by their pages, and the pages that hold nothing else: those that
 * become empty when their prefixes are forgotten, the one with the fewest blocks first, then the
 * longest unused.
 *
 * <p><b>Cost.</b> A block takes constant time, and {@link #fewest} the logarithm of the pages for
 * each page that changed since it was last called.
 */
final class KeptPages {
  static final int NONE = -1;

  private final ElasticPages pages;

  /** By page: its blocks that keep a prefix, and the one of them that was added last. */
  private final int[] count;

  private final int[] last;

  /** By block: when it was added, and its neighbours of the same page in that order. */
  private final long[] since;

  private final int[] before;
  private final int[] after;
  private long clock;

  /** Pages that hold nothing but prefixes, a heap; by page: where it is there, and by what. */
  private final int[] heap;

  private final int[] place;
  private final int[] heapCount;
  private final long[] heapSince;
  private int size;

  /** Pages that changed since they were put into the heap. */
  private final int[] changed;

  private final boolean[] isChanged;
  private int changes;

  KeptPages(ElasticPages pages, int pageCount) {
    this.pages = pages;
    count = new int[pageCount];
    last = new int[pageCount];
    since = new long[pages.blockCount()];
    before = new int[since.length];
    after = new int[since.length];
    heap = new int[pageCount];
    place = new int[pageCount];
    heapCount = new int[pageCount];
    heapSince = new long[pageCount];
    changed = new int[pageCount];
    isChanged = new boolean[pageCount];
    Arrays.fill(last, NONE);
    Arrays.fill(place, NONE);
  }

  /** Blocks of a page that keep a prefix. */
  int count(int page) {
    return count[page];
  }

  /** A block keeps its prefix from now on, the latest of all. */
  void add(int block) {
    int page = pages.pageOf(block);
    since[block] = clock++;
    before[block] = last[page];
    after[block] = NONE;
    if (last[page] != NONE) {
      after[last[page]] = block;
    }
    last[page] = block;
    count[page]++;
    changed(page);
  }

  /** A block that keeps a prefix does so no more: it is used or given back. */
  void remove(int block) {
    int page = pages.pageOf(block);
    if (before[block] != NONE) {
      after[before[block]] = after[block];
    }
    if (after[block] != NONE) {
      before[after[block]] = before[block];
    } else {
      last[page] = before[block];
    }
    count[page]--;
    changed(page);
  }

  /** A block without a prefix is given back. */
  void given(int block) {
    changed(pages.pageOf(block));
  }

  private void changed(int page) {
    if (!isChanged[page]) {
      isChanged[page] = true;
      changed[changes++] = page;
    }
  }

  /** The first page that holds nothing but prefixes, in the order above; {@link #NONE} for none. */
  int fewest() {
    while (changes > 0) {
      int page = changed[--changes];
      isChanged[page] = false;
      put(page);
    }
    // Blocks that were taken since then are noticed here.
    while (size > 0 && !isOnlyKept(heap[0])) {
      take(heap[0]);
    }
    return size == 0 ? NONE : heap[0];
  }

  private boolean isOnlyKept(int page) {
    return count[page] > 0 && count[page] == pages.takenIn(page);
  }

  /** Puts a page where it belongs, or takes it out. */
  private void put(int page) {
    if (!isOnlyKept(page)) {
      take(page);
      return;
    }
    heapCount[page] = count[page];
    heapSince[page] = since[last[page]];
    if (place[page] == NONE) {
      move(page, size++);
    }
    sift(place[page]);
  }

  private void take(int page) {
    int gap = place[page];
    if (gap == NONE) {
      return;
    }
    place[page] = NONE;
    int moved = heap[--size];
    if (moved != page) {
      move(moved, gap);
      sift(gap);
    }
  }

  private void sift(int from) {
    int page = heap[from];
    int at = from;
    while (at > 0 && isBefore(page, heap[(at - 1) / 2])) {
      move(heap[(at - 1) / 2], at);
      at = (at - 1) / 2;
    }
    int child = lower(at);
    while (child < size && isBefore(heap[child], page)) {
      move(heap[child], at);
      at = child;
      child = lower(at);
    }
    move(page, at);
  }

  /** The first of two children. */
  private int lower(int at) {
    int child = 2 * at + 1;
    return child + 1 < size && isBefore(heap[child + 1], heap[child]) ? child + 1 : child;
  }

  private void move(int page, int at) {
    heap[at] = page;
    place[page] = at;
  }

  private boolean isBefore(int page, int other) {
    return heapCount[page] == heapCount[other]
        ? heapSince[page] < heapSince[other]
        : heapCount[page] < heapCount[other];
  }
}
