package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.workloads.model.LayerGroup;

/**
 * What caches have in common in which a sequence has blocks of its own for each group of layers:
 * the blocks of sequences, those at their start that no window reaches any more, and prefixes under
 * a hash for each group.
 */
abstract class GroupedCache implements KvCache {
  static final int NONE = -1;

  final LayerGroup[] groups;
  final int blockTokens;
  final long capacityBytes;
  final BlockLists[] lists;
  final StoredPrefix search;
  final SequenceTokens tokens = new SequenceTokens(List.of());
  final RowPrefixes prefixes = new RowPrefixes();
  private final DriverWork driver = new DriverWork(DriverCosts.NONE);

  /** By group and sequence: blocks at the start that are given up. */
  final int[][] skipped;

  /** Bytes of sequences' blocks in which there is no token that will be read again. */
  long wastedBytes;

  /**
   * By sequence: room of its blocks, tokens before which it fills none and gives none up, and bytes
   * of waste that each token takes until then.
   */
  private int[] roomTokens = new int[16];

  private int[] plainEnd = new int[16];
  private long[] plainBytes = new long[16];

  /**
   * By group that keeps a state, and sequence: blocks that it holds, and the one before the last.
   */
  final int[][] stateBlocks;

  final int[][] earlierState;

  /** By sequence: tokens that it had before its last step. */
  private int[] earlierTokens = new int[16];

  GroupedCache(List<LayerGroup> groups, long capacityBytes, int blockTokens) {
    this.groups = groups.toArray(LayerGroup[]::new);
    this.blockTokens = blockTokens;
    this.capacityBytes = capacityBytes;
    lists = new BlockLists[groups.size()];
    Arrays.setAll(lists, _ -> new BlockLists());
    skipped = new int[groups.size()][16];
    stateBlocks = new int[groups.size()][16];
    earlierState = new int[groups.size()][16];
    search = new StoredPrefix(this.groups, blockTokens);
  }

  /** The block that holds a prefix, or {@link #NONE}. */
  abstract int holder(long prefixKey);

  /** A block holds a prefix from now on. */
  abstract void remember(int block, long prefixKey);

  /** A block holds a prefix that nobody looks for before it is listed. */
  abstract void note(int block, long prefixKey);

  /** Others find a prefix that was noted with a block, if it still is. */
  abstract void list(int block, long prefixKey);

  /** A sequence no longer uses a block. */
  abstract void release(int block, int group);

  /**
   * Blocks of a group that are released from now on are released together.
   *
   * @param isEnd whether their sequence ends
   */
  void startRelease(boolean isEnd) {}

  /** Whether anything is remembered. */
  boolean keepsPrefixes() {
    return true;
  }

  /** A block came to hold a prefix, or holds it with another one that did before. */
  void remembered(int group, long prefixKey) {}

  /** Whether a full block of a sequence is remembered. */
  boolean isRemembered(int sequence, int block, int group) {
    return true;
  }

  /** Tokens of a sequence that no step reads or writes any more while windows give up blocks. */
  int settledTokens(int sequence) {
    return tokens.of(sequence);
  }

  /** Whether there is room for a sequence of so many tokens when no other runs. */
  abstract boolean holds(int count, int stepTokens);

  final int holder(PrefixHashes prefix, int block, int group) {
    return holder(StoredPrefix.key(prefix.hash(block), group));
  }

  final int blocksOf(int count) {
    return (count + blockTokens - 1) / blockTokens;
  }

  /** Tokens that a sequence had before its last step. */
  final int earlierTokens(int sequence) {
    return earlierTokens[sequence];
  }

