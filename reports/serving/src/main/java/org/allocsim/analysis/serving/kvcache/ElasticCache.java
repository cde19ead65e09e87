package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.policy.pagedkv.PrefixIndex;
import org.allocsim.workloads.model.LayerGroup;

/**
 * kvcached's elastic cache for vLLM: paged blocks in pages that are mapped when they are needed and
 * given back to the device when they are empty, so that others can have the memory.
 *
 * <p><b>Rules.</b> A page is 2 MiB of each layer's keys and as much of its values, all in one
 * handle. Blocks of a sequence come from the fullest page that has enough, else the emptiest; a
 * thread keeps five pages mapped in reserve, and up to ten emptied pages stay so, the others are
 * unmapped. At a sequence's end full blocks keep their prefix, of all sequences together up to
 * 16,000 tokens; beyond that those go whose pages become empty, the cheapest first, then the
 * longest unused. Where a sequence needs their room, the longest unused go first. Block 0 is never
 * used.
 *
 * <p><b>Source.</b> ovg-project/kvcached, {@code kvcached/kv_cache_manager.py}, {@code
 * csrc/page_allocator.cpp}, {@code kvcached/integration/vllm/patches.py} e8e6406.
 *
 * <p><b>Deviations.</b> The thread that maps in advance has done so before the next call. All
 * layers keep all tokens. Pages that are not mapped are backed by no memory; the product maps one
 * common page there.
 *
 * <p><b>Cost.</b> A block takes constant time; trimming prefixes is linear in the blocks of the
 * pages that become empty, each of which takes the logarithm of the pages.
 */
public final class ElasticCache implements KvCache {
  /** Page in one layer's keys or values. */
  public static final long PAGE_BYTES = 2L << 20;

  /** Tokens whose blocks are kept for a prefix (KVCACHED_MAX_CACHED_TOKENS). */
  public static final int MOST_KEPT_TOKENS = 16_000;

  private final int blockTokens;
  private final int mostKept;
  private final long tokenBytes;
  private final long capacityBytes;
  private final long unitBytes;
  private final int unitBlocks;
  private final int pageCount;
  private final boolean fitsWhole;
  private final DriverWork driver;
  private final ElasticPages pages;
  private final BlockLists lists = new BlockLists();
  private final SequenceTokens tokens;
  private final RowPrefixes prefixes = new RowPrefixes();
  private final PrefixIndex stored;

  /** By block: sequences that use it. */
  private final int[] references;

  /** Blocks that nobody uses and that keep a prefix, the longest unused first. */
  private final RecentOrder kept;

  private final KeptPages keptPages;

  private long heldBlocks;
  private long emptySlots;
  private int[] taken = new int[64];
  private int[] found = new int[64];

  /** Blocks that are to be given back together. */
  private int[] given = new int[64];

  private int givenCount;

  /** Changes of what is stored when a sequence last found no room. */
  private long lastChanges;

  /**
   * A cache in which nothing is stored.
   *
   * @param groups the model's layers
   * @param capacityBytes memory that it may take
   * @param blockTokens tokens of a block
   * @param driver counts its calls of the driver
   * @throws IllegalArgumentException where that is less than a page, or a block is larger than one
   */
  public ElasticCache(
      List<LayerGroup> groups, long capacityBytes, int blockTokens, DriverWork driver) {
    this(groups, capacityBytes, blockTokens, driver, false);
  }

  /**
   * The same by the rules of a release of vLLM.
   *
   * @param fitsWhole whether a sequence begins only if all that it has so far fits ({@link
   *     PagedRules#fitsWhole})
   */
  public ElasticCache(
      List<LayerGroup> groups,
      long capacityBytes,
      int blockTokens,
      DriverWork driver,
      boolean fitsWhole) {
    this.blockTokens = blockTokens;
    this.fitsWhole = fitsWhole;
    this.capacityBytes = capacityBytes;
    mostKept = Math.max(1, MOST_KEPT_TOKENS / blockTokens);
    tokenBytes = LayerGroup.bytesPerToken(groups);
    tokens = new SequenceTokens(groups);
    this.driver = driver;
    // Layers that differ share pages in proportion: the largest fills its page.
    long largest = groups.stream().mapToLong(LayerGroup::tokenBytes).max().orElseThrow();
    long blockBytes = blockTokens * (largest / 2);
    if (blockBytes > PAGE_BYTES) {
      throw new IllegalArgumentException(
          "a block of %d bytes is larger than a page of %d".formatted(blockBytes, PAGE_BYTES));
    }
    unitBlocks = (int) (PAGE_BYTES / blockBytes);
    unitBytes = groups.stream().mapToLong(group -> 2L * group.layers() * PAGE_BYTES).sum();
    pageCount = CacheSize.pages(capacityBytes, unitBytes, 1, "pages of all layers");
    pages = new ElasticPages(pageCount, PAGE_BYTES, blockBytes, unitBytes, driver);
    int blocks = pages.blockCount();
    references = new int[blocks];
    stored = new PrefixIndex(blocks);
    kept = new RecentOrder(blocks);
    keptPages = new KeptPages(pages, pageCount);
    pages.take(1, taken);
  }

