package org.allocsim.simulator.policy.bfc;

/**
 * How an {@link OrtArena} behaves, under the names of ONNX Runtime's {@code OrtArenaCfg}.
 *
 * @param limitBytes most that it may hold from the device ({@code max_mem})
 * @param strategy how it grows ({@code arena_extend_strategy})
 * @param firstRegionBytes size that growth begins with ({@code initial_chunk_size_bytes})
 * @param maxWasteBytes a free rest of this size after a request is always cut off ({@code
 *     max_dead_bytes_per_chunk})
 * @param regionBytesAfterShrink size that growth begins with after the arena was shrunk ({@code
 *     initial_growth_chunk_size_bytes})
 * @param maxDoubledBytes size up to which regions double ({@code max_power_of_two_extend_bytes})
 * @param streams whether chunks belong to streams
 * @param everyRequestTakesOver whether each request makes its chunk one of its own stream, used
 *     now, as releases of 2026 do; before, only the first does
 */
public record OrtSettings(
    long limitBytes,
    Strategy strategy,
    long firstRegionBytes,
    long maxWasteBytes,
    long regionBytesAfterShrink,
    long maxDoubledBytes,
    boolean streams,
    boolean everyRequestTakesOver) {
  /** How an arena grows. */
  public enum Strategy {
    /** Regions double, as in BFC. */
    NEXT_POWER_OF_TWO,
    /** Every region is as large as the request that it is for. */
    SAME_AS_REQUESTED
  }

  /** The defaults: 1 MiB, 128 MiB, 2 MiB and 1 GiB. */
  public static OrtSettings defaults(long limitBytes, Strategy strategy, boolean streams) {
    return new OrtSettings(
        limitBytes, strategy, 1L << 20, 128L << 20, 2L << 20, 1L << 30, streams, false);
  }

  /** Refuses values that no arena can have. */
  public OrtSettings {
    if (limitBytes < 0
        || firstRegionBytes <= 0
        || maxWasteBytes <= 0
        || regionBytesAfterShrink <= 0
        || maxDoubledBytes <= 0) {
      throw new IllegalArgumentException("a size that is not positive");
    }
    limitBytes = Math.min(limitBytes, ChunkHeap.MAX_BYTES);
  }
}
