package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/**
 * What a history shows of how much memory the allocator could get: totals that it was granted, and
 * totals that it was refused.
 */
record HistoryBounds(long highestGrantedBytes, long capacityBytes, boolean anyRefused) {
  private static final long UNKNOWN = Long.MAX_VALUE;

  /** Whether memory up to a total would have been granted. */
  enum Judgement {
    GRANTED,
    REFUSED,
    UNDECIDED
  }

  static HistoryBounds of(EffectLog effects, MemoryLayout start, AllocatorConfig config) {
    long reservedBytes = 0;
    for (int i = 0; i < start.segmentCount(); i++) {
      reservedBytes += start.segmentBytes(i);
    }
    long grantedBytes = reservedBytes;
    long capacityBytes = UNKNOWN;
    boolean anyRefused = false;
    long beforeGrowthBytes = -1;
    for (int row = 0; row < effects.count(); row++) {
      long bytes = effects.bytes(row);
      switch (effects.kind(row)) {
        case SEGMENT_ALLOC, SEGMENT_MAP -> {
          beforeGrowthBytes = beforeGrowthBytes < 0 ? reservedBytes : beforeGrowthBytes;
          reservedBytes += bytes;
        }
        case SEGMENT_FREE, SEGMENT_UNMAP -> {
          reservedBytes -= bytes;
          beforeGrowthBytes = -1;
        }
        case ALLOC -> {
          if (beforeGrowthBytes >= 0) {
            grantedBytes =
                Math.max(grantedBytes, beforeGrowthBytes + config.segmentBytesFor(bytes));
            beforeGrowthBytes = -1;
          }
        }
        case OOM -> {
          anyRefused = true;
          beforeGrowthBytes = -1;
          long deviceFreeBytes = effects.address(row);
          if (deviceFreeBytes >= 0 && deviceFreeBytes < config.segmentBytesFor(bytes)) {
            capacityBytes = Math.min(capacityBytes, reservedBytes + deviceFreeBytes);
          }
        }
        case FREE_REQUESTED, FREE_COMPLETED, SNAPSHOT -> {}
      }
    }
    return new HistoryBounds(grantedBytes, capacityBytes, anyRefused);
  }

  /** Whether a total of this many bytes would have been granted. */
  Judgement judge(long totalBytes) {
    if (totalBytes > capacityBytes) {
      return Judgement.REFUSED;
    }
    if (totalBytes <= highestGrantedBytes) {
      return Judgement.GRANTED;
    }
    return anyRefused ? Judgement.REFUSED : Judgement.UNDECIDED;
  }
}