  @Override
  public CacheLayout layout() {
    return new CacheLayout(List.of(pageCount * unitBytes), unitBytes, 0);
  }

  @Override
  public int storedTokens(PrefixHashes prefix, int mostTokens) {
    int most = mostTokens / blockTokens;
    int found = 0;
    while (found < most && holder(prefix, found) != PrefixIndex.NONE) {
      found++;
    }
    return found * blockTokens;
  }

  @Override
  public boolean mayStore(PrefixHashes prefix, int block) {
    return holder(prefix, block) != PrefixIndex.NONE;
  }

  @Override
  public boolean begin(int sequence, SequenceStart start) {
    PrefixHashes prefix = start.prefix();
    int storedTokens = start.storedTokens();
    int count = start.tokens();
    int room = start.room();
    int shared = storedTokens / blockTokens;
    int needed = blocksOf(room) - shared;
    int unused = find(prefix, shared);
    int asked = fitsWhole ? Math.max(needed, blocksOf(start.wholeTokens()) - shared) : needed;
    if (asked + unused > pages.available() + kept.size()) {
      lastChanges = stored.changes();
      return false;
    }
    for (int i = 0; i < shared; i++) {
      use(found[i]);
    }
    if (!takeBlocks(needed)) {
      for (int i = shared - 1; i >= 0; i--) {
        release(found[i]);
      }
      giveBack();
      lastChanges = stored.changes();
      return false;
    }
    for (int i = 0; i < shared; i++) {
      lists.add(sequence, found[i]);
    }
    tokens.begin(sequence, storedTokens, storedTokens - unused * blockTokens);
    prefixes.set(sequence, prefix);
    append(sequence, needed, count);
    return true;
  }

  /** Finds the blocks of a prefix; answers how many of them nobody uses. */
  private int find(PrefixHashes prefix, int blocks) {
    if (blocks > found.length) {
      found = new int[Math.max(blocks, 2 * found.length)];
    }
    int unused = 0;
    for (int i = 0; i < blocks; i++) {
      found[i] = holder(prefix, i);
      if (references[found[i]] == 0) {
        unused++;
      }
    }
    return unused;
  }

  /** Sequences that go on give nothing up, so only more of a prefix helps. */
  @Override
  public boolean mayHaveMoreRoom() {
    return stored.changes() != lastChanges;
  }

  private int holder(PrefixHashes prefix, int block) {
    return stored.holder(prefix.hash(block));
  }

  @Override
  public boolean grow(int sequence, int count, int room) {
    int before = tokens.of(sequence);
    if (count / blockTokens == before / blockTokens
        && room <= lists.count(sequence) * blockTokens) {
      emptySlots -= count - before;
      tokens.set(sequence, count);
      return true;
    }
    int needed = blocksOf(room) - lists.count(sequence);
    if (needed > 0 && (needed > pages.available() + kept.size() || !takeBlocks(needed))) {
      return false;
    }
    append(sequence, needed, count);
    return true;
  }

  /** Takes blocks off the pages into {@link #taken}; prefixes make room for them. */
  private boolean takeBlocks(int count) {
    if (count > taken.length) {
      taken = new int[count];
    }
    for (long missing = count - pages.available(); missing > 0 && kept.size() > 0; missing--) {
      forget(kept.first());
    }
    giveBack();
    return count <= 0 || pages.take(count, taken);
  }

