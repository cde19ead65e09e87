package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.policy.pagedkv.PrefixIndex;
import org.allocsim.workloads.model.LayerGroup;

/**
 * Jenga's cache for models whose layers differ: small pages of each group of layers within large
 * pages that all groups share.
 *
 * <p><b>Rules.</b> A small page holds so many tokens of one group of layers; a large page is the
 * least common multiple of the small ones' bytes and is given to one group at a time ({@link
 * LargePages} has the five steps by which a page is found). A group whose layers look back at a
 * window gives up the pages that nobody looks back at; they can be evicted, and keep their prefixes
 * until then. A sequence begins with the longest prefix that every group has: all of its pages
 * where layers look back at everything, those of the last window where they do not.
 *
 * <p><b>Source.</b> Zhang et al., Jenga, SOSP 2025 (arXiv 2503.18292), sections on the two-level
 * allocator and on prefix caching, as known from its abstract and summaries: its text and its
 * source could not be read here. The rule for windows is vLLM's ({@link StoredPrefix}).
 *
 * <p><b>Deviations.</b> Of the paper's further ideas there is no predictor of common prefixes. What
 * a page was last used for is when its last sequence let it go.
 *
 * <p><b>Cost.</b> A small page takes constant time, a large page time linear in its small ones;
 * what is not lacking memory stays linear in the pages of a sequence.
 */
public final class JengaCache extends GroupedCache {
  private final long largeBytes;
  private final long[] smallBytes;
  private final LargePages pages;
  private final PrefixIndex stored;
  private final int[] wanted;

  /** By group and sequence: the large page opened last. */
  private final int[][] open;

  private long keptBytes;

  /** Of the last sequence that began: blocks that it wanted, and changes of what was stored. */
  private int lastBlocks;

  private long lastChanges;

  /**
   * A cache in which nothing is stored.
   *
   * @param groups the model's layers
   * @param capacityBytes memory that it may take
   * @param blockTokens tokens of a small page
   * @throws IllegalArgumentException where that is less than one large page for each group
   */
  public JengaCache(List<LayerGroup> groups, long capacityBytes, int blockTokens) {
    super(groups, capacityBytes, blockTokens);
    smallBytes = groups.stream().mapToLong(each -> blockTokens * each.bytesPerToken()).toArray();
    largeBytes = Arrays.stream(smallBytes).reduce(1, JengaCache::leastCommonMultiple);
    int count = CacheSize.pages(capacityBytes, largeBytes, groups.size(), "large pages");
    int[] slots = Arrays.stream(smallBytes).mapToInt(each -> (int) (largeBytes / each)).toArray();
    pages = new LargePages(count, slots, this::evicted);
    open = new int[groups.size()][16];
    wanted = new int[groups.size()];
    stored = new PrefixIndex(pages.smallPages());
  }

  private static long leastCommonMultiple(long a, long b) {
    long x = a;
    long y = b;
    while (y != 0) {
      long rest = x % y;
      x = y;
      y = rest;
    }
    return Math.multiplyExact(a / x, b);
  }

  /** Bytes of a large page. */
  public long largePageBytes() {
    return largeBytes;
  }

  /** Bytes of a small page of each group. */
  public long[] smallPageBytes() {
    return smallBytes.clone();
  }

  private int groupOf(int page) {
    return pages.groupOf(page);
  }

  private void evicted(int page) {
    keptBytes -= smallBytes[groupOf(page)];
    stored.remove(page);
  }

  @Override
  PrefixIndex stored() {
    return stored;
  }