  /** Notes how much of a sequence that begins is not read again. */
  final void skip(int sequence, int storedTokens) {
    if (sequence >= skipped[0].length) {
      int length = Math.max(sequence + 1, skipped[0].length * 2);
      Arrays.setAll(skipped, group -> Arrays.copyOf(skipped[group], length));
      Arrays.setAll(stateBlocks, group -> Arrays.copyOf(stateBlocks[group], length));
      Arrays.setAll(earlierState, group -> Arrays.copyOf(earlierState[group], length));
      roomTokens = Arrays.copyOf(roomTokens, length);
      earlierTokens = Arrays.copyOf(earlierTokens, length);
      plainEnd = Arrays.copyOf(plainEnd, length);
      plainBytes = Arrays.copyOf(plainBytes, length);
    }
    for (int group = 0; group < groups.length; group++) {
      skipped[group][sequence] = search.firstRead(group, storedTokens);
      stateBlocks[group][sequence] = groups[group].keepsState() && storedTokens > 0 ? 1 : 0;
      earlierState[group][sequence] = NONE;
    }
  }

  @Override
  public final boolean grow(int sequence, int count, int room) {
    if (count < plainEnd[sequence] && room <= roomTokens[sequence]) {
      wastedBytes -= (count - tokens.of(sequence)) * plainBytes[sequence];
      earlierTokens[sequence] = tokens.of(sequence);
      tokens.set(sequence, count);
      return true;
    }
    giveUp(sequence);
    return extend(sequence, count, room);
  }

  /** Makes room for further tokens of a sequence that has given up what it does not read. */
  abstract boolean extend(int sequence, int count, int room);

  /** A sequence gives up the blocks that none of its windows reaches, the last one first. */
  private void giveUp(int sequence) {
    for (int group = 0; group < groups.length; group++) {
      if (groups[group].keepsState()) {
        giveUpStates(sequence, group);
        continue;
      }
      int first = search.firstRead(group, settledTokens(sequence));
      int before = skipped[group][sequence];
      if (first > before) {
        wastedBytes -= wasteOf(sequence, 0);
        startRelease(false);
        for (int block = first - 1; block >= before; block--) {
          release(lists[group].get(sequence, block), group);
        }
        skipped[group][sequence] = first;
        wastedBytes += wasteOf(sequence, 0);
      }
    }
  }

  /**
   * A sequence gives up states before the last one that a step over may read: those next to it, and
   * the one before the last that it took. Others further back stay until it ends.
   */
  private void giveUpStates(int sequence, int group) {
    int settled = settledTokens(sequence);
    if (stateBlocks[group][sequence] < 2 || settled == 0) {
      return;
    }
    wastedBytes -= wasteOf(sequence, 0);
    BlockLists states = lists[group];
    int last = (settled - 1) / blockTokens;
    startRelease(false);
    int block = Math.min(last, states.count(sequence)) - 1;
    while (block >= 0 && states.get(sequence, block) != NONE) {
      giveUpState(sequence, group, block--);
    }
    int earlier = earlierState[group][sequence];
    if (earlier != NONE && earlier < last && states.get(sequence, earlier) != NONE) {
      startRelease(false);
      giveUpState(sequence, group, earlier);
    }
    wastedBytes += wasteOf(sequence, 0);
  }

  private void giveUpState(int sequence, int group, int block) {
    release(lists[group].get(sequence, block), group);
    lists[group].set(sequence, block, NONE);
    stateBlocks[group][sequence]--;
  }

  /** A sequence, whose waste was subtracted, has so many tokens now; full blocks are remembered. */
  final void store(int sequence, int count) {
    int before = tokens.of(sequence);
    earlierTokens[sequence] = before;
    tokens.set(sequence, count);
    wastedBytes += wasteOf(sequence, 0);
    int end = keepsPrefixes() ? count / blockTokens : 0;
    for (int block = before / blockTokens; block < end; block++) {
      long prefix = prefixes.of(sequence).hash(block);
      boolean isOwn = prefixes.of(sequence).isOwn(block);
      for (int group = 0; group < groups.length; group++) {
        if (block < skipped[group][sequence] || !isRemembered(sequence, block, group)) {
          continue;
        }
        int held = lists[group].get(sequence, block);
        if (held == NONE) {
          continue;
        }
        if (isOwn) {
          note(held, StoredPrefix.key(prefix, group));
        } else {
          remember(held, StoredPrefix.key(prefix, group));
          remembered(group, StoredPrefix.key(prefix, group));
        }
      }
    }
    noteWhatIsPlain(sequence, count);
  }

