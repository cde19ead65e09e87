package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.allocsim.workloads.model.LayerGroup;

/**
 * How much of a prefix a cache has that stores several groups of layers: all of its blocks where
 * layers look back at everything, those of the last window or chunk where they do not. The longest
 * that every group has counts.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/single_type_kv_cache_manager.py} 002f349 and
 * {@code v1/core/kv_cache_coordinator.py} 00b08dc.
 */
final class StoredPrefix {
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final LayerGroup[] groups;
  private final int blockTokens;

  /** Whether a block of a group is stored. */
  @FunctionalInterface
  interface Blocks {
    boolean has(int block, int group);
  }

  StoredPrefix(LayerGroup[] groups, int blockTokens) {
    this.groups = groups;
    this.blockTokens = blockTokens;
  }

  /** What a prefix is called in a group. */
  static long key(long prefixHash, int group) {
    return Long.rotateLeft(prefixHash, 17) * SPREAD + group;
  }

  /** The first block of a group that is read after so many tokens. */
  int firstRead(int group, int tokens) {
    return groups[group].outlivedTokens(tokens) / blockTokens;
  }

  /** Blocks at the start that are stored, or that nobody needs; at most so many. */
  int blocks(int mostBlocks, Blocks stored) {
    int most = mostBlocks;
    for (int group = 0; group < groups.length; group++) {
      if (groups[group].windowTokens() == 0) {
        int found = 0;
        while (found < most && stored.has(found, group)) {
          found++;
        }
        most = found;
      }
    }
    int missing = lastMissing(most, stored);
    while (missing >= 0) {
      most = missing;
      missing = lastMissing(most, stored);
    }
    return most;
  }

  /**
   * Blocks at the start that the first kind of layers has by itself, those that look back at
   * everything where there are such; at most so many. A kind alone has no longer prefix than that.
   */
  int blocksOfFirstKind(int mostBlocks, Blocks stored) {
    LayerGroup kind =
        Arrays.stream(groups)
            .filter(group -> group.windowTokens() == 0)
            .findFirst()
            .orElse(groups[0]);
    LayerGroup[] own =
        Arrays.stream(groups).filter(group -> group.looksBackLike(kind)).toArray(LayerGroup[]::new);
    int[] numbers =
        IntStream.range(0, groups.length)
            .filter(group -> groups[group].looksBackLike(kind))
            .toArray();
    return new StoredPrefix(own, blockTokens)
        .blocks(mostBlocks, (block, group) -> stored.has(block, numbers[group]));
  }

  /** The last block before another that a group's window there needs and that is not stored. */
  private int lastMissing(int before, Blocks stored) {
    int last = -1;
    for (int group = 0; group < groups.length; group++) {
      if (groups[group].windowTokens() > 0) {
        int first = firstRead(group, before * blockTokens);
        for (int block = before - 1; block >= first && block > last; block--) {
          if (!stored.has(block, group)) {
            last = block;
          }
        }
      }
    }
    return last;
  }
}
