package org.allocsim.workloads.format.pytorch;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.jspecify.annotations.Nullable;

/** What the history of one device holds, one row per entry, oldest first. */
public final class DeviceHistory {
  private final EffectLog effects;
  private final long @Nullable [] timesNanos;
  private final int @Nullable [] stacks;

  /** Pool numbers, −1 for none: the one column where a byte holds them, the other where not. */
  private final byte @Nullable [] fewPools;

  private final short @Nullable [] manyPools;
  private final List<PoolId> poolIds;
  private final Optional<Boolean> overflowed;

  /**
   * Takes the columns over; only that of pools is copied where a narrower one does, so that a row
   * takes at most 32 bytes unless there are more than {@value Byte#MAX_VALUE} pools.
   *
   * @param timesNanos null where no entry has a time
   * @param stacks null where no entry has a stack
   * @param pools pool numbers, −1 for none; null where no entry has a pool
   */
  DeviceHistory(
      EffectLog effects,
      long @Nullable [] timesNanos,
      int @Nullable [] stacks,
      short @Nullable [] pools,
      List<PoolId> poolIds,
      Optional<Boolean> overflowed) {
    this.effects = effects;
    this.timesNanos = timesNanos;
    this.stacks = stacks;
    boolean few = poolIds.size() <= Byte.MAX_VALUE;
    fewPools = few && pools != null ? narrowed(pools) : null;
    manyPools = few ? null : pools;
    this.poolIds = poolIds;
    this.overflowed = overflowed;
  }

  private static byte[] narrowed(short[] column) {
    byte[] narrow = new byte[column.length];
    for (int row = 0; row < narrow.length; row++) {
      narrow[row] = (byte) column[row];
    }
    return narrow;
  }

  /** Kind, address, bytes and stream of each row. */
  public EffectLog effects() {
    return effects;
  }

  /** Whether the entries carry times (PyTorch 2.1 and later). */
  public boolean hasTimes() {
    return timesNanos != null;
  }

  /**
   * Time of a row in nanoseconds since 1970, never before that of an earlier row; 0 without times.
   */
  public long timeNanos(int row) {
    return timesNanos == null ? 0 : timesNanos[row];
  }

  /** Stack of a row, a number in {@link Snapshot#stacks()}. */
  public int stack(int row) {
    return stacks == null ? StackTable.NONE : stacks[row];
  }

  /** Pool of a row (PyTorch 2.12 and later), or null where the file does not say. */
  public @Nullable PoolId poolId(int row) {
    int pool = fewPools != null ? fewPools[row] : manyPools != null ? manyPools[row] : -1;
    return pool < 0 ? null : poolIds.get(pool);
  }

  /** Whether the oldest entries were lost (PyTorch 2.12 and later), if the file says so. */
  public Optional<Boolean> overflowed() {
    return overflowed;
  }
}