  @Override
  public boolean begin(int sequence, SequenceStart start) {
    PrefixHashes prefix = start.prefix();
    int storedTokens = start.storedTokens();
    int count = start.tokens();
    int room = start.room();
    if (sequence >= open[0].length) {
      for (int group = 0; group < groups.length; group++) {
        int length = Math.max(sequence + 1, open[group].length * 2);
        open[group] = Arrays.copyOf(open[group], length);
      }
    }
    int shared = storedTokens / blockTokens;
    // To share pages makes no more room, and takes long where there are many.
    lastBlocks = blocksOf(room) - shared;
    lastChanges = stored.changes();
    if (!hasRoomFor(lastBlocks)) {
      return false;
    }
    skip(sequence, storedTokens);
    for (int group = 0; group < groups.length; group++) {
      open[group][sequence] = NONE;
      for (int block = 0; block < shared; block++) {
        int page = NONE;
        if (block >= skipped[group][sequence]) {
          page = holder(prefix, block, group);
          share(page, group);
        }
        lists[group].add(sequence, page);
      }
    }
    tokens.begin(sequence, storedTokens, storedTokens);
    prefixes.set(sequence, prefix);
    wastedBytes += wasteOf(sequence, 0);
    if (!extend(sequence, count, room)) {
      end(sequence, false);
      lastBlocks = 0;
      return false;
    }
    return true;
  }

  @Override
  public boolean mayHaveMoreRoom() {
    return stored.changes() != lastChanges || hasRoomFor(lastBlocks);
  }

  private void share(int page, int group) {
    if (pages.references(page) == 0) {
      keptBytes -= smallBytes[group];
    }
    pages.share(page);
  }

  @Override
  void release(int page, int group) {
    pages.release(page, stored.has(page));
    if (stored.has(page) && pages.references(page) == 0) {
      keptBytes += smallBytes[group];
    }
  }

  @Override
  boolean extend(int sequence, int count, int room) {
    int fresh = blocksOf(room) - lists[0].count(sequence);
    if (fresh > 0 && !takePages(sequence, fresh)) {
      return false;
    }
    wastedBytes -= wasteOf(sequence, Math.max(0, fresh));
    store(sequence, count);
    return true;
  }

  private boolean hasRoomFor(int blocks) {
    Arrays.fill(wanted, blocks);
    return pages.hasRoom(wanted);
  }

  /** Takes pages for further blocks in every group; all or none. */
  private boolean takePages(int sequence, int count) {
    if (!hasRoomFor(count)) {
      return false;
    }
    int before = lists[0].count(sequence);
    for (int group = 0; group < groups.length; group++) {
      for (int i = 0; i < count; i++) {
        int page = pages.take(group, open[group][sequence]);
        if (page == NONE) {
          giveBack(sequence, before);
          return false;
        }
        open[group][sequence] = pages.largeOf(page);
        lists[group].add(sequence, page);
      }
    }
    return true;
  }

  /** Groups took large pages away from each other, although there was room for all. */
  private void giveBack(int sequence, int blocks) {
    for (int group = 0; group < groups.length; group++) {
      while (lists[group].count(sequence) > blocks) {
        release(lists[group].removeLast(sequence), group);
      }
    }
  }

  @Override
  boolean holds(int count, int stepTokens) {
    return largePagesFor(count, stepTokens) <= pages.count();
  }

  private long largePagesFor(int count, int stepTokens) {
    long large = 0;
    for (int group = 0; group < groups.length; group++) {
      long small = blocksOf(count);
      int window = groups[group].windowTokens();
      long slots = largeBytes / smallBytes[group];
      if (window > 0) {
        // Both ends of a window may lie within a page, large or small.
        small = Math.min(small, (window + (long) stepTokens) / blockTokens + 2 + 2 * slots);
      }
      large += (small + slots - 1) / slots;
    }
    return large;
  }

  @Override
  public long mappedBytes() {
    return pages.count() * largeBytes;
  }

  @Override
  public long heldBytes() {
    long held = 0;
    for (int group = 0; group < groups.length; group++) {
      held += pages.usedOf(group) * smallBytes[group];
    }
    return held;
  }

  @Override
  public long wastedBytes() {
    return wastedBytes;
  }

  @Override
  public long strandedBytes() {
    long stranded = capacityBytes - mappedBytes();
    for (int group = 0; group < groups.length; group++) {
      stranded += pages.emptyOf(group) * smallBytes[group];
    }
    return stranded;
  }

  @Override
  public long keptPrefixBytes() {
    return keptBytes;
  }
}
