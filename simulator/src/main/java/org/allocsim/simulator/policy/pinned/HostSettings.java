package org.allocsim.simulator.policy.pinned;

/**
 * Settings of PyTorch's pinned memory allocator; those of sizes came with release 2.13.
 *
 * @param roundThresholdBytes {@code pinned_max_round_threshold_mb}: larger requests are not rounded
 * @param maxCachedBytes {@code pinned_max_cached_size_mb}: larger requests are not rounded, and
 *     larger blocks go back to the operating system as soon as they are free
 * @param backgroundThreads {@code pinned_use_background_threads} (2.6): a thread sees within 100 µs
 *     that uses have finished, here at once, and requests do not look for them
 */
public record HostSettings(
    long roundThresholdBytes, long maxCachedBytes, boolean backgroundThreads) {
  /** All requests are rounded and all blocks cached, as in all releases before. */
  public static final HostSettings DEFAULT =
      new HostSettings(Long.MAX_VALUE, Long.MAX_VALUE, false);

  /** Bytes of the block that serves a request. */
  long blockBytes(long requestedBytes) {
    return requestedBytes <= roundThresholdBytes && requestedBytes <= maxCachedBytes
        ? PinnedHostAllocator.roundedBytes(requestedBytes)
        : requestedBytes;
  }
}
