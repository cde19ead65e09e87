package org.allocsim.simulator.kvcache;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.policy.pagedkv.KvBlocks;

/**
 * vLLM's paged cache with prefix caching: blocks of a fixed number of tokens, counted references,
 * free blocks that keep their prefix until they are the longest unused.
 *
 * <p><b>Rules.</b> All memory is taken at the start; the first block is never used. Layers are in
 * groups of equal size ({@link PageSharing}); a sequence has blocks of its own for each group, all
 * out of one pool. A block that became full holds its prefix under a hash, for its group. A
 * sequence begins with the blocks whose prefixes it has, the last token excepted, which must be
 * computed; of layers with a window it needs only those that the window reaches back to ({@link
 * StoredPrefix}). It gets all blocks that it asks for or none; where it begins, a share of the
 * blocks must stay free. Before it grows it gives up the blocks that no window reaches any more,
 * the last one first, whether there is room for it then or not. Blocks come from the head of the
 * queue of free blocks and forget what they held. At its end they join the tail, group by group,
 * the last one first.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/kv_cache_manager.py} 003df29, {@code
 * v1/core/block_pool.py} and {@code v1/core/single_type_kv_cache_manager.py} 002f349; Kwon et al.,
 * SOSP 2023.
 *
 * <p><b>Deviations.</b> A slot of a block that several sequences share, and that some of them do
 * not read any more, is wasted once for each of them.
 *
 * <p><b>Cost.</b> Linear in the groups, and in the blocks that are taken or given back.
 */
public final class PagedCache extends GroupedCache {
  private final long blockBytes;
  private final int watermarkBlocks;
  private final KvBlocks blocks;
  private final CacheLayout layout;

  /** By group: blocks that sequences hold. */
  private final long[] held;

  /** When a sequence last found no room: free blocks, and changes of what is stored. */
  private int lastFree;

  private long lastChanges;

  /**
   * A cache in which nothing is stored.
   *
   * @param kinds the model's layers
   * @param capacityBytes memory that it may take
   * @param blockTokens tokens of a block
   * @param watermark share of the blocks that must stay free where a sequence begins
   * @throws IllegalArgumentException where that is less than two blocks or more than 2^26
   */
  public PagedCache(List<LayerGroup> kinds, long capacityBytes, int blockTokens, double watermark) {
    this(PageSharing.of(kinds), capacityBytes, blockTokens, watermark);
  }

  private PagedCache(PageSharing sharing, long capacityBytes, int blockTokens, double watermark) {
    super(sharing.groups(), capacityBytes, blockTokens);
    blockBytes = blockTokens * sharing.groupTokenBytes();
    int count = CacheSize.pages(capacityBytes, blockBytes, 2, "blocks");
    blocks = new KvBlocks(count);
    layout = CacheLayout.segments(segments(sharing, (long) count * blockTokens));
    blocks.take();
    watermarkBlocks = (int) (watermark * count);
    held = new long[groups.length];
  }

  /** A tensor for each layer of a group, which PyTorch takes from the driver in whole pages. */
  private static List<Long> segments(PageSharing sharing, long slots) {
    List<Long> bytes = new ArrayList<>();
    for (long tokenBytes : sharing.tensorTokenBytes()) {
      long pages = Math.ceilDiv(slots * tokenBytes, DriverCosts.PAGE_BYTES);
      bytes.add(pages * DriverCosts.PAGE_BYTES);
    }
    return bytes;
  }

  @Override
  public CacheLayout layout() {
    return layout;
  }

  @Override
  int holder(long prefixKey) {
    return blocks.holder(prefixKey);
  }

  @Override
  void remember(int block, long prefixKey) {
    blocks.remember(block, prefixKey);
  }

  @Override
  void note(int block, long prefixKey) {
    blocks.note(block, prefixKey);
  }

  @Override
  void list(int block, long prefixKey) {
    blocks.list(block, prefixKey);
  }

  @Override
  public boolean begin(int sequence, PrefixHashes prefix, int storedTokens, int count, int room) {
    int shared = storedTokens / blockTokens;
    int needed = (blocksOf(room) - shared) * groups.length;
    for (int group = 0; group < groups.length; group++) {
      for (int block = search.firstRead(group, storedTokens); block < shared; block++) {
        needed += blocks.references(holder(prefix, block, group)) == 0 ? 1 : 0;
      }
    }
    if (needed > blocks.freeCount() - watermarkBlocks) {
      lastFree = blocks.freeCount();
      lastChanges = blocks.changes();
      return false;
    }
    skip(sequence, storedTokens);
    for (int group = 0; group < groups.length; group++) {
      for (int block = 0; block < shared; block++) {
        boolean isRead = block >= skipped[group][sequence];
        lists[group].add(sequence, isRead ? share(prefix, block, group) : NONE);
      }
    }
    tokens.begin(sequence, storedTokens, storedTokens);
    prefixes.set(sequence, prefix);
    append(sequence, count, room);
    return true;
  }

  @Override
  public boolean mayHaveMoreRoom() {
    return blocks.freeCount() > lastFree || blocks.changes() != lastChanges;
  }

  private int share(PrefixHashes prefix, int block, int group) {
    int found = blocks.share(StoredPrefix.key(prefix.hash(block), group));
    held[group] += blocks.references(found) == 1 ? 1 : 0;
    return found;
  }

  @Override
  void release(int block, int group) {
    blocks.release(block);
    held[group] -= blocks.references(block) == 0 ? 1 : 0;
  }

  @Override
  boolean extend(int sequence, int count, int room) {
    int needed = (blocksOf(room) - lists[0].count(sequence)) * groups.length;
    if (needed > 0 && needed > blocks.freeCount()) {
      return false;
    }
    wastedBytes -= wasteOf(sequence, 0);
    append(sequence, count, room);
    return true;
  }

  /** Takes blocks that are there; the sequence's waste was subtracted. */
  private void append(int sequence, int count, int room) {
    int target = blocksOf(room);
    for (int group = 0; group < groups.length; group++) {
      for (int missing = target - lists[group].count(sequence); missing > 0; missing--) {
        lists[group].add(sequence, blocks.take());
        held[group]++;
      }
    }
    store(sequence, count);
  }

  @Override
  boolean holds(int count, int stepTokens) {
    return blocksFor(count, stepTokens) <= blocks.count() - 1L - watermarkBlocks;
  }

  private long blocksFor(int count, int stepTokens) {
    long all = 0;
    for (LayerGroup group : groups) {
      long own = blocksOf(count);
      if (group.windowTokens() > 0) {
        // Both ends of what is read and added may lie within a block.
        own = Math.min(own, (group.windowTokens() - 2L + stepTokens) / blockTokens + 2);
      }
      all += own;
    }
    return all;
  }

  @Override
  public long mappedBytes() {
    return blocks.count() * blockBytes;
  }

  @Override
  public long heldBytes() {
    return (blocks.count() - 1L - blocks.freeCount()) * blockBytes;
  }

  @Override
  public long wastedBytes() {
    long padding = 0;
    for (int group = 0; group < groups.length; group++) {
      padding += held[group] * (blockBytes - blockTokens * groups[group].bytesPerToken());
    }
    return wastedBytes + padding;
  }

  @Override
  public long strandedBytes() {
    return capacityBytes - (blocks.count() - 1) * blockBytes;
  }

  @Override
  public long keptPrefixBytes() {
    return blocks.keptCount() * blockBytes;
  }
}
