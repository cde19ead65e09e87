package org.allocsim.workloads.format.pytorch;

import java.util.Optional;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.jspecify.annotations.Nullable;

/** The history of one device while its rows come one by one; columns grow as they need to. */
final class HistoryColumns {
  private final boolean hasTimes;
  private final Optional<Boolean> overflowed;
  private final EffectLog effects = new EffectLog();
  private final PoolNumbers poolNumbers = new PoolNumbers();
  private final EventRows rows = new EventRows();
  private long lastNanos = Long.MIN_VALUE;
  private boolean hasStacks;
  private boolean hasPools;

  HistoryColumns(boolean hasTimes, Optional<Boolean> overflowed) {
    this.hasTimes = hasTimes;
    this.overflowed = overflowed;
  }

  /** Appends a row; the pool is null where it is not known. */
  void add(
      EffectKind kind,
      long address,
      long bytes,
      int stream,
      long timeNanos,
      int stack,
      @Nullable PoolId pool) {
    if (timeNanos < lastNanos) {
      throw new IllegalArgumentException("the time is before that of an earlier row");
    }
    int number = pool == null ? -1 : poolNumbers.number(pool.capture(), pool.user());
    if (pool != null && number < 0) {
      throw new IllegalArgumentException("there are too many pools");
    }
    effects.add(kind, address, bytes, stream);
    rows.add(timeNanos, stack, number);
    lastNanos = timeNanos;
    hasStacks |= stack != StackTable.NONE;
    hasPools |= number >= 0;
  }

  /** Hands the columns over. */
  DeviceHistory finish() {
    return new DeviceHistory(
        effects, rows, hasTimes, hasStacks, hasPools, poolNumbers.pools(), overflowed);
  }
}
