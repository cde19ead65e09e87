package org.allocsim.simulator.kvcache;

/** What a sequence's tokens are, as far as others may have the same. */
@FunctionalInterface
public interface PrefixHashes {
  /** The hash of the sequence's tokens from its start to the end of a block of the cache. */
  long hash(int block);
}