  private void append(int sequence, int fresh, int count) {
    for (int i = 0; i < fresh; i++) {
      references[taken[i]] = 1;
      lists.add(sequence, taken[i]);
    }
    heldBlocks += Math.max(0, fresh);
    int before = tokens.of(sequence);
    emptySlots += (long) Math.max(0, fresh) * blockTokens - (count - before);
    tokens.set(sequence, count);
    PrefixHashes prefix = prefixes.of(sequence);
    for (int i = before / blockTokens; i < count / blockTokens; i++) {
      if (prefix.isOwn(i)) {
        stored.note(lists.get(sequence, i), prefix.hash(i));
      } else {
        stored.add(lists.get(sequence, i), prefix.hash(i));
      }
    }
  }

  private int blocksOf(int count) {
    return (count + blockTokens - 1) / blockTokens;
  }

  private void use(int block) {
    if (references[block]++ == 0) {
      kept.remove(block);
      keptPages.remove(block);
      heldBlocks++;
    }
  }

  private void release(int block) {
    if (--references[block] > 0) {
      return;
    }
    heldBlocks--;
    if (stored.has(block)) {
      kept.add(block);
      keptPages.add(block);
    } else {
      collect(block);
    }
  }

  /** A block is to be given back, with others. */
  private void collect(int block) {
    if (givenCount == given.length) {
      given = Arrays.copyOf(given, 2 * givenCount);
    }
    given[givenCount++] = block;
  }

  /** Gives back what was collected. */
  private void giveBack() {
    if (givenCount > 0) {
      pages.give(given, givenCount);
      for (int i = 0; i < givenCount; i++) {
        keptPages.given(given[i]);
      }
      givenCount = 0;
    }
  }

  @Override
  public void end(int sequence, boolean comesBack) {
    int blocks = lists.count(sequence);
    int full = tokens.of(sequence) / blockTokens;
    emptySlots -= (long) blocks * blockTokens - tokens.of(sequence);
    tokens.end(sequence);
    for (int i = blocks - 1; i >= 0; i--) {
      release(lists.get(sequence, i));
    }
    giveBack();
    if (kept.size() > mostKept) {
      trim(kept.size() - mostKept);
      giveBack();
    }
    if (comesBack) {
      listOwn(sequence, full);
    }
    lists.clear(sequence);
  }

  /** A sequence will look for its own prefixes, of which few are left. */
  private void listOwn(int sequence, int full) {
    PrefixHashes prefix = prefixes.of(sequence);
    for (int i = 0; i < full; i++) {
      int block = lists.get(sequence, i);
      if (prefix.isOwn(i) && stored.isNoted(block)) {
        stored.list(block, prefix.hash(i));
      }
    }
  }

  /** Forgets prefixes, of pages that become empty by it first. */
  private void trim(int count) {
    int left = count;
    int page = keptPages.fewest();
    while (page != KeptPages.NONE && keptPages.count(page) <= left) {
      left -= keptPages.count(page);
      for (int block = pages.startBlock(page); block < pages.endBlock(page); block++) {
        if (kept.contains(block)) {
          forget(block);
        }
      }
      page = keptPages.fewest();
    }
    for (; left > 0; left--) {
      forget(kept.first());
    }
  }

  private void forget(int block) {
    kept.remove(block);
    keptPages.remove(block);
    stored.remove(block);
    collect(block);
  }

  @Override
  public int mostTokens(int stepTokens) {
    return (int) Math.min(Integer.MAX_VALUE, ((long) pageCount * unitBlocks - 1) * blockTokens);
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long mappedBytes() {
    return pages.mappedPages() * unitBytes;
  }

  @Override
  public long heldBytes() {
    return heldBlocks * blockTokens * tokenBytes;
  }

  @Override
  public long wastedBytes() {
    return emptySlots * tokenBytes + tokens.outlivedBytes();
  }

  @Override
  public long strandedBytes() {
    return capacityBytes - ((long) pageCount * unitBlocks - 1) * blockTokens * tokenBytes;
  }

  @Override
  public long keptPrefixBytes() {
    return (long) kept.size() * blockTokens * tokenBytes;
  }

  @Override
  public DriverWork driverWork() {
    return driver;
  }

  /** Pages that are mapped and empty. */
  int reservedPages() {
    return pages.reservedPages();
  }
}
