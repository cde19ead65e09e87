package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;

/**
 * What the recorded allocator of a device held in segments.
 *
 * @param startBytes before the first entry, found by undoing the history from the segments at its
 *     end; above 0 where the recording began late
 * @param peakBytes the maximum
 */
public record ReservedMemory(long startBytes, long peakBytes) {
  /** That of a device of a snapshot. */
  public static ReservedMemory of(Snapshot snapshot, int device) {
    long startBytes = 0;
    for (SnapshotSegment segment : snapshot.segments()) {
      if (segment.device() == device) {
        startBytes += segment.totalBytes();
      }
    }
    EffectLog effects = snapshot.devices().get(device).effects();
    for (int i = 0; i < effects.otherCount(); i++) {
      startBytes -= reservedBy(effects, effects.otherRow(i));
    }
    long reservedBytes = startBytes;
    long peakBytes = startBytes;
    for (int i = 0; i < effects.otherCount(); i++) {
      reservedBytes += reservedBy(effects, effects.otherRow(i));
      peakBytes = Math.max(peakBytes, reservedBytes);
    }
    return new ReservedMemory(startBytes, peakBytes);
  }

  /** Bytes that a recorded effect reserves; negative where it gives them back. */
  public static long reservedBy(EffectLog effects, int row) {
    return switch (effects.kind(row)) {
      case SEGMENT_ALLOC, SEGMENT_MAP -> effects.bytes(row);
      case SEGMENT_FREE, SEGMENT_UNMAP -> -effects.bytes(row);
      default -> 0;
    };
  }
}
