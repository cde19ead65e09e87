package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectLog;

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
    HistoryColumns columns = new HistoryColumns(history.hasTimes(), history.overflowed());
    for (int row = entries; row < all.count(); row++) {
      columns.add(
          all.kind(row),
          all.address(row),
          all.bytes(row),
          all.stream(row),
          history.timeNanos(row),
          history.stack(row),
          history.poolId(row));
    }
    return columns.finish();
  }
}
