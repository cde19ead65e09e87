package org.allocsim.simulator.policy.pagedkv;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;

/**
 * vLLM's paged cache of keys and values: blocks of a fixed number of tokens, obtained together at
 * the start; a sequence takes blocks as it grows, anywhere.
 *
 * <p><b>Rules.</b> A private pool of the trace is a sequence: a request routed to it appends
 * tokens, which fill the sequence's last block first. A request of the default pool is a sequence
 * of its own that never grows. Bytes are rounded up to whole tokens. Blocks are taken from the head
 * of a queue and join its end when their last token is freed, those of one request last one first;
 * the first block is never used. A request that finds too few blocks takes none.
 *
 * <p>The rest of a sequence's last block serves nobody else: it is reported as an inactive split,
 * so the waste of paging is {@code inactive_split_bytes}.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/block_pool.py} 002f349, {@code
 * config/cache.py} 002f10e; Kwon et al., SOSP 2023 (arXiv 2309.06180).
 *
 * <p><b>Deviations.</b> The blocks of a request are not contiguous: only attention kernels that
 * follow a block table can use such memory. So the result for a trace without sequences is a bound
 * of what paging could do for its sizes, not something that its program could run on. The size of
 * the cache is a share of all free memory; vLLM first takes off weights and activations, which are
 * not in a trace of sequences. No prefix is shared (see {@link KvBlocks}). Since 0.24 vLLM reuses
 * blocks without a known prefix first, such as a sequence's last one ({@link
 * KvBlocks#releaseByUse}); here all join the end. Preemption is the scheduler's, thus the trace's,
 * business.
 *
 * <p><b>Cost.</b> A request takes time linear in its blocks. <b>Limits.</b> One device, one thread;
 * 2^26 blocks.
 */
public final class PagedKvCache implements AllocatorPolicy {
  private static final int NONE = KvBlocks.NONE;

  /** Answer to whether a sequence can begin. */
  public enum Admission {
    /** There are blocks enough. */
    NOW,
    /** There will be when other sequences have ended. */
    LATER,
    /** The cache is too small. */
    NEVER
  }

  private final PagedKvSettings settings;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;

  @SuppressWarnings("NullAway.Init") // obtained by the first request
  private KvBlocks blocks;

  private long arenaAddress;

  /** By block: tokens written, tokens not freed, the sequence's next block, its pool. */
  private int[] filled = new int[0];

  private int[] live = new int[0];
  private int[] next = new int[0];
  private int[] poolOf = new int[0];

  /** Last block of each pool's sequence. */
  private int[] tailOf = new int[8];

  /** By allocation: block of the first token, its slot there, number of tokens, request. */
  private int[] firstBlock = new int[1024];

  private int[] firstSlot = new int[1024];
  private int[] tokensOf = new int[1024];
  private long[] requested = new long[1024];
  private int[] streamOf = new int[1024];

  private int[] released = new int[16];
  private int splitBlocks;
  private long splitBytes;

  /**
   * A cache that holds nothing until its first request.
   *
   * @param settings its shape
   * @param limitBytes bytes that it may hold from the device, −1 for no limit
   * @param device where its memory comes from
   * @param listener receives what it does
   */
  public PagedKvCache(
      PagedKvSettings settings, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.settings = settings;
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    Arrays.fill(tailOf, NONE);
    Arrays.fill(firstBlock, NONE);
  }

