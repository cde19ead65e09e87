package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/**
 * What a history shows of how much memory the allocator could get.
 *
 * @param highestGrantedBytes largest total, with the whole segment wanted, that was granted
 * @param capacityBytes what the device could give, where it refused for lack of memory
 * @param lowestLimitedBytes smallest total that was refused although the device had memory, so that
 *     the allocator's own limit is below it
 * @param firstReleasedBytes total that was reserved before anything was released
 * @param anyRefused whether any request failed
 */
record HistoryBounds(
    long highestGrantedBytes,
    long capacityBytes,
    long lowestLimitedBytes,
    long firstReleasedBytes,
    boolean anyRefused) {
  private static final long UNKNOWN = Long.MAX_VALUE;

  /** Whether memory up to a total would have been granted. */
  enum Judgement {
    GRANTED,
    REFUSED,
    UNDECIDED
  }

  static HistoryBounds of(HistoryRows rows, MemoryLayout start, AllocatorConfig config) {
    EffectLog effects = rows.effects();
    long reservedBytes = 0;
    for (int i = 0; i < start.segmentCount(); i++) {
      reservedBytes += start.segmentBytes(i);
    }
    long grantedBytes = reservedBytes;
    long capacityBytes = UNKNOWN;
    long limitedBytes = UNKNOWN;
    long firstReleasedBytes = UNKNOWN;
    boolean anyRefused = false;
    long beforeGrowthBytes = -1;
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.row(i);
      long bytes = effects.bytes(row);
      switch (effects.kind(row)) {
        case SEGMENT_ALLOC, SEGMENT_MAP -> {
          beforeGrowthBytes = beforeGrowthBytes < 0 ? reservedBytes : beforeGrowthBytes;
          reservedBytes += bytes;
        }
        case SEGMENT_FREE, SEGMENT_UNMAP -> {
          firstReleasedBytes = firstReleasedBytes == UNKNOWN ? reservedBytes : firstReleasedBytes;
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
          long segmentBytes = config.segmentBytesFor(bytes);
          if (deviceFreeBytes >= segmentBytes) {
            limitedBytes = Math.min(limitedBytes, reservedBytes + segmentBytes);
          } else if (deviceFreeBytes >= 0) {
            capacityBytes = Math.min(capacityBytes, reservedBytes + deviceFreeBytes);
          }
        }
        case FREE_REQUESTED, FREE_COMPLETED, SNAPSHOT -> {}
      }
    }
    return new HistoryBounds(
        grantedBytes, capacityBytes, limitedBytes, firstReleasedBytes, anyRefused);
  }

  /**
   * Limits that the allocator may have had, the most likely first; none where nothing shows that it
   * had one. Any limit between the highest total granted and the lowest refused gives the same
   * refusals; they differ in what garbage collection does, which begins at a share of the limit.
   */
  long[] possibleLimits(double garbageCollectionThreshold) {
    long highest = lowestLimitedBytes == UNKNOWN ? UNKNOWN : lowestLimitedBytes - 1;
    boolean collectsGarbage = garbageCollectionThreshold > 0;
    if (collectsGarbage && firstReleasedBytes != UNKNOWN) {
      highest = Math.min(highest, (long) (firstReleasedBytes / garbageCollectionThreshold));
    }
    if (highest == UNKNOWN || highest < highestGrantedBytes) {
      return new long[0];
    }
    if (!collectsGarbage) {
      return new long[] {highest};
    }
    long span = highest - highestGrantedBytes;
    return new long[] {
      highest,
      highestGrantedBytes,
      highestGrantedBytes + span / 2,
      highestGrantedBytes + span / 4,
      highestGrantedBytes + span / 4 * 3
    };
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
