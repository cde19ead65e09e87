package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;

/**
 * Jenga's two levels of pages. Large pages are as long as the least common multiple of all small
 * ones, so each divides into small pages of any one group without a rest.
 *
 * <p>A small page is empty, in use by some sequences, or evictable: unused, but with a prefix. A
 * large page that is not free belongs to one group.
 */
final class LargePages {
  static final int NONE = -1;

  private final int count;

  /** Small pages that a large page of each group has. */
  private final int[] slotsPerPage;

  /** Distance of the numbers of two large pages' small ones. */
  private final int stride;

  /** By large page: its group or NONE, small pages in use, evictable ones, first empty one. */
  private final int[] groupOf;

  private final int[] used;
  private final int[] evictable;
  private final int[] firstEmpty;

  /** By small page: sequences that use it, next empty one of the large page. */
  private final int[] references;

  private final int[] nextEmpty;

  /** Free large pages, the lowest number first at the start. */
  private final RecentOrder free;

  /** Large pages whose small ones are all unused and not all empty, the longest unused first. */
  private final RecentOrder idle;

  /** By group: large pages in use that have empty small ones; evictable small pages in them. */
  private final RecentOrder[] partial;

  private final RecentOrder[] evictableInUse;

  /** By group: small pages in use; empty ones in large pages in use. */
  private final int[] usedOf;

  private final int[] emptyOf;

  /** Called when a small page loses its prefix. */
  interface Eviction {
    void evicted(int page);
  }

  private final Eviction eviction;

  LargePages(int count, int[] slotsPerPage, Eviction eviction) {
    this.count = count;
    this.slotsPerPage = slotsPerPage.clone();
    this.eviction = eviction;
    stride = Arrays.stream(slotsPerPage).max().orElseThrow();
    int groups = slotsPerPage.length;
    groupOf = new int[count];
    used = new int[count];
    evictable = new int[count];
    firstEmpty = new int[count];
    references = new int[Math.multiplyExact(count, stride)];
    nextEmpty = new int[references.length];
    free = new RecentOrder(count);
    idle = new RecentOrder(count);
    partial = new RecentOrder[groups];
    evictableInUse = new RecentOrder[groups];
    for (int group = 0; group < groups; group++) {
      partial[group] = new RecentOrder(count);
      evictableInUse[group] = new RecentOrder(references.length);
    }
    usedOf = new int[groups];
    emptyOf = new int[groups];
    for (int page = 0; page < count; page++) {
      groupOf[page] = NONE;
      free.add(page);
    }
  }

  int largeOf(int page) {
    return page / stride;
  }

  int count() {
    return count;
  }

  int smallPages() {
    return references.length;
  }

  /** The group of a small page that is not empty. */
  int groupOf(int page) {
    return groupOf[largeOf(page)];
  }

  int references(int page) {
    return references[page];
  }

  int usedOf(int group) {
    return usedOf[group];
  }

  /** Small pages that are empty beside others of their group that are in use. */
  int emptyOf(int group) {
    return emptyOf[group];
  }

  /** Whether so many small pages of each group can be had together. */
  boolean hasRoom(int[] wanted) {
    int large = 0;
    for (int group = 0; group < wanted.length; group++) {
      int missing = wanted[group] - emptyOf[group] - evictableInUse[group].size();
      if (missing > 0) {
        large += (missing + slotsPerPage[group] - 1) / slotsPerPage[group];
      }
    }
    return large <= free.size() + idle.size();
  }

  /**
   * Takes a small page by the five steps: an empty one of the large page that the sequence opened
   * last; a free large page; the large page that is unused the longest; an empty one beside those
   * of other sequences; the evictable one that is unused the longest.
   *
   * @param open the large page that the sequence opened last for the group; NONE for none
   * @return the small page, or NONE
   */
  int take(int group, int open) {
    if (open != NONE && groupOf[open] == group && used[open] > 0 && firstEmpty[open] != NONE) {
      return takeEmpty(open);
    }
    int large = free.first();
    if (large != NONE) {
      free.remove(large);
      return open(large, group);
    }
    large = idle.first();
    if (large != NONE) {
      clear(large);
      return open(large, group);
    }
    large = partial[group].first();
    if (large != NONE) {
      return takeEmpty(large);
    }
    int page = evictableInUse[group].first();
    if (page == NONE) {
      return NONE;
    }
    evictableInUse[group].remove(page);
    evictable[largeOf(page)]--;
    eviction.evicted(page);
    return use(page);
  }