  /** Most tokens only fill a slot of a block: until when, and what each of them changes then. */
  private void noteWhatIsPlain(int sequence, int count) {
    int end = (count / blockTokens + 1) * blockTokens;
    long bytes = 0;
    for (int group = 0; group < groups.length; group++) {
      int window = groups[group].windowTokens();
      if (groups[group].keepsState()) {
        end = stateBlocks[group][sequence] > 1 ? count : end;
        continue;
      }
      if (groups[group].isChunked()) {
        bytes += groups[group].bytesPerToken();
        boolean isSettled = skipped[group][sequence] == search.firstRead(group, count);
        end = Math.min(end, isSettled ? (count / window + 1) * window : count);
        continue;
      }
      boolean isFilling = window == 0 || count < window - 1;
      if (isFilling) {
        bytes += groups[group].bytesPerToken();
      }
      if (window > 0) {
        int given = (skipped[group][sequence] + 1) * blockTokens;
        end = Math.min(end, isFilling ? window : given + window - 1);
      }
    }
    roomTokens[sequence] = lists[0].count(sequence) * blockTokens;
    plainEnd[sequence] = end;
    plainBytes[sequence] = bytes;
  }

  /** Bytes of a sequence's blocks, the last few left out, that hold nothing that is read again. */
  final long wasteOf(int sequence, int withoutLast) {
    int count = tokens.of(sequence);
    long waste = 0;
    for (int group = 0; group < groups.length; group++) {
      if (groups[group].keepsState()) {
        long stateBytes = groups[group].layers() * groups[group].stateBytes();
        long held = stateBlocks[group][sequence];
        waste += held * blockTokens * groups[group].bytesPerToken() - (held > 0 ? stateBytes : 0);
        continue;
      }
      long slots = (long) (lists[group].count(sequence) - withoutLast) * blockTokens;
      long given = (long) skipped[group][sequence] * blockTokens;
      waste += groups[group].wastedBytes(slots, count, given);
    }
    return waste;
  }

  @Override
  public final int storedTokens(PrefixHashes prefix, int mostTokens) {
    if (!keepsPrefixes()) {
      return 0;
    }
    return search.blocks(
            mostTokens / blockTokens, (block, group) -> holder(prefix, block, group) != NONE)
        * blockTokens;
  }

  @Override
  public final boolean mayStore(PrefixHashes prefix, int block) {
    return keepsPrefixes() && holder(prefix, block, 0) != NONE;
  }

  @Override
  public final void end(int sequence, boolean comesBack) {
    if (comesBack) {
      listOwn(sequence);
    }
    wastedBytes -= wasteOf(sequence, 0);
    tokens.end(sequence);
    for (int group = 0; group < groups.length; group++) {
      startRelease(true);
      while (lists[group].count(sequence) > 0) {
        int block = lists[group].removeLast(sequence);
        if (block != NONE && lists[group].count(sequence) >= skipped[group][sequence]) {
          release(block, group);
        }
      }
      stateBlocks[group][sequence] = 0;
    }
  }

  /** A sequence will look for its own prefixes, also in the blocks that it has given up. */
  private void listOwn(int sequence) {
    PrefixHashes prefix = prefixes.of(sequence);
    if (!keepsPrefixes()) {
      return;
    }
    for (int block = 0; block < tokens.of(sequence) / blockTokens; block++) {
      if (prefix.isOwn(block)) {
        long hash = prefix.hash(block);
        for (int group = 0; group < groups.length; group++) {
          int held = lists[group].get(sequence, block);
          if (held != NONE) {
            list(held, StoredPrefix.key(hash, group));
          }
        }
      }
    }
  }

  @Override
  public final int mostTokens(int stepTokens) {
    int low = 0;
    int high = Integer.MAX_VALUE - blockTokens;
    while (low < high) {
      int middle = low + (high - low) / 2 + (high - low) % 2;
      if (holds(middle, stepTokens)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  @Override
  public final long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public final DriverWork driverWork() {
    return driver;
  }
}
