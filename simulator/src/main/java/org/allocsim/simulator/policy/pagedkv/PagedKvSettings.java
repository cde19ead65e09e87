package org.allocsim.simulator.policy.pagedkv;

/**
 * Shape of a paged cache.
 *
 * @param blockTokens tokens of a block
 * @param tokenBytes bytes of keys and values that a token takes in all layers
 * @param blocks number of blocks, 0 for as many as the share of the free memory holds
 * @param memoryShare share of the device's free memory that the cache takes
 * @param watermark share of the blocks that must stay free when a sequence begins
 */
public record PagedKvSettings(
    int blockTokens, long tokenBytes, int blocks, double memoryShare, double watermark) {
  /** Most blocks of a cache. */
  public static final int MOST_BLOCKS = 1 << 26;

  /** Bytes of a block. */
  public long blockBytes() {
    return blockTokens * tokenBytes;
  }
}
