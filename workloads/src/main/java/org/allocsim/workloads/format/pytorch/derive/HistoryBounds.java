package org.allocsim.workloads.format.pytorch.derive;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/**
 * What a history shows of how much memory the allocator could get.
 *
 * @param highestGrantedBytes largest total, with the whole segment wanted, that was granted
 * @param capacityBytes what the device could give, where it refused for lack of memory
 * @param lowestLimitedBytes smallest total that was refused although the device had memory, so that
 *     the allocator's own limit is below it
 * @param releasedFrom totals that were reserved before runs of releases
 * @param anyRefused whether any request failed
 */
record HistoryBounds(
    long highestGrantedBytes,
    long capacityBytes,
    long lowestLimitedBytes,
    long[] releasedFrom,
    boolean anyRefused) {
  private static final long UNKNOWN = Long.MAX_VALUE;

  /** No GPU has as much. */
  private static final long MAX_LIMIT_BYTES = 1L << 60;

  /** Thresholds of garbage collection that are tried at most. */
  private static final int MAX_THRESHOLDS = 16;

  /** Whether memory up to a total would have been granted. */
  enum Judgement {
    GRANTED,
    REFUSED,
    UNDECIDED
  }

  /** The bounds of a history before which so much was reserved. */
  static HistoryBounds of(HistoryRows rows, long startBytes, AllocatorConfig config) {
    EffectLog effects = rows.effects();
    long reservedBytes = startBytes;
    long grantedBytes = reservedBytes;
    long capacityBytes = UNKNOWN;
    long limitedBytes = UNKNOWN;
    LongStream.Builder releasedFrom = LongStream.builder();
    boolean isReleasing = false;
    boolean anyRefused = false;
    long beforeGrowthBytes = -1;
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.row(i);
      long bytes = effects.bytes(row);
      EffectKind kind = effects.kind(row);
      switch (kind) {
        case SEGMENT_ALLOC, SEGMENT_MAP -> {
          beforeGrowthBytes = beforeGrowthBytes < 0 ? reservedBytes : beforeGrowthBytes;
          reservedBytes += bytes;
        }
        case SEGMENT_FREE, SEGMENT_UNMAP -> {
          if (!isReleasing) {
            releasedFrom.add(reservedBytes);
          }
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
          long maxBytes = DeviceFailure.maxBytes(reservedBytes, bytes, deviceFreeBytes, config);
          capacityBytes = Math.min(capacityBytes, maxBytes);
          if (maxBytes == UNKNOWN && deviceFreeBytes >= 0) {
            limitedBytes = Math.min(limitedBytes, reservedBytes + config.segmentBytesFor(bytes));
          }
        }
        case FREE_REQUESTED, FREE_COMPLETED, SNAPSHOT -> {}
      }
      isReleasing =
          kind == EffectKind.SEGMENT_FREE
              || kind == EffectKind.SEGMENT_UNMAP
              || (isReleasing && kind == EffectKind.FREE_COMPLETED);
    }
    return new HistoryBounds(
        grantedBytes, capacityBytes, limitedBytes, releasedFrom.build().toArray(), anyRefused);
  }

  /**
   * Limits that the allocator may have had, the most likely first; none where nothing shows that it
   * had one. Any limit between the highest total granted and the lowest refused gives the same
   * refusals; they differ in what garbage collection does. It begins where more is reserved than a
   * share of the limit: that share is below every total from which it released, of which the least
   * is tried first.
   */
  long[] possibleLimits(double garbageCollectionThreshold) {
    long highest = lowestLimitedBytes == UNKNOWN ? UNKNOWN : lowestLimitedBytes - 1;
    LongStream.Builder limits = LongStream.builder();
    if (garbageCollectionThreshold > 0) {
      long[] thresholds =
          Arrays.stream(releasedFrom)
              .filter(from -> from > (long) (garbageCollectionThreshold * highestGrantedBytes))
              .sorted()
              .distinct()
              .limit(MAX_THRESHOLDS)
              .toArray();
      for (long from : thresholds) {
        limits.add(Math.min(highest, limitOf(from, garbageCollectionThreshold) - 1));
      }
      if (thresholds.length > 0) {
        highest = Math.min(highest, limitOf(thresholds[0], garbageCollectionThreshold) - 1);
      }
    }
    if (highest == UNKNOWN || highest < highestGrantedBytes) {
      return new long[0];
    }
    limits.add(highest);
    if (garbageCollectionThreshold > 0) {
      long span = highest - highestGrantedBytes;
      for (int quarter = 0; quarter < 4; quarter++) {
        limits.add(highestGrantedBytes + span / 4 * quarter);
      }
    }
    return limits.build().filter(limit -> limit >= highestGrantedBytes).distinct().toArray();
  }

  /** Whether a request failed that the device had memory for. */
  boolean showsLimit() {
    return lowestLimitedBytes != UNKNOWN;
  }

  /** The smallest limit of which a share is at least so much, in whole bytes as PyTorch rounds. */
  private static long limitOf(long thresholdBytes, double share) {
    double estimate = thresholdBytes / share;
    if (estimate >= MAX_LIMIT_BYTES) {
      return MAX_LIMIT_BYTES;
    }
    // The product is rounded down to bytes, so the limit is at most two such steps away.
    long step = 2 + (long) (2 / share);
    long below = Math.max(0, (long) estimate - step);
    long enough = (long) estimate + step;
    while (enough - below > 1) {
      long middle = below + (enough - below) / 2;
      if ((long) (share * middle) < thresholdBytes) {
        below = middle;
      } else {
        enough = middle;
      }
    }
    return enough;
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
