package org.allocsim.workloads.source;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.ReservedMemory;

/**
 * A request that the recorded allocator could not serve.
 *
 * @param effect its place in the recorded history of its device
 * @param requestedBytes what the program asked for
 * @param reservedBytes what the allocator held from the device then
 * @param deviceFreeBytes what was free on the device then; negative where it was not recorded
 */
public record RecordedFailure(
    int effect, long requestedBytes, long reservedBytes, long deviceFreeBytes) {
  /** The requests of a device that failed, in their order. */
  public static List<RecordedFailure> of(Snapshot snapshot, int device) {
    EffectLog effects = snapshot.devices().get(device).effects();
    List<RecordedFailure> failures = new ArrayList<>();
    long reserved = ReservedMemory.of(snapshot, device).startBytes();
    for (int i = 0; i < effects.otherCount(); i++) {
      int row = effects.otherRow(i);
      reserved += ReservedMemory.reservedBy(effects, row);
      if (effects.kind(row) == EffectKind.OOM) {
        failures.add(new RecordedFailure(row, effects.bytes(row), reserved, effects.address(row)));
      }
    }
    return failures;
  }

  /** What the device could give the allocator at most then; negative where it is not known. */
  public long availableBytes() {
    return deviceFreeBytes < 0 ? -1 : reservedBytes + deviceFreeBytes;
  }
}
