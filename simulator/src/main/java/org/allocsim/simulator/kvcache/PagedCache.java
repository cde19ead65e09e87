package org.allocsim.simulator.kvcache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.policy.pagedkv.KvBlocks;

/**
 * vLLM's paged cache with prefix caching: blocks of a fixed number of tokens for all layers,
 * counted references, free blocks that keep their prefix until they are the longest unused.
 *
 * <p><b>Rules.</b> All memory is taken at the start; the first block is never used. A block that
 * became full holds its prefix under a hash. A sequence begins with the blocks whose prefixes it
 * has, the last token excepted, which must be computed. It gets all blocks that it asks for or
 * none; where it begins, a share of the blocks must stay free. Blocks come from the head of the
 * queue of free blocks and forget what they held. At its end they join the tail, the last one
 * first.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/kv_cache_manager.py} 003df29, {@code
 * v1/core/block_pool.py} 002f349; Kwon et al., SOSP 2023.
 *
 * <p><b>Deviations.</b> Layers with a window keep all tokens, as in PagedAttention and in vLLM
 * where its hybrid cache manager is off.
 *
 * <p><b>Cost.</b> Linear in the blocks that are taken or given back.
 */
public final class PagedCache implements KvCache {
  private final int blockTokens;
  private final long tokenBytes;
  private final long capacityBytes;
  private final int watermarkBlocks;
  private final KvBlocks blocks;
  private final CacheLayout layout;
  private final BlockLists lists = new BlockLists();
  private final SequenceTokens tokens;
  private final RowPrefixes prefixes = new RowPrefixes();
  private final DriverWork driver = new DriverWork(DriverCosts.NONE);

  /** Slots of the last blocks of sequences in which there is no token. */
  private long emptySlots;

  /**
   * A cache in which nothing is stored.
   *
   * @param groups the model's layers
   * @param capacityBytes memory that it may take
   * @param blockTokens tokens of a block
   * @param watermark share of the blocks that must stay free where a sequence begins
   * @throws IllegalArgumentException where that is less than two blocks or more than 2^26
   */
  public PagedCache(
      List<LayerGroup> groups, long capacityBytes, int blockTokens, double watermark) {
    this.blockTokens = blockTokens;
    this.capacityBytes = capacityBytes;
    tokenBytes = SequenceTokens.bytesPerToken(groups);
    tokens = new SequenceTokens(groups);
    int count = CacheSize.pages(capacityBytes, blockTokens * tokenBytes, 2, "blocks");
    blocks = new KvBlocks(count);
    layout = CacheLayout.segments(segments(groups, (long) count * blockTokens));
    blocks.take();
    watermarkBlocks = (int) (watermark * count);
  }

  /** A tensor for each layer, which PyTorch takes from the driver in whole pages. */
  private static List<Long> segments(List<LayerGroup> groups, long slots) {
    List<Long> bytes = new ArrayList<>();
    for (LayerGroup group : groups) {
      long pages = Math.ceilDiv(slots * group.tokenBytes(), DriverCosts.PAGE_BYTES);
      bytes.addAll(Collections.nCopies(group.layers(), pages * DriverCosts.PAGE_BYTES));
    }
    return bytes;
  }

  @Override
  public CacheLayout layout() {
    return layout;
  }

  @Override
  public int storedTokens(PrefixHashes prefix, int mostTokens) {
    int most = mostTokens / blockTokens;
    int found = 0;
    while (found < most && blocks.holder(prefix.hash(found)) != KvBlocks.NONE) {
      found++;
    }
    return found * blockTokens;
  }

  @Override
  public boolean begin(int sequence, PrefixHashes prefix, int storedTokens, int count, int room) {
    int shared = storedTokens / blockTokens;
    int unused = 0;
    for (int i = 0; i < shared; i++) {
      if (blocks.references(blocks.holder(prefix.hash(i))) == 0) {
        unused++;
      }
    }
    int needed = blocksOf(room) - shared + unused;
    if (needed > blocks.freeCount() - watermarkBlocks) {
      return false;
    }
    for (int i = 0; i < shared; i++) {
      lists.add(sequence, blocks.share(prefix.hash(i)));
    }
    tokens.begin(sequence, storedTokens, storedTokens - unused * blockTokens);
    prefixes.set(sequence, prefix);
    append(sequence, count, room);
    return true;
  }

  @Override
  public boolean grow(int sequence, int count, int room) {
    int needed = blocksOf(room) - lists.count(sequence);
    if (needed > 0 && needed > blocks.freeCount()) {
      return false;
    }
    append(sequence, count, room);
    return true;
  }

  private void append(int sequence, int count, int room) {
    int before = tokens.of(sequence);
    int target = blocksOf(room);
    for (int missing = target - lists.count(sequence); missing > 0; missing--) {
      lists.add(sequence, blocks.take());
      emptySlots += blockTokens;
    }
    emptySlots -= count - before;
    tokens.set(sequence, count);
    for (int block = before / blockTokens; block < count / blockTokens; block++) {
      blocks.remember(lists.get(sequence, block), prefixes.of(sequence).hash(block));
    }
  }

  private int blocksOf(int count) {
    return (count + blockTokens - 1) / blockTokens;
  }

  @Override
  public void end(int sequence) {
    emptySlots -= (long) lists.count(sequence) * blockTokens - tokens.of(sequence);
    tokens.end(sequence);
    while (lists.count(sequence) > 0) {
      blocks.release(lists.removeLast(sequence));
    }
  }

  @Override
  public int mostTokens(int stepTokens) {
    long count = blocks.count() - 1L - watermarkBlocks;
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, count) * blockTokens);
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long mappedBytes() {
    return blocks.count() * blockBytes();
  }

  @Override
  public long heldBytes() {
    return (blocks.count() - 1L - blocks.freeCount()) * blockBytes();
  }

  @Override
  public long wastedBytes() {
    return emptySlots * tokenBytes + tokens.outlivedBytes();
  }

  @Override
  public long strandedBytes() {
    return capacityBytes - (blocks.count() - 1) * blockBytes();
  }

  @Override
  public long keptPrefixBytes() {
    return (long) blocks.keptCount() * blockBytes();
  }

  @Override
  public DriverWork driverWork() {
    return driver;
  }

  private long blockBytes() {
    return blockTokens * tokenBytes;
  }
}
