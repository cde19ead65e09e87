package org.allocsim.simulator.kvcache;

import java.util.ArrayList;
import java.util.Arrays;
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
public final class PagedCache implements KvCache {
  private static final int NONE = KvBlocks.NONE;

  private final LayerGroup[] groups;
  private final int blockTokens;
  private final long blockBytes;
  private final long capacityBytes;
  private final int watermarkBlocks;
  private final KvBlocks blocks;
  private final CacheLayout layout;
  private final BlockLists[] lists;
  private final StoredPrefix search;
  private final SequenceTokens tokens;
  private final RowPrefixes prefixes = new RowPrefixes();
  private final DriverWork driver = new DriverWork(DriverCosts.NONE);

  /** By group and sequence: blocks at the start that are given up. */
  private final int[][] skipped;

  /** By group: blocks that sequences hold. */
  private final long[] held;

  /** Bytes of sequences' blocks in which there is no token that will be read again. */
  private long wastedBytes;

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
    this.blockTokens = blockTokens;
    this.capacityBytes = capacityBytes;
    PageSharing sharing = PageSharing.of(kinds);
    groups = sharing.groups().toArray(LayerGroup[]::new);
    blockBytes = blockTokens * sharing.groupTokenBytes();
    int count = CacheSize.pages(capacityBytes, blockBytes, 2, "blocks");
    blocks = new KvBlocks(count);
    layout = CacheLayout.segments(segments(sharing, (long) count * blockTokens));
    blocks.take();
    watermarkBlocks = (int) (watermark * count);
    lists = new BlockLists[groups.length];
    Arrays.setAll(lists, _ -> new BlockLists());
    skipped = new int[groups.length][16];
    held = new long[groups.length];
    search = new StoredPrefix(groups, blockTokens);
    tokens = new SequenceTokens(List.of());
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

  private int holder(PrefixHashes prefix, int block, int group) {
    return blocks.holder(StoredPrefix.key(prefix.hash(block), group));
  }

  @Override
  public int storedTokens(PrefixHashes prefix, int mostTokens) {
    return search.blocks(
            mostTokens / blockTokens, (block, group) -> holder(prefix, block, group) != NONE)
        * blockTokens;
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
      return false;
    }
    if (sequence >= skipped[0].length) {
      int length = Math.max(sequence + 1, skipped[0].length * 2);
      Arrays.setAll(skipped, group -> Arrays.copyOf(skipped[group], length));
    }
    for (int group = 0; group < groups.length; group++) {
      skipped[group][sequence] = search.firstRead(group, storedTokens);
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

  private int share(PrefixHashes prefix, int block, int group) {
    int found = blocks.share(StoredPrefix.key(prefix.hash(block), group));
    held[group] += blocks.references(found) == 1 ? 1 : 0;
    return found;
  }

  private void release(int block, int group) {
    blocks.release(block);
    held[group] -= blocks.references(block) == 0 ? 1 : 0;
  }

  @Override
  public boolean grow(int sequence, int count, int room) {
    giveUp(sequence);
    int needed = (blocksOf(room) - lists[0].count(sequence)) * groups.length;
    if (needed > 0 && needed > blocks.freeCount()) {
      return false;
    }
    wastedBytes -= wasteOf(sequence);
    append(sequence, count, room);
    return true;
  }

  /** A sequence gives up the blocks that none of its windows reaches any more. */
  private void giveUp(int sequence) {
    for (int group = 0; group < groups.length; group++) {
      int first = search.firstRead(group, tokens.of(sequence));
      int before = skipped[group][sequence];
      if (first > before) {
        wastedBytes -= wasteOf(sequence);
        for (int block = first - 1; block >= before; block--) {
          release(lists[group].get(sequence, block), group);
          lists[group].set(sequence, block, NONE);
        }
        skipped[group][sequence] = first;
        wastedBytes += wasteOf(sequence);
      }
    }
  }

  /** Takes blocks that are there; the sequence's waste was subtracted. */
  private void append(int sequence, int count, int room) {
    int before = tokens.of(sequence);
    int target = blocksOf(room);
    for (int group = 0; group < groups.length; group++) {
      for (int missing = target - lists[group].count(sequence); missing > 0; missing--) {
        lists[group].add(sequence, blocks.take());
        held[group]++;
      }
    }
    tokens.set(sequence, count);
    wastedBytes += wasteOf(sequence);
    for (int block = before / blockTokens; block < count / blockTokens; block++) {
      remember(sequence, block);
    }
  }

  private void remember(int sequence, int block) {
    long prefix = prefixes.of(sequence).hash(block);
    for (int group = 0; group < groups.length; group++) {
      int own = lists[group].get(sequence, block);
      if (own != NONE) {
        blocks.remember(own, StoredPrefix.key(prefix, group));
      }
    }
  }

  private int blocksOf(int count) {
    return (count + blockTokens - 1) / blockTokens;
  }

  private long wasteOf(int sequence) {
    int count = tokens.of(sequence);
    long waste = 0;
    for (int group = 0; group < groups.length; group++) {
      long slots = (long) lists[group].count(sequence) * blockTokens;
      long given = (long) skipped[group][sequence] * blockTokens;
      waste += groups[group].wastedBytes(slots, count, given);
    }
    return waste;
  }

  @Override
  public void end(int sequence) {
    wastedBytes -= wasteOf(sequence);
    tokens.end(sequence);
    for (int group = 0; group < groups.length; group++) {
      while (lists[group].count(sequence) > 0) {
        int block = lists[group].removeLast(sequence);
        if (block != NONE) {
          release(block, group);
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
      if (blocksFor(middle, stepTokens) <= blocks.count() - 1L - watermarkBlocks) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
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
  public long capacityBytes() {
    return capacityBytes;
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

  @Override
  public DriverWork driverWork() {
    return driver;
  }
}
