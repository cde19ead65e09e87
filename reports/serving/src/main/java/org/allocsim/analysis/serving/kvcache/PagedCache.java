package org.allocsim.analysis.serving.kvcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.policy.pagedkv.KvBlocks;
import org.allocsim.simulator.policy.pagedkv.PrefixIndex;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.PageSharing;

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
 * queue of free blocks and forget what they held. At its end they join the queue, group by group,
 * the last one first. {@link PagedRules} has what differs between releases.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/kv_cache_manager.py}, {@code
 * v1/core/kv_cache_coordinator.py}, {@code v1/core/block_pool.py} and {@code
 * v1/core/single_type_kv_cache_manager.py}; Kwon et al., SOSP 2023.
 *
 * <p>A layer that looks back at chunks gives up what is before its own; a prefix may end where one
 * does.
 *
 * <p>Layers that keep a state ({@link LayerGroup#keepsState}) have a block for the state at the end
 * of each step that filled one; the state before it is given up when no step reads it any more. A
 * prefix needs only the state at its end, and one that is computed in this step is found in the
 * next.
 *
 * <p><b>Compared.</b> With that source at 15b1511 (December 2025), 6bdabba (31 May 2026), 1d3a8b9
 * (17 August 2026) and the commits of {@link PagedRules}: hits, refusals, block numbers and counts
 * of free blocks in 120 random sequences of 300 operations for each commit and kind (no window, one
 * window, both, two windows, both and two), all equal, on 29 November 2026; on the next day the
 * same with chunks (alone, with no window, with that and one, with a window, two), and with states
 * (one or two groups beside one without a window, and with one beside) at 15b1511, 95ed0fe (10
 * July), 1d3a8b9 and 017e9f4. Drafts were not compared.
 *
 * <p><b>Deviations.</b> A slot of a block that several sequences share, and that some of them do
 * not read any more, is wasted once for each of them.
 *
 * <p><b>Cost.</b> Linear in the groups, and in the blocks that are taken or given back.
 */
public final class PagedCache extends GroupedCache {
  private final long blockBytes;
  private final PagedRules rules;
  private final boolean hasHead;

  /** Tokens that steps that are not over may have taken room for. */
  private final int inFlightTokens;

  /** Groups that keep a state, and whether anything is remembered. */
  private final int stateGroups;

  private final boolean keepsPrefixes;

  /** By block: the step in which it came to hold a state, and the step now. */
  private final int[] storedIn;

  private int step = 1;
  private boolean wasDeferred;

  private final int watermarkBlocks;
  private final KvBlocks blocks;
  private final CacheLayout layout;

  /** By group: blocks that sequences hold. */
  private final long[] held;

  /** When a sequence last found no room: free blocks, and changes of what is stored. */
  private int lastFree;

  private long lastChanges;

  /** Free blocks without which it finds none as long as nothing more is stored. */
  private long lastNeeded;

  private long lastAdditions;

  /** Whether blocks are released because their sequence ends. */
  private boolean isEnding;

  /** By sequence: tokens of its prompt, and of what others had of it where it began, or 0. */
  private int[] promptTokens = new int[16];

  private int[] junction = new int[16];

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
    this(kinds, capacityBytes, blockTokens, watermark, PagedRules.FIRST, Integer.MAX_VALUE, false);
  }

  /**
   * The same by the rules of a release.
   *
   * @param inFlightTokens tokens that steps that are not over may have taken room for, at most
   * @param hasHead whether a draft needs the hidden states of a stored prefix, so that the last
   *     block of one is computed again
   */
  public PagedCache(
      List<LayerGroup> kinds,
      long capacityBytes,
      int blockTokens,
      double watermark,
      PagedRules rules,
      int inFlightTokens,
      boolean hasHead) {
    this(
        PageSharing.of(kinds, rules.padding()),
        capacityBytes,
        blockTokens,
        watermark,
        rules,
        inFlightTokens,
        hasHead);
  }

  private PagedCache(
      PageSharing sharing,
      long capacityBytes,
      int blockTokens,
      double watermark,
      PagedRules rules,
      int inFlightTokens,
      boolean hasHead) {
    super(sharing.groups(), capacityBytes, blockTokens);
    for (LayerGroup group : groups) {
      if (group.isChunked() && group.windowTokens() % blockTokens != 0) {
        throw new IllegalArgumentException(
            "chunks of %d tokens that layers look back at are not whole blocks of %d"
                .formatted(group.windowTokens(), blockTokens));
      }
    }
    if (groups[0].keepsState()) {
      throw new IllegalArgumentException(
          "a model all of whose layers keep a state is not simulated");
    }
    stateGroups = (int) Arrays.stream(groups).filter(LayerGroup::keepsState).count();
    keepsPrefixes = stateGroups == 0 || rules.keepsStates();
    this.rules = rules;
    this.inFlightTokens = inFlightTokens;
    this.hasHead = hasHead;
    blockBytes = blockTokens * sharing.groupTokenBytes();
    int count = CacheSize.pages(capacityBytes, blockBytes, 2, "blocks");
    blocks = new KvBlocks(count);
    layout = CacheLayout.segments(segments(sharing, (long) count * blockTokens));
    blocks.take();
    watermarkBlocks = (int) (watermark * count);
    held = new long[groups.length];
    storedIn = new int[stateGroups > 0 ? count : 0];
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
  PrefixIndex stored() {
    return blocks.prefixes();
  }

  @Override
  public boolean begin(int sequence, SequenceStart start) {
    PrefixHashes prefix = start.prefix();
    int shared = start.storedTokens() / blockTokens;
    int unused = unused(prefix, start.storedTokens());
    boolean keepsSomeFree = start.isBesideOthers() || !rules.watermarkBesideOthers();
    int room = blocks.freeCount() - (keepsSomeFree ? watermarkBlocks : 0);
    boolean fits =
        (blocksOf(start.room()) - shared) * (groups.length - stateGroups) + stateGroups + unused
            <= room;
    wasDeferred = isStoredInThisStep(prefix, shared);
    if (wasDeferred || !fits || (rules.fitsWhole() && wholeBlocks(start) + unused > room)) {
      noteRefusal(start);
      return false;
    }
    noteEnds(sequence, start);
    skip(sequence, start.storedTokens());
    for (int group = 0; group < groups.length; group++) {
      for (int block = 0; block < shared; block++) {
        boolean isRead = block >= skipped[group][sequence];
        lists[group].add(sequence, isRead ? share(prefix, block, group) : NONE);
      }
    }
    tokens.begin(sequence, start.storedTokens(), start.storedTokens());
    prefixes.set(sequence, prefix);
    append(sequence, start.tokens(), start.room());
    return true;
  }

  @Override
  public void startStep() {
    step++;
  }

  @Override
  boolean keepsPrefixes() {
    return keepsPrefixes;
  }

  @Override
  void remembered(int group, long prefixKey) {
    if (groups[group].keepsState()) {
      storedIn[stored().holder(prefixKey)] = step;
    }
  }

  /** Whether a state that a sequence would begin with is computed only in this step. */
  private boolean isStoredInThisStep(PrefixHashes prefix, int shared) {
    if (shared > 0 && stateGroups > 0) {
      for (int group = 0; group < groups.length; group++) {
        if (groups[group].keepsState() && storedIn[holder(prefix, shared - 1, group)] == step) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Notes what a sequence lacked. A group without windows that loses a stored block needs another
   * one in its place, so that it never needs fewer free ones while nothing more is stored.
   */
  private void noteRefusal(SequenceStart start) {
    lastFree = blocks.freeCount();
    lastChanges = stored().changes();
    lastAdditions = stored().additions();
    lastNeeded = 0;
    if (rules.fitsWhole() && !wasDeferred) {
      int stored = start.storedTokens();
      for (int group = 0; group < groups.length; group++) {
        if (groups[group].windowTokens() == 0) {
          lastNeeded +=
              blocksOf(start.wholeTokens())
                  - stored / blockTokens
                  + unused(start.prefix(), stored, group);
        }
      }
    }
  }

  @Override
  public boolean isStillFull() {
    return blocks.freeCount() < lastNeeded && stored().additions() == lastAdditions;
  }

  /** Stored blocks that a sequence needs and nobody uses. */
  private int unused(PrefixHashes prefix, int storedTokens) {
    int count = 0;
    for (int group = 0; group < groups.length; group++) {
      count += unused(prefix, storedTokens, group);
    }
    return count;
  }

  private int unused(PrefixHashes prefix, int storedTokens, int group) {
    int count = 0;
    for (int block = search.firstRead(group, storedTokens);
        block < storedTokens / blockTokens;
        block++) {
      count += blocks.references(holder(prefix, block, group)) == 0 ? 1 : 0;
    }
    return count;
  }

  /** Blocks that all tokens of a sequence need beside the stored ones. */
  private long wholeBlocks(SequenceStart start) {
    long needed = 0;
    for (LayerGroup group : groups) {
      if (group.keepsState()) {
        needed++;
        continue;
      }
      long own = blocksOf(start.wholeTokens());
      if (rules.capsWindows() && group.windowTokens() > 0) {
        long most = group.windowTokens() - (group.isChunked() ? 0L : 1L) + inFlightTokens;
        own = Math.min(own, Math.ceilDiv(most, (long) blockTokens) + (group.isChunked() ? 0 : 1));
      }
      needed += Math.max(0, own - start.storedTokens() / blockTokens);
    }
    return needed;
  }

  /** Notes from where a sequence's windows reach back for those that come after it. */
  private void noteEnds(int sequence, SequenceStart start) {
    if (!rules.keepsTails()) {
      return;
    }
    if (sequence >= promptTokens.length) {
      int length = Math.max(sequence + 1, promptTokens.length * 2);
      promptTokens = Arrays.copyOf(promptTokens, length);
      junction = Arrays.copyOf(junction, length);
    }
    promptTokens[sequence] = start.promptTokens();
    junction[sequence] = 0;
    if (groups.length > 1) {
      junction[sequence] = junction(start.prefix(), start.wholeTokens(), start.storedTokens());
    }
  }

  private int junction(PrefixHashes prefix, int wholeTokens, int storedTokens) {
    int longest =
        search.blocksOfFirstKind(
            (wholeTokens - 1) / blockTokens,
            (block, group) -> holder(prefix, block, group) != NONE);
    return longest * blockTokens > storedTokens ? longest * blockTokens : 0;
  }

  @Override
  public int junctionTokens(PrefixHashes prefix, int wholeTokens, int storedTokens) {
    return stateGroups > 0 && keepsPrefixes ? junction(prefix, wholeTokens, storedTokens) : 0;
  }

  @Override
  boolean isRemembered(int sequence, int block, int group) {
    int window = groups[group].windowTokens();
    if (rules.keepsTails() && groups[group].keepsState()) {
      return block == (promptTokens[sequence] - 1) / blockTokens - 1
          || block == junction[sequence] / blockTokens - 1;
    }
    if (!rules.keepsTails() || window == 0 || groups[group].isChunked()) {
      return true;
    }
    int needed = (window - 1 + blockTokens - 1) / blockTokens + (hasHead ? 1 : 0);
    return isWithin(block, promptTokens[sequence] - 1, needed)
        || (junction[sequence] > 0 && isWithin(block, junction[sequence], needed));
  }

  /** Whether a block is one of the last before a token. */
  private boolean isWithin(int block, int token, int needed) {
    int end = token / blockTokens + (hasHead ? 1 : 0);
    return block < end && block >= end - needed;
  }

  @Override
  int settledTokens(int sequence) {
    return rules.settlesLate() ? earlierTokens(sequence) : tokens.of(sequence);
  }

  @Override
  public boolean mayHaveMoreRoom() {
    return wasDeferred || blocks.freeCount() > lastFree || stored().changes() != lastChanges;
  }

  private int share(PrefixHashes prefix, int block, int group) {
    int found = blocks.share(StoredPrefix.key(prefix.hash(block), group));
    held[group] += blocks.references(found) == 1 ? 1 : 0;
    return found;
  }

  @Override
  void startRelease(boolean isEnd) {
    isEnding = isEnd;
    blocks.startRelease();
  }

  @Override
  void release(int block, int group) {
    boolean isReusedFirst =
        rules.reuse() == PagedRules.Reuse.ALL
            || (rules.reuse() == PagedRules.Reuse.WINDOWS
                && groups[group].windowTokens() > 0
                && !(groups[group].isChunked() && isEnding));
    if (isReusedFirst) {
      blocks.releaseByUse(block);
    } else {
      blocks.release(block);
    }
    held[group] -= blocks.references(block) == 0 ? 1 : 0;
  }

  @Override
  boolean extend(int sequence, int count, int room) {
    int target = blocksOf(room);
    int missing = target - lists[0].count(sequence);
    int needed = missing * (groups.length - stateGroups);
    for (int group = 0; stateGroups > 0 && group < groups.length; group++) {
      needed += groups[group].keepsState() && needsState(sequence, group, target) ? 1 : 0;
    }
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
      if (groups[group].keepsState()) {
        takeState(sequence, group, target);
        continue;
      }
      for (int missing = target - lists[group].count(sequence); missing > 0; missing--) {
        lists[group].add(sequence, blocks.take());
        held[group]++;
      }
    }
    store(sequence, count);
  }

  /** Whether a sequence of so many blocks needs a further one for its state. */
  private boolean needsState(int sequence, int group, int target) {
    int count = lists[group].count(sequence);
    return keepsPrefixes ? target > count : count == 0;
  }

  /** Takes a block for the state at the end of a step; those before it have none. */
  private void takeState(int sequence, int group, int target) {
    if (!needsState(sequence, group, target)) {
      return;
    }
    int before = lists[group].count(sequence);
    if (before > 0) {
      earlierState[group][sequence] = before - 1;
    }
    for (int block = before; keepsPrefixes && block < target - 1; block++) {
      lists[group].add(sequence, NONE);
    }
    lists[group].add(sequence, blocks.take());
    held[group]++;
    stateBlocks[group][sequence]++;
  }

  @Override
  boolean holds(int count, int stepTokens) {
    int kept = rules.watermarkBesideOthers() ? 0 : watermarkBlocks;
    return blocksFor(count, stepTokens) <= blocks.count() - 1L - kept;
  }

  /** Blocks that a sequence that is alone needs at once, or must find free where it begins. */
  private long blocksFor(int count, int stepTokens) {
    long all = 0;
    long inFlight = rules.settlesLate() ? 2L * stepTokens : stepTokens;
    for (LayerGroup group : groups) {
      if (group.keepsState()) {
        all += statesFor(count, stepTokens);
        continue;
      }
      long own = blocksOf(count);
      boolean isWhole = rules.fitsWhole() && !rules.capsWindows();
      if (group.windowTokens() > 0 && !isWhole) {
        // Both ends of what is read and added may lie within a block.
        own = Math.min(own, (group.windowTokens() - 2L + inFlight) / blockTokens + 2);
      }
      all += own;
    }
    return all;
  }

  /** Blocks for states that a sequence may hold at once, with those that stay until it ends. */
  private long statesFor(int count, int stepTokens) {
    if (!keepsPrefixes) {
      return 1;
    }
    long wholeStep = Math.max(blockTokens, stepTokens - stepTokens % blockTokens);
    return Math.min(blocksOf(count), 3 + (rules.settlesLate() ? count / wholeStep : 0));
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
