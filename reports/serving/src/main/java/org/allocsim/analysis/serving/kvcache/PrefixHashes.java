package org.allocsim.analysis.serving.kvcache;

/** What a sequence's tokens are, as far as others may have the same. */
@FunctionalInterface
public interface PrefixHashes {
  /** The hash of the sequence's tokens from its start to the end of a block of the cache. */
  long hash(int block);

  /**
   * Whether nobody else can have these tokens: they are found again by this sequence only, if it
   * was thrown out and begins anew.
   */
  default boolean isOwn(int block) {
    return false;
  }
}
