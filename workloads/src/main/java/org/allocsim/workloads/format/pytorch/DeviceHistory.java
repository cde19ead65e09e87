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
  private final EventRows rows;
  private final boolean hasTimes;
  private final boolean hasStacks;
  private final boolean hasPools;
  private final List<PoolId> poolIds;
  private final Optional<Boolean> overflowed;

  /**
   * Takes the columns over and lets go of what no entry has, so that a row takes at most 32 bytes
   * unless there are more than {@value Byte#MAX_VALUE} pools.
   *
   * @param rows as many as there are effects
   * @param hasTimes whether any entry has a time
   * @param hasStacks whether any entry has a stack
   * @param hasPools whether any entry has a pool
   */
  DeviceHistory(
      EffectLog effects,
      EventRows rows,
      boolean hasTimes,
      boolean hasStacks,
      boolean hasPools,
      List<PoolId> poolIds,
      Optional<Boolean> overflowed) {
    this.effects = effects;
    this.rows = rows;
    this.hasTimes = hasTimes;
    this.hasStacks = hasStacks;
    this.hasPools = hasPools;
    this.poolIds = poolIds;
    this.overflowed = overflowed;
    if (!hasTimes) {
      rows.dropTimes();
    }
    if (!hasStacks) {
      rows.dropStacks();
    }
    if (!hasPools) {
      rows.dropPools();
    } else if (poolIds.size() <= Byte.MAX_VALUE) {
      rows.narrowPools();
    }
  }

  /** Kind, address, bytes and stream of each row. */
  public EffectLog effects() {
    return effects;
  }

  /** Whether the entries carry times (PyTorch 2.1 and later). */
  public boolean hasTimes() {
    return hasTimes;
  }

  /**
   * Time of a row in nanoseconds since 1970, never before that of an earlier row; 0 without times.
   */
  public long timeNanos(int row) {
    return hasTimes ? rows.timeNanos(row) : 0;
  }

  /** Stack of a row, a number in {@link Snapshot#stacks()}. */
  public int stack(int row) {
    return hasStacks ? rows.stack(row) : StackTable.NONE;
  }

  /** Pool of a row (PyTorch 2.12 and later), or null where the file does not say. */
  public @Nullable PoolId poolId(int row) {
    int pool = hasPools ? rows.pool(row) : -1;
    return pool < 0 ? null : poolIds.get(pool);
  }

  /** Whether the oldest entries were lost (PyTorch 2.12 and later), if the file says so. */
  public Optional<Boolean> overflowed() {
    return overflowed;
  }
}
