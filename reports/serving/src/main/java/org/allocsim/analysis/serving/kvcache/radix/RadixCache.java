package org.allocsim.analysis.serving.kvcache.radix;

import java.util.Arrays;
import java.util.List;
import org.allocsim.analysis.serving.kvcache.DriverWork;
import org.allocsim.analysis.serving.kvcache.KvCache;
import org.allocsim.analysis.serving.kvcache.PrefixHashes;
import org.allocsim.analysis.serving.kvcache.SequenceStart;
import org.allocsim.analysis.serving.kvcache.SequenceTokens;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.workloads.model.LayerGroup;

/**
 * SGLang's cache: a pool of pages, of one token each unless told otherwise, and a tree of the
 * prefixes that they hold.
 *
 * <p><b>Rules.</b> All memory is taken at the start; page 0 is never used. A sequence locks the
 * prefix that it finds, the last token excepted, and takes pages for the rest; where too few are
 * free, prefixes are forgotten for just those that are missing. What it computed joins the tree
 * after each part of its prompt ({@link #share}) and at its end; of pages that another sequence put
 * there first, its own are given back, and it goes on with the other's. A sequence that is thrown
 * out leaves nothing behind but what the tree had. Pages that are not full are never shared.
 *
 * <p><b>Source.</b> sgl-project/sglang, {@code mem_cache/radix_cache.py} 385903b (12 August 2026),
 * {@code mem_cache/allocator} and {@code mem_cache/common.py} as they were then.
 *
 * <p><b>Compared.</b> With that source: hits, refusals, page numbers, free and evictable tokens in
 * 120 random sequences of 300 operations for each policy but {@code priority} and for pages of 1, 4
 * and 16 tokens, 2160 in all, all equal, on 29 November 2026.
 *
 * <p><b>Deviations.</b> All layers keep all tokens, as SGLang does for Gemma 2 and 3; for Llama 4,
 * gpt-oss and Gemma 4 that is {@code --disable-hybrid-swa-memory}, not the default ({@code
 * configs/model_config.py}, {@code is_hybrid_swa_model}, August 2026).
 *
 * <p><b>Cost.</b> That of {@link RadixTree}; a sequence that grows takes constant time for a page.
 */
public final class RadixCache implements KvCache {
  private static final int MOST_PAGES = 1 << 26;

  private final int pageTokens;
  private final long capacityBytes;
  private final long pageBytes;
  private final int pageCount;
  private final PageQueue free;
  private final RadixTree tree;
  private final SequenceTokens tokens;
  private final DriverWork driver = new DriverWork(DriverCosts.NONE);

  /** By sequence: what it is, its pages, how many, those of them in the tree, and their node. */
  private PrefixHashes[] prefixes = new PrefixHashes[16];

  private int[][] rows = new int[16][];
  private int[] counts = new int[16];
  private int[] shared = new int[16];
  private int[] nodes = new int[16];

  /** Slots of pages of running sequences without a token. */
  private long emptySlots;

  /**
   * A cache in which nothing is stored.
   *
   * @param groups the model's layers
   * @param capacityBytes memory that it may take
   * @param pageTokens tokens of a page ({@code --page-size})
   * @param policy which prefixes are forgotten first
   * @throws IllegalArgumentException where that is less than two pages or more than 2^26
   */
  public RadixCache(
      List<LayerGroup> groups, long capacityBytes, int pageTokens, EvictionPolicy policy) {
    this.pageTokens = pageTokens;
    this.capacityBytes = capacityBytes;
    pageBytes = pageTokens * LayerGroup.bytesPerToken(groups);
    long pages = capacityBytes / pageBytes;
    if (pages < 2 || pages > MOST_PAGES) {
      throw new IllegalArgumentException(
          "%d bytes are %d pages of %d bytes; a cache has 2 to %d"
              .formatted(capacityBytes, pages, pageBytes, MOST_PAGES));
    }
    pageCount = (int) pages;
    free = new PageQueue(pageCount - 1, pageTokens > 1);
    tree = new RadixTree(policy, free);
    tokens = new SequenceTokens(groups);
  }

  /** Tokens for which pages are free. */
  public long availableTokens() {
    return (long) free.size() * pageTokens;
  }

  /** Tokens of prefixes that can be forgotten. */
  public long evictableTokens() {
    return (long) tree.evictable() * pageTokens;
  }

  /** Tokens that the cache has room for. */
  public long poolTokens() {
    return (pageCount - 1L) * pageTokens;
  }

  /** Forgets prefixes until pages for so many tokens are free, or none is left. */
  public void makeRoom(long count) {
    if (availableTokens() < count) {
      tree.evict((int) Math.min(pageCount, Math.ceilDiv(count - availableTokens(), pageTokens)));
    }
  }

  /** Pages that are given back from now on come back together. */
  public void startGroup() {
    free.startGroup();
  }

  /** Ends what {@link #startGroup} began. */
  public void endGroup() {
    free.endGroup();
  }

  @Override
  public int storedTokens(PrefixHashes prefix, int mostTokens) {
    tree.search(prefix, mostTokens / pageTokens);
    return tree.found() * pageTokens;
  }

  @Override
  public boolean mayStore(PrefixHashes prefix, int block) {
    return true;
  }

