package org.allocsim.simulator.stats;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectListeners.Pair;

/**
 * Tells a listener of the effects that every request has. Where the listener begins with {@link
 * MemoryStats}, as most do, these are called by name: a call that the compiler cannot tie to a
 * class, because the process has had other listeners before, costs more than what it counts.
 */
public final class BlockEffects {
  /** What counts first, or null. */
  private final MemoryStats stats;

  /** What hears of everything next, or null. */
  private final EffectListener others;

  private BlockEffects(MemoryStats stats, EffectListener others) {
    this.stats = stats;
    this.others = others;
  }

  /** The way to a listener. */
  public static BlockEffects to(EffectListener listener) {
    if (listener instanceof MemoryStats stats) {
      return new BlockEffects(stats, null);
    }
    if (listener instanceof Pair pair) {
      return to(pair.first()).and(pair.second());
    }
    return new BlockEffects(null, listener);
  }

  private BlockEffects and(EffectListener next) {
    return new BlockEffects(stats, others == null ? next : EffectListeners.both(others, next));
  }

  /** See {@link EffectListener#blockAllocated}. */
  public void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    if (stats != null) {
      stats.blockAllocated(allocation, address, requestedBytes, blockBytes, stream, small);
    }
    if (others != null) {
      others.blockAllocated(allocation, address, requestedBytes, blockBytes, stream, small);
    }
  }

  /** See {@link EffectListener#freeRequested}. */
  public void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    if (stats != null) {
      stats.freeRequested(allocation, address, requestedBytes, blockBytes, stream, small);
    }
    if (others != null) {
      others.freeRequested(allocation, address, requestedBytes, blockBytes, stream, small);
    }
  }

  /** See {@link EffectListener#freeCompleted}. */
  public void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    if (stats != null) {
      stats.freeCompleted(allocation, address, requestedBytes, blockBytes, stream, small);
    }
    if (others != null) {
      others.freeCompleted(allocation, address, requestedBytes, blockBytes, stream, small);
    }
  }

  /** See {@link EffectListener#inactiveSplitChanged}. */
  public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
    if (stats != null) {
      stats.inactiveSplitChanged(blocks, bytes, small);
    }
    if (others != null) {
      others.inactiveSplitChanged(blocks, bytes, small);
    }
  }
}
