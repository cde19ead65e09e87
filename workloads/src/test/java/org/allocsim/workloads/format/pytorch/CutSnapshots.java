package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/** Snapshots as they would be, had recording begun later or the history been shorter. */
public final class CutSnapshots {
  private CutSnapshots() {}

  /**
   * A snapshot without the oldest entries of one device's history; all else stays as it is.
   *
   * @param entries how many entries are lost, at most as many as there are
   */
  public static Snapshot withoutOldest(Snapshot snapshot, int device, int entries) {
    List<DeviceHistory> devices = new ArrayList<>(snapshot.devices());
    devices.set(device, withoutOldest(devices.get(device), entries));
    return new Snapshot(
        snapshot.fileName(),
        snapshot.sha256(),
        List.copyOf(devices),
        snapshot.segments(),
        snapshot.settings(),
        snapshot.annotations(),
        snapshot.stacks(),
        snapshot.streamHandles(),
        snapshot.notes(),
        snapshot.facts().orElse(null));
  }

  private static DeviceHistory withoutOldest(DeviceHistory history, int entries) {
    EffectLog all = history.effects();
    int count = all.count() - entries;
    EffectLog effects = new EffectLog();
    long[] timesNanos = new long[count];
    int[] stacks = new int[count];
    short[] pools = new short[count];
    List<PoolId> poolIds = new ArrayList<>();
    Map<PoolId, Short> poolNumbers = new HashMap<>();
    boolean hasStacks = false;
    for (int i = 0; i < count; i++) {
      int row = entries + i;
      effects.add(all.kind(row), all.address(row), all.bytes(row), all.stream(row));
      timesNanos[i] = history.timeNanos(row);
      stacks[i] = history.stack(row);
      hasStacks |= stacks[i] != StackTable.NONE;
      PoolId pool = history.poolId(row);
      pools[i] = -1;
      if (pool != null) {
        pools[i] =
            poolNumbers.computeIfAbsent(
                pool,
                key -> {
                  poolIds.add(key);
                  return (short) (poolIds.size() - 1);
                });
      }
    }
    return new DeviceHistory(
        effects,
        history.hasTimes() ? timesNanos : null,
        hasStacks ? stacks : null,
        poolIds.isEmpty() ? null : pools,
        poolIds,
        history.overflowed());
  }
}