  /** Locks what the last search found, so that it is not forgotten; undone by {@link #release}. */
  public int hold() {
    int node = tree.foundNode();
    tree.lock(node);
    return node;
  }

  /** Undoes a {@link #hold}. */
  public void release(int held) {
    tree.unlock(held);
  }

  /**
   * Begins a sequence. What the last {@link #storedTokens} found is what it shares.
   *
   * @return whether there was room
   */
  @Override
  public boolean begin(int sequence, SequenceStart start) {
    int held = hold();
    boolean begins = begin(sequence, start, held);
    if (!begins) {
      release(held);
    }
    return begins;
  }

  /**
   * Begins a sequence for which its prefix is held; it goes on holding it.
   *
   * @param held what {@link #hold} answered after its prefix was searched
   * @return whether there was room
   */
  public boolean begin(int sequence, SequenceStart start, int held) {
    int found = start.storedTokens() / pageTokens;
    int needed = pagesOf(start.room()) - found;
    if (!takes(needed)) {
      return false;
    }
    reserve(sequence);
    prefixes[sequence] = start.prefix();
    nodes[sequence] = held;
    shared[sequence] = found;
    row(sequence, found);
    tree.copyPages(held, rows[sequence], found);
    counts[sequence] = found;
    tokens.begin(sequence, start.storedTokens(), start.storedTokens());
    append(sequence, needed, start.tokens());
    return true;
  }

  private boolean takes(int needed) {
    if (needed > free.size()) {
      makeRoom((long) needed * pageTokens);
    }
    return needed <= free.size();
  }

  private void append(int sequence, int needed, int count) {
    row(sequence, counts[sequence] + needed);
    for (int i = 0; i < needed; i++) {
      rows[sequence][counts[sequence]++] = free.take();
    }
    emptySlots += (long) Math.max(0, needed) * pageTokens - (count - tokens.of(sequence));
    tokens.set(sequence, count);
  }

  private void reserve(int sequence) {
    if (sequence >= counts.length) {
      int length = Math.max(sequence + 1, counts.length * 2);
      prefixes = Arrays.copyOf(prefixes, length);
      rows = Arrays.copyOf(rows, length);
      counts = Arrays.copyOf(counts, length);
      shared = Arrays.copyOf(shared, length);
      nodes = Arrays.copyOf(nodes, length);
    }
  }

  private void row(int sequence, int length) {
    int[] row = rows[sequence];
    if (row == null) {
      rows[sequence] = new int[Math.max(64, length)];
    } else if (length > row.length) {
      rows[sequence] = Arrays.copyOf(row, Math.max(length, row.length * 2));
    }
  }

  @Override
  public boolean grow(int sequence, int count, int room) {
    int needed = pagesOf(room) - counts[sequence];
    if (needed > 0 && !takes(needed)) {
      return false;
    }
    append(sequence, Math.max(0, needed), count);
    return true;
  }

  /**
   * Others can share from now on what a sequence has computed so far.
   *
   * @param isPart whether the rest of its prompt comes later
   */
  public void share(int sequence, boolean isPart) {
    int full = tokens.of(sequence) / pageTokens;
    insert(sequence, full, isPart);
    int node = tree.foundNode();
    tree.touchPath(node);
    tree.copyPages(node, rows[sequence], full);
    tree.unlock(nodes[sequence]);
    tree.lock(node);
    nodes[sequence] = node;
    shared[sequence] = full;
  }

  /** Inserts what a sequence has, and gives back the pages that the tree had already. */
  private void insert(int sequence, int full, boolean isPart) {
    tree.insert(
        prefixes[sequence], full, nodes[sequence], shared[sequence], rows[sequence], isPart, 0);
    free.release(rows[sequence], shared[sequence], tree.found());
  }

  @Override
  public void end(int sequence, boolean comesBack) {
    int full = tokens.of(sequence) / pageTokens;
    if (comesBack) {
      free.release(rows[sequence], shared[sequence], full);
    } else {
      insert(sequence, full, false);
    }
    free.release(rows[sequence], full, counts[sequence]);
    tree.unlock(nodes[sequence]);
    emptySlots -= (long) counts[sequence] * pageTokens - tokens.of(sequence);
    tokens.end(sequence);
    counts[sequence] = 0;
  }

  private int pagesOf(int count) {
    return (count + pageTokens - 1) / pageTokens;
  }

  /** The pages of a sequence. */
  int[] pages(int sequence) {
    return Arrays.copyOf(rows[sequence], counts[sequence]);
  }

  @Override
  public int mostTokens(int stepTokens) {
    return (int) Math.min(Integer.MAX_VALUE, poolTokens() - 1 - pageTokens);
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long mappedBytes() {
    return pageCount * pageBytes;
  }

  @Override
  public long heldBytes() {
    return (pageCount - 1L - free.size() - tree.evictable()) * pageBytes;
  }

  @Override
  public long wastedBytes() {
    return emptySlots * (pageBytes / pageTokens) + tokens.outlivedBytes();
  }

  @Override
  public long strandedBytes() {
    return capacityBytes - (pageCount - 1L) * pageBytes;
  }

  @Override
  public long keptPrefixBytes() {
    return tree.evictable() * pageBytes;
  }

  @Override
  public DriverWork driverWork() {
    return driver;
  }
}