  private int open(int large, int group) {
    groupOf[large] = group;
    firstEmpty[large] = large * stride;
    for (int i = 0; i < slotsPerPage[group]; i++) {
      nextEmpty[large * stride + i] = i + 1 < slotsPerPage[group] ? large * stride + i + 1 : NONE;
    }
    emptyOf[group] += slotsPerPage[group];
    partial[group].add(large);
    return takeEmpty(large);
  }

  private int takeEmpty(int large) {
    int group = groupOf[large];
    int page = firstEmpty[large];
    firstEmpty[large] = nextEmpty[page];
    emptyOf[group]--;
    if (firstEmpty[large] == NONE) {
      partial[group].remove(large);
    }
    return use(page);
  }

  private int use(int page) {
    int large = largeOf(page);
    references[page] = 1;
    used[large]++;
    usedOf[groupOf[large]]++;
    return page;
  }

  /** All small pages of an idle large page lose their prefixes. */
  private void clear(int large) {
    idle.remove(large);
    int group = groupOf[large];
    boolean[] isEmpty = new boolean[stride];
    for (int page = firstEmpty[large]; page != NONE; page = nextEmpty[page]) {
      isEmpty[page - large * stride] = true;
    }
    for (int i = 0; i < slotsPerPage[group]; i++) {
      if (!isEmpty[i]) {
        eviction.evicted(large * stride + i);
      }
    }
    evictable[large] = 0;
    groupOf[large] = NONE;
  }

  /** One more sequence uses a small page that has a prefix. */
  void share(int page) {
    if (references[page]++ > 0) {
      return;
    }
    int large = largeOf(page);
    int group = groupOf[large];
    evictable[large]--;
    if (used[large]++ == 0) {
      idle.remove(large);
      wake(large, group);
    }
    evictableInUse[group].remove(page);
    usedOf[group]++;
  }

  /** A large page comes into use again: its small ones count for its group. */
  private void wake(int large, int group) {
    boolean[] isEmpty = new boolean[stride];
    int empty = 0;
    for (int page = firstEmpty[large]; page != NONE; page = nextEmpty[page]) {
      isEmpty[page - large * stride] = true;
      empty++;
    }
    emptyOf[group] += empty;
    if (empty > 0) {
      partial[group].add(large);
    }
    for (int i = 0; i < slotsPerPage[group]; i++) {
      if (!isEmpty[i]) {
        evictableInUse[group].add(large * stride + i);
      }
    }
  }

  /** A sequence does not use a small page any more, which keeps its prefix if it has one. */
  void release(int page, boolean hasPrefix) {
    if (--references[page] > 0) {
      return;
    }
    int large = largeOf(page);
    int group = groupOf[large];
    usedOf[group]--;
    used[large]--;
    if (hasPrefix) {
      evictable[large]++;
      evictableInUse[group].add(page);
    } else {
      if (firstEmpty[large] == NONE) {
        partial[group].add(large);
      }
      nextEmpty[page] = firstEmpty[large];
      firstEmpty[large] = page;
      emptyOf[group]++;
    }
    if (used[large] == 0) {
      retire(large, group);
    }
  }

  /** No small page of a large one is in use any more. */
  private void retire(int large, int group) {
    int empty = 0;
    for (int page = firstEmpty[large]; page != NONE; page = nextEmpty[page]) {
      empty++;
    }
    emptyOf[group] -= empty;
    if (empty > 0) {
      partial[group].remove(large);
    }
    if (evictable[large] == 0) {
      groupOf[large] = NONE;
      free.add(large);
      return;
    }
    for (int i = 0; i < slotsPerPage[group]; i++) {
      if (evictableInUse[group].contains(large * stride + i)) {
        evictableInUse[group].remove(large * stride + i);
      }
    }
    idle.add(large);
  }
}
