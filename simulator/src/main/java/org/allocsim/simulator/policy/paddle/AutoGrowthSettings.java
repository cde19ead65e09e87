package org.allocsim.simulator.policy.paddle;

/**
 * Flags of Paddle's auto growth allocator.
 *
 * @param alignmentBytes {@code FLAGS_alignment_size}, unit of sizes; a power of two
 * @param chunkBytes {@code FLAGS_auto_growth_chunk_size_in_mb}, least size of a chunk; 0 for chunks
 *     as large as the request
 * @param freesIdleChunks {@code FLAGS_free_idle_chunk}: chunks go back as soon as they are free
 * @param freesBeforeGrowing {@code FLAGS_free_when_no_cache_hit}: free chunks go back before a new
 *     one is asked for, not when the device refuses
 * @param warmupRequests requests at the beginning that version 2 serves in its warm-up, 0 for none
 */
public record AutoGrowthSettings(
    long alignmentBytes,
    long chunkBytes,
    boolean freesIdleChunks,
    boolean freesBeforeGrowing,
    long warmupRequests) {
  /** The defaults of the product. */
  public static final AutoGrowthSettings DEFAULT = new AutoGrowthSettings(256, 0, false, false, 0);

  /** Refuses an alignment that is no power of two. */
  public AutoGrowthSettings {
    if (alignmentBytes < 1 || Long.bitCount(alignmentBytes) != 1 || chunkBytes < 0) {
      throw new IllegalArgumentException(
          "alignment %d, chunks of %d bytes".formatted(alignmentBytes, chunkBytes));
    }
  }

  /** Rounds up to the alignment; sizes that cannot be rounded stay what no device has. */
  long aligned(long bytes) {
    return bytes > Long.MAX_VALUE - alignmentBytes
        ? Long.MAX_VALUE
        : (bytes + alignmentBytes - 1) & -alignmentBytes;
  }
}
