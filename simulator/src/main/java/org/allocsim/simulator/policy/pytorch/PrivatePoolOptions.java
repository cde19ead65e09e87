package org.allocsim.simulator.policy.pytorch;

/**
 * How a private pool was made ({@code torch.cuda.MemPool} of PyTorch 2.11).
 *
 * @param useOnOom requests of the default pool may be served from its cached blocks before memory
 *     runs out
 * @param noSplit its blocks are never split
 * @param customAllocator its segments come from the user's own allocator, so never from expandable
 *     segments
 */
public record PrivatePoolOptions(boolean useOnOom, boolean noSplit, boolean customAllocator) {
  /** A pool without special rules. */
  public static final PrivatePoolOptions PLAIN = new PrivatePoolOptions(false, false, false);
}
