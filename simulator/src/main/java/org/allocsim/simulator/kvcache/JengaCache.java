package org.allocsim.simulator.kvcache;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.policy.pagedkv.PrefixIndex;

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
public final class JengaCache implements KvCache {
  private static final int NONE = LargePages.NONE;

  private final LayerGroup[] groups;
  private final int blockTokens;
  private final long capacityBytes;
  private final long largeBytes;
  private final long[] smallBytes;
  private final LargePages pages;
  private final BlockLists[] lists;
  private final SequenceTokens tokens;
  private final RowPrefixes prefixes = new RowPrefixes();
  private final PrefixIndex stored;
  private final StoredPrefix search;
  private final DriverWork driver = new DriverWork(DriverCosts.NONE);
  private final int[] wanted;

  /** By group and sequence: the large page opened last; pages at the start that are given up. */
  private final int[][] open;

  private final int[][] skipped;

  private long keptBytes;
  private long wastedBytes;

  /**
   * A cache in which nothing is stored.
   *
   * @param groups the model's layers
   * @param capacityBytes memory that it may take
   * @param blockTokens tokens of a small page
   * @throws IllegalArgumentException where that is less than one large page for each group
   */
  public JengaCache(List<LayerGroup> groups, long capacityBytes, int blockTokens) {
    this.groups = groups.toArray(LayerGroup[]::new);
    this.blockTokens = blockTokens;
    this.capacityBytes = capacityBytes;
    smallBytes = groups.stream().mapToLong(each -> blockTokens * each.bytesPerToken()).toArray();
    largeBytes = Arrays.stream(smallBytes).reduce(1, JengaCache::leastCommonMultiple);
    int count = CacheSize.pages(capacityBytes, largeBytes, groups.size(), "large pages");
    int[] slots = Arrays.stream(smallBytes).mapToInt(each -> (int) (largeBytes / each)).toArray();
    pages = new LargePages(count, slots, this::evicted);
    lists = new BlockLists[groups.size()];
    Arrays.setAll(lists, _ -> new BlockLists());
    open = new int[groups.size()][16];
    skipped = new int[groups.size()][16];
    wanted = new int[groups.size()];
    tokens = new SequenceTokens(List.of());
    search = new StoredPrefix(this.groups, blockTokens);
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

  private int holder(PrefixHashes prefix, int block, int group) {
    return stored.holder(StoredPrefix.key(prefix.hash(block), group));
  }

  private int blocksOf(int count) {
    return (count + blockTokens - 1) / blockTokens;
  }

  @Override
  public int storedTokens(PrefixHashes prefix, int mostTokens) {
    return search.blocks(
            mostTokens / blockTokens, (block, group) -> holder(prefix, block, group) != NONE)
        * blockTokens;
  }

  @Override
  public boolean begin(int sequence, PrefixHashes prefix, int storedTokens, int count, int room) {
    if (sequence >= open[0].length) {
      for (int group = 0; group < groups.length; group++) {
        int length = Math.max(sequence + 1, open[group].length * 2);
        open[group] = Arrays.copyOf(open[group], length);
        skipped[group] = Arrays.copyOf(skipped[group], length);
      }
    }
    int shared = storedTokens / blockTokens;
    for (int group = 0; group < groups.length; group++) {
      open[group][sequence] = NONE;
      skipped[group][sequence] = search.firstRead(group, storedTokens);
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
    wastedBytes += wasteOf(sequence);
    if (!append(sequence, count, room)) {
      end(sequence);
      return false;
    }
    return true;
  }

  private void share(int page, int group) {
    if (pages.references(page) == 0) {
      keptBytes -= smallBytes[group];
    }
    pages.share(page);
  }

  private void release(int page, int group) {
    pages.release(page, stored.has(page));
    if (stored.has(page) && pages.references(page) == 0) {
      keptBytes += smallBytes[group];
    }
  }

  @Override
  public boolean grow(int sequence, int count, int room) {
    int before = tokens.of(sequence);
    for (int group = 0; group < groups.length; group++) {
      int first = search.firstRead(group, before);
      if (first > skipped[group][sequence]) {
        giveUp(sequence, group, first);
      }
    }
    return append(sequence, count, room);
  }

  /** A sequence gives up the pages before the first that it still reads, the last one first. */
  private void giveUp(int sequence, int group, int first) {
    wastedBytes -= wasteOf(sequence);
    for (int block = first - 1; block >= skipped[group][sequence]; block--) {
      release(lists[group].get(sequence, block), group);
      lists[group].set(sequence, block, NONE);
    }
    skipped[group][sequence] = first;
    wastedBytes += wasteOf(sequence);
  }

  private boolean append(int sequence, int count, int room) {
    int fresh = blocksOf(room) - lists[0].count(sequence);
    if (fresh > 0 && !takePages(sequence, fresh)) {
      return false;
    }
    int before = tokens.of(sequence);
    wastedBytes -= fresh > 0 ? wasteOf(sequence, fresh) : wasteOf(sequence);
    tokens.set(sequence, count);
    wastedBytes += wasteOf(sequence);
    for (int block = before / blockTokens; block < count / blockTokens; block++) {
      remember(sequence, block);
    }
    return true;
  }

  /** Takes pages for further blocks in every group; all or none. */
  private boolean takePages(int sequence, int count) {
    Arrays.fill(wanted, count);
    if (!pages.hasRoom(wanted)) {
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

  private void remember(int sequence, int block) {
    long prefix = prefixes.of(sequence).hash(block);
    for (int group = 0; group < groups.length; group++) {
      int page = lists[group].get(sequence, block);
      if (page != NONE) {
        stored.add(page, StoredPrefix.key(prefix, group));
      }
    }
  }

  private long wasteOf(int sequence) {
    return wasteOf(sequence, 0);
  }

  /** Bytes of a sequence's pages, the last few left out, that hold nothing that is read again. */
  private long wasteOf(int sequence, int withoutLast) {
    int count = tokens.of(sequence);
    long waste = 0;
    for (int group = 0; group < groups.length; group++) {
      long slots = (long) (lists[group].count(sequence) - withoutLast) * blockTokens;
      waste +=
          groups[group].wastedBytes(slots, count, (long) skipped[group][sequence] * blockTokens);
    }
    return waste;
  }

  @Override
  public void end(int sequence) {
    wastedBytes -= wasteOf(sequence);
    tokens.end(sequence);
    for (int group = 0; group < groups.length; group++) {
      while (lists[group].count(sequence) > 0) {
        int page = lists[group].removeLast(sequence);
        if (page != NONE) {
          release(page, group);
        }
      }
    }
  }

  @Override
  public int mostTokens(int stepTokens) {
    int low = 0;
    int high = Integer.MAX_VALUE - blockTokens;
    while (low < high) {
      int middle = low + (high - low) / 2 + (high - low) % 2;
      if (largePagesFor(middle, stepTokens) <= pages.count()) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
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
  public long capacityBytes() {
    return capacityBytes;
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

  @Override
  public DriverWork driverWork() {
    return driver;
  }
}
