package org.allocsim.simulator.stats;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectListeners.Pair;
import org.jspecify.annotations.Nullable;

/**
 * What the effects on one kind of pool, which every request has, are reported to. Where the
 * listener begins with {@link MemoryStats}, as most do, its counters are changed here and now: a
 * call that the compiler cannot tie to a class, because the process has had other listeners before,
 * costs more than what it counts. Whoever follows blocks besides is among {@link #others}.
 */
public final class BlockEffects {
  /** Of {@link MemoryStats}, or of nobody. */
  private final PoolCounters counters;

  /** What is notified of everything next, or null. */
  private final @Nullable EffectListener others;

  private final boolean small;

  private BlockEffects(PoolCounters counters, @Nullable EffectListener others, boolean small) {
    this.counters = counters;
    this.others = others;
    this.small = small;
  }

  /**
   * The way to a listener.
   *
   * @param small the kind of pool that effects are reported of
   */
  public static BlockEffects to(EffectListener listener, boolean small) {
    if (listener instanceof MemoryStats stats) {
      return new BlockEffects(stats.counters(small), null, small);
    }
    if (listener instanceof Pair pair) {
      BlockEffects first = to(pair.first(), small);
      return new BlockEffects(first.counters, joined(first.others, pair.second()), small);
    }
    return new BlockEffects(new MemoryStats(-1).counters(small), joined(null, listener), small);
  }

  /** Two listeners, the first of which may be null, without a second one that follows no blocks. */
  private static @Nullable EffectListener joined(
      @Nullable EffectListener first, EffectListener second) {
    if (!second.followsBlocks()) {
      return first;
    }
    return first == null ? second : EffectListeners.both(first, second);
  }

  /** Where what requests do most often is counted; whoever does it reports it to others. */
  public PoolCounters counters() {
    return counters;
  }

  /** Who follows blocks besides the statistics, or null. */
  public @Nullable EffectListener others() {
    return others;
  }

  /** See {@link EffectListener#freeRequested}. */
  public void freeRequested(
      int allocation, long address, long requestedBytes, long blockBytes, int stream) {
    counters.requestFree(blockBytes);
    if (others != null) {
      others.freeRequested(allocation, address, requestedBytes, blockBytes, stream, small);
    }
  }

  /** See {@link EffectListener#freeCompleted}. */
  public void freeCompleted(
      int allocation, long address, long requestedBytes, long blockBytes, int stream) {
    counters.completeFree(requestedBytes, blockBytes);
    if (others != null) {
      others.freeCompleted(allocation, address, requestedBytes, blockBytes, stream, small);
    }
  }
}
