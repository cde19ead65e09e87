package org.allocsim.simulator.device.cost;

/**
 * Host time of stream-ordered calls in nanoseconds. What matters is where a request finds memory
 * and how many chunks have to be mapped for it. Synchronising counts as nothing.
 *
 * @param createPoolNanos more for the first allocation, which makes the pool
 * @param allocateOwnNanos allocation served from what the same stream gave back
 * @param allocateSharedNanos allocation served from what the host knows to be complete
 * @param allocateOtherNanos allocation served from what another stream gave back
 * @param allocateMergedNanos allocation for which all streams' memory was put together
 * @param allocateMergedPageNanos more then for each page of 2 MiB of the request
 * @param mapNanos allocation that maps chunks
 * @param newChunkNanos more then for each chunk that is new
 * @param movedChunkNanos more then for each chunk that lay elsewhere
 * @param spareChunkNanos more then for each chunk that was held but mapped nowhere
 * @param refuseNanos refused allocation that returns nothing to the device
 * @param refuseNewChunkNanos more then for each chunk that was new
 * @param refuseMovedChunkNanos more then for each chunk that lay elsewhere
 * @param refuseReleaseNanos refused allocation that returns unused chunks to the device
 * @param refuseReleaseNewChunkNanos more then for each chunk that was new
 * @param refuseReleaseMovedChunkNanos more then for each chunk that lay elsewhere
 * @param freeNanos free
 * @param trimNanos trimming
 * @param trimChunkNanos more for each chunk that it returns to the device
 */
public record AsyncCosts(
    long createPoolNanos,
    long allocateOwnNanos,
    long allocateSharedNanos,
    long allocateOtherNanos,
    long allocateMergedNanos,
    long allocateMergedPageNanos,
    long mapNanos,
    long newChunkNanos,
    long movedChunkNanos,
    long spareChunkNanos,
    long refuseNanos,
    long refuseNewChunkNanos,
    long refuseMovedChunkNanos,
    long refuseReleaseNanos,
    long refuseReleaseNewChunkNanos,
    long refuseReleaseMovedChunkNanos,
    long freeNanos,
    long trimNanos,
    long trimChunkNanos) {

  /**
   * H100: fits to 54 000 calls (driver 580, CUDA 13.0); the pool's making is their median; trims
   * were not timed.
   */
  public static final AsyncCosts H100 =
      new AsyncCosts(
          9_900_000, //
          2_300, 3_500, 4_400, 4_000, 150, //
          14_000, 42_000, 53_000, 19_000, //
          56_000, 25_000, 17_000, 74_000, 97_000, 87_000, //
          2_800, 0, 0);

  /** Every call takes no time. */
  public static final AsyncCosts NONE =
      new AsyncCosts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
