package org.allocsim.analysis.serving.kvcache.radix;

import java.util.Arrays;

/**
 * Free pages in the order in which they are taken. Pages of one token come back to the end of the
 * queue, larger ones to its front, those that are released together in their order.
 *
 * <p><b>Source.</b> sgl-project/sglang, {@code mem_cache/allocator/token.py} and {@code paged.py}
 * (August 2026), without sorting.
 */
final class PageQueue {
  private final int[] ring;
  private final boolean isLastOut;
  private int first;
  private int size;

  /** Pages that are released together, where they are collected. */
  private int[] group = new int[64];

  private int grouped;
  private boolean collects;

  /**
   * Pages from 1 on, all free.
   *
   * @param isLastOut whether pages come back to the front
   */
  PageQueue(int pages, boolean isLastOut) {
    ring = new int[Math.max(2, Integer.highestOneBit(Math.max(1, pages)) * 2)];
    this.isLastOut = isLastOut;
    for (int page = 1; page <= pages; page++) {
      ring[size++] = page;
    }
  }

  int size() {
    return size;
  }

  int take() {
    int page = ring[first];
    first = first + 1 & ring.length - 1;
    size--;
    return page;
  }

  /** Pages that are released from now on come back together. */
  void startGroup() {
    collects = true;
  }

  /** Pages that were collected come back. */
  void endGroup() {
    collects = false;
    release(group, 0, grouped);
    grouped = 0;
  }

  /** Pages of an array come back, from one place to before another. */
  void release(int[] pages, int from, int to) {
    if (collects) {
      while (grouped + to - from > group.length) {
        group = Arrays.copyOf(group, group.length * 2);
      }
      System.arraycopy(pages, from, group, grouped, Math.max(0, to - from));
      grouped += Math.max(0, to - from);
      return;
    }
    if (isLastOut) {
      for (int i = to - 1; i >= from; i--) {
        first = first - 1 & ring.length - 1;
        ring[first] = pages[i];
        size++;
      }
    } else {
      for (int i = from; i < to; i++) {
        ring[first + size++ & ring.length - 1] = pages[i];
      }
    }
  }
}