  /** Number of blocks that the settings make of the device's free memory now. */
  static long blocksFor(PagedKvSettings settings, long limitBytes, long freeBytes) {
    if (settings.blocks() > 0) {
      return settings.blocks();
    }
    long bytes = (long) (freeBytes * settings.memoryShare());
    return (limitBytes < 0 ? bytes : Math.min(bytes, limitBytes)) / settings.blockBytes();
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes < 0 || (blocks == null && !obtainBlocks())) {
      return outOfMemory(allocation, requestedBytes, stream, wantedBytes());
    }
    long tokens = tokens(requestedBytes);
    int tail = pool == 0 ? NONE : tail(pool);
    int room = tail == NONE ? 0 : settings.blockTokens() - filled[tail];
    long needed = blocksOf(tokens - room);
    if (needed > blocks.freeCount() || (tail == NONE && admission(tokens) != Admission.NOW)) {
      return outOfMemory(allocation, requestedBytes, stream, needed * settings.blockBytes());
    }
    remember(allocation, requestedBytes, (int) tokens, stream);
    append(allocation, (int) tokens, tail, pool);
    long address = addressOf(allocation);
    listener.blockAllocated(
        allocation, address, requestedBytes, tokens * settings.tokenBytes(), stream, false);
    settle();
    return address;
  }

  /** Whether a sequence of this many tokens can begin (V0's rule; without a watermark V1's). */
  public Admission admission(long tokens) {
    long needed = blocksOf(tokens);
    int kept = (int) (settings.watermark() * blocks.count());
    if (blocks.count() - needed < kept || needed > blocks.count() - 1) {
      return Admission.NEVER;
    }
    return blocks.freeCount() - needed >= kept ? Admission.NOW : Admission.LATER;
  }

  private long tokens(long bytes) {
    return bytes / settings.tokenBytes() + (bytes % settings.tokenBytes() == 0 ? 0 : 1);
  }

  private long blocksOf(long tokens) {
    return tokens <= 0 ? 0 : (tokens - 1) / settings.blockTokens() + 1;
  }

  private void append(int allocation, int tokens, int tail, int pool) {
    int block = tail;
    int missing = tokens;
    while (missing > 0) {
      if (block == NONE || filled[block] == settings.blockTokens()) {
        int fresh = blocks.take();
        filled[fresh] = 0;
        live[fresh] = 0;
        next[fresh] = NONE;
        poolOf[fresh] = pool;
        if (block != NONE) {
          next[block] = fresh;
        }
        block = fresh;
      }
      if (missing == tokens) {
        firstBlock[allocation] = block;
        firstSlot[allocation] = filled[block];
      }
      int written = Math.min(missing, settings.blockTokens() - filled[block]);
      countSplit(block, -1);
      filled[block] += written;
      live[block] += written;
      countSplit(block, 1);
      missing -= written;
    }
    if (pool != 0) {
      tailOf[pool] = block;
    }
  }

  @Override
  public void free(int allocation) {
    int block = allocation >= 0 && allocation < firstBlock.length ? firstBlock[allocation] : NONE;
    if (block == NONE) {
      return;
    }
    long address = addressOf(allocation);
    long bytes = tokensOf[allocation] * settings.tokenBytes();
    int stream = streamOf[allocation];
    listener.freeRequested(allocation, address, requested[allocation], bytes, stream, false);
    listener.freeCompleted(allocation, address, requested[allocation], bytes, stream, false);
    firstBlock[allocation] = NONE;
    int count = 0;
    int slot = firstSlot[allocation];
    for (int missing = tokensOf[allocation]; missing > 0; block = next[block]) {
      int freed = Math.min(missing, settings.blockTokens() - slot);
      countSplit(block, -1);
      live[block] -= freed;
      countSplit(block, 1);
      if (live[block] == 0) {
        if (count == released.length) {
          released = Arrays.copyOf(released, count * 2);
        }
        released[count++] = block;
      }
      missing -= freed;
      slot = 0;
    }
    while (count > 0) {
      giveBack(released[--count]);
    }
    settle();
  }

  private void giveBack(int block) {
    if (poolOf[block] != 0 && tailOf[poolOf[block]] == block) {
      tailOf[poolOf[block]] = NONE;
    }
    blocks.release(block);
  }

  /** Adds a block in use to the inactive splits, or takes it out, if part of it is empty. */
  private void countSplit(int block, int sign) {
    int empty = settings.blockTokens() - live[block];
    if (live[block] > 0 && empty > 0) {
      splitBlocks += sign;
      splitBytes += (long) sign * empty * settings.tokenBytes();
    }
  }

  private void settle() {
    if (splitBlocks != 0 || splitBytes != 0) {
      listener.inactiveSplitChanged(splitBlocks, splitBytes, false);
      splitBlocks = 0;
      splitBytes = 0;
    }
  }

  private long wantedBytes() {
    return blocksFor(settings, limitBytes, device.freeBytes()) * settings.blockBytes();
  }

  private boolean obtainBlocks() {
    long bytes = wantedBytes();
    if (bytes <= 0 || (limitBytes >= 0 && bytes > limitBytes)) {
      return false;
    }
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      return false;
    }
    arenaAddress = address;
    int count = (int) (bytes / settings.blockBytes());
    blocks = new KvBlocks(count);
    blocks.take();
    filled = new int[count];
    live = new int[count];
    next = new int[count];
    poolOf = new int[count];
    listener.segmentAllocated(address, bytes, 0, false);
    return true;
  }

  private long outOfMemory(int allocation, long requestedBytes, int stream, long segmentBytes) {
    return refused.report(allocation, requestedBytes, requestedBytes, segmentBytes, stream);
  }

  private long addressOf(int allocation) {
    return arenaAddress
        + firstBlock[allocation] * settings.blockBytes()
        + firstSlot[allocation] * settings.tokenBytes();
  }

  private int tail(int pool) {
    if (pool >= tailOf.length) {
      int known = tailOf.length;
      tailOf = Arrays.copyOf(tailOf, Math.max(pool + 1, known * 2));
      Arrays.fill(tailOf, known, tailOf.length, NONE);
    }
    return tailOf[pool];
  }

  private void remember(int allocation, long requestedBytes, int tokens, int stream) {
    if (allocation >= firstBlock.length) {
      int known = firstBlock.length;
      int length = Math.max(allocation + 1, known + (known >> 1));
      firstBlock = Arrays.copyOf(firstBlock, length);
      firstSlot = Arrays.copyOf(firstSlot, length);
      tokensOf = Arrays.copyOf(tokensOf, length);
      requested = Arrays.copyOf(requested, length);
      streamOf = Arrays.copyOf(streamOf, length);
      Arrays.fill(firstBlock, known, length, NONE);
    }
    requested[allocation] = requestedBytes;
    tokensOf[allocation] = tokens;
    streamOf[allocation] = stream;
  }

  /** Shows the blocks one by one, each with its runs of tokens and its empty parts. */
  @Override
  public void describeLayout(LayoutVisitor visitor) {
    if (blocks == null) {
      return;
    }
    int perBlock = settings.blockTokens();
    int[] rowOf = new int[blocks.count()];
    int rows = 0;
    for (int block = 0; block < rowOf.length; block++) {
      rowOf[block] = live[block] > 0 ? rows++ : NONE;
    }
    int[] owner = new int[rows * perBlock];
    Arrays.fill(owner, NONE);
    for (int allocation = 0; allocation < firstBlock.length; allocation++) {
      int slot = firstSlot[allocation];
      int missing = firstBlock[allocation] == NONE ? 0 : tokensOf[allocation];
      for (int block = firstBlock[allocation]; missing > 0; block = next[block]) {
        int run = Math.min(missing, perBlock - slot);
        int from = rowOf[block] * perBlock + slot;
        Arrays.fill(owner, from, from + run, allocation);
        missing -= run;
        slot = 0;
      }
    }
    visitor.segment(arenaAddress, rowOf.length * settings.blockBytes(), 0, false, 0, false);
    for (int block = 0; block < rowOf.length; block++) {
      describe(block, owner, rowOf[block] * perBlock, visitor);
    }
  }

  private void describe(int block, int[] owner, int row, LayoutVisitor visitor) {
    int perBlock = settings.blockTokens();
    long address = arenaAddress + block * settings.blockBytes();
    int slot = 0;
    while (slot < perBlock) {
      int allocation = row < 0 ? NONE : owner[row + slot];
      int after = slot + 1;
      while (after < perBlock && (row < 0 ? NONE : owner[row + after]) == allocation) {
        after++;
      }
      long bytes = (after - slot) * settings.tokenBytes();
      visitor.block(
          address + slot * settings.tokenBytes(),
          bytes,
          allocation == NONE ? 0 : share(allocation, block, slot, bytes),
          allocation == NONE
              ? LayoutVisitor.BlockState.INACTIVE
              : LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
          allocation);
      slot = after;
    }
  }

  /**
   * Part of its request that an allocation keeps in a run of a block: all but the last are full.
   */
  private long share(int allocation, int block, int slot, long bytes) {
    long before = 0;
    int at = firstBlock[allocation];
    int from = firstSlot[allocation];
    while (at != block) {
      before += settings.blockTokens() - from;
      from = 0;
      at = next[at];
    }
    before += slot - from;
    return Math.min(bytes, requested[allocation] - before * settings.tokenBytes());
  }
}
