package org.allocsim.simulator.policy;

import org.allocsim.simulator.trace.PoolId;

/**
 * A deterministic state machine that serves requests from device memory. It reports what it does to
 * its {@link org.allocsim.simulator.effect.EffectListener}, keeps no statistics, reads no clock and
 * prints nothing. Allocation ids are dense and chosen by the caller; stream and pool numbers are
 * those of the trace, ordered as the trace documents.
 *
 * <p>One policy counts some of what it does itself, in {@link
 * org.allocsim.simulator.stats.PoolCounters}: PyTorch's, because reports of every block measurably
 * slow its replay down.
 */
public interface AllocatorPolicy {
  /** Result of a request that failed. */
  long OUT_OF_MEMORY = -1;

  /**
   * Serves a request.
   *
   * @param allocation id by which the memory is freed
   * @param requestedBytes what the program asks for; 0 is answered with the null address 0
   * @param stream number of the stream that will use it
   * @param pool 0 for the default pool, else the private pool that the request is routed to
   * @return the block's address, or {@link #OUT_OF_MEMORY}
   */
  long allocate(int allocation, long requestedBytes, int stream, int pool);

  /** Frees an allocation; ignored if its request failed or was for 0 bytes. */
  void free(int allocation);

  /**
   * Frees an allocation in the order of a stream's work, for policies that depend on the stream on
   * which memory is freed.
   *
   * @param stream number of the stream, or {@code AllocationTrace.UNKNOWN_STREAM} where the trace
   *     does not tell, which stands for the stream of the allocation
   */
  default void free(int allocation, int stream) {
    free(allocation);
  }

  /** The allocation is also used on another stream; see {@code RequestKind.USE_STREAM}. */
  default void useStream(int allocation, int stream, long completionRank) {}

  /**
   * The allocation's use on a stream has finished on the device, or its uses on all streams where
   * {@code stream} is {@code AllocationTrace.ANY_STREAM}.
   */
  default void useComplete(int allocation, int stream) {}

  /** The host waited for the device: all uses recorded so far have finished. */
  default void synchronize() {}

  /** The host waited for one stream: all earlier frees on it are complete. */
  default void synchronizeStream(int stream) {}

  /**
   * The program changes the settings. Settings meant for another policy, or rejected by the
   * policy's release, change nothing.
   *
   * @param settings as the program wrote them
   */
  default void changeSettings(String settings) {}

  /**
   * The program changes how much may be reserved; no effect on a policy without such a limit.
   *
   * @param limitBytes −1 for no limit
   */
  default void changeLimit(long limitBytes) {}

  /** Returns cached memory to the device. */
  default void emptyCache() {}

  /**
   * The last owner of a private pool is gone.
   *
   * @param id its identity, by which PyTorch orders such pools
   */
  default void releasePool(int pool, PoolId id) {}

  /** Returns the cached memory of a released private pool to the device. */
  default void emptyPool(int pool) {}

  /**
   * Hands out exactly {@code blockBytes} at an address that is free, as PyTorch does when it puts a
   * private pool back into an earlier state. A policy that cannot do this, or whose memory there is
   * not free, serves an ordinary request instead.
   */
  default long restoreBlock(int allocation, long blockBytes, int stream, int pool, long address) {
    return allocate(allocation, blockBytes, stream, pool);
  }

  /** Shows all segments by ascending address and their blocks. */
  void describeLayout(LayoutVisitor visitor);
}
