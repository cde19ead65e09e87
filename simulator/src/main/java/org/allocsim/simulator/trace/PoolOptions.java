package org.allocsim.simulator.trace;

/**
 * How the program made a pool of its own ({@code torch.cuda.MemPool} of PyTorch 2.11). Snapshots do
 * not show it.
 *
 * @param useOnOom {@code use_on_oom}: requests of the default pool may be served from its free
 *     blocks before memory runs out
 * @param noSplit {@code no_split}: its blocks are never split
 */
public record PoolOptions(boolean useOnOom, boolean noSplit) {
  /** A pool without special rules. */
  public static final PoolOptions PLAIN = new PoolOptions(false, false);
}
