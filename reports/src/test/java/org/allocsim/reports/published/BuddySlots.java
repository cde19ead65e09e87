package org.allocsim.reports.published;

import java.util.TreeSet;

/**
 * Token slots handed out contiguously by a buddy system, as PagedAttention's authors assume for
 * Orca: a request takes the next power of two. The slots need not be a power of two: they are
 * divided into the largest ones that fit.
 */
final class BuddySlots {
  /** No slots. */
  static final int NONE = -1;

  private final TreeSet<Integer>[] freeByOrder;
  private final int count;

  @SuppressWarnings({"unchecked", "rawtypes"}) // there are no generic arrays
  BuddySlots(int count) {
    this.count = count;
    freeByOrder = new TreeSet[32];
    for (int order = 0; order < freeByOrder.length; order++) {
      freeByOrder[order] = new TreeSet<>();
    }
    int at = 0;
    for (int order = 30; order >= 0; order--) {
      if ((count >> order & 1) != 0) {
        freeByOrder[order].add(at);
        at += 1 << order;
      }
    }
  }

  private static int order(int slots) {
    return 32 - Integer.numberOfLeadingZeros(slots - 1);
  }

  /** First of as many slots, or {@link #NONE}; the lowest of the smallest that fit. */
  int take(int slots) {
    int wanted = order(slots);
    int order = wanted;
    while (order < freeByOrder.length && freeByOrder[order].isEmpty()) {
      order++;
    }
    if (order == freeByOrder.length) {
      return NONE;
    }
    int first = freeByOrder[order].pollFirst();
    while (order > wanted) {
      order--;
      freeByOrder[order].add(first + (1 << order));
    }
    return first;
  }

  /** Gives slots back. */
  void release(int first, int slots) {
    int order = order(slots);
    int at = first;
    while (buddyExists(at, order) && freeByOrder[order].remove(at ^ (1 << order))) {
      at &= ~(1 << order);
      order++;
    }
    freeByOrder[order].add(at);
  }

  /** Whether the buddy lies wholly inside the slots, as part of the same larger power of two. */
  private boolean buddyExists(int at, int order) {
    int pair = at & ~(1 << order);
    return (long) pair + (2L << order) <= count;
  }
}
