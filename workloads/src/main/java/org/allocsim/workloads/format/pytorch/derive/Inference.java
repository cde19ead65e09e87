package org.allocsim.workloads.format.pytorch.derive;

/**
 * Something that the recording does not say and that was inferred from it.
 *
 * @param device index of the device
 * @param subject what was inferred, such as "empty_cache() calls"
 * @param count how many
 * @param confidence how sure the conclusion is
 * @param reason why, in one sentence
 */
public record Inference(
    int device, String subject, long count, Confidence confidence, String reason) {
  /** Subject of the inference that counts frees at which nothing is allocated. */
  public static final String UNKNOWN_FREES = "frees of unknown addresses";

  /** Subject of the inference that a history obtains memory which is held already. */
  public static final String MEMORY_HELD_TWICE = "memory obtained twice";

  /** Subject of the inferences that count emptied caches. */
  public static final String EMPTY_CACHE_CALLS = "empty_cache() calls";

  /** Subject of the inference that counts segments of private pools that nothing names. */
  public static final String SEGMENTS_OF_GONE_POOLS =
      "segments of a private pool that no longer existed at the end";

  /** How sure a conclusion is. */
  public enum Confidence {
    /** No other explanation follows the allocator's rules. */
    CERTAIN,
    /** Another explanation exists and is less natural. */
    LIKELY,
    /** The recording does not decide it. */
    GUESS
  }
}
