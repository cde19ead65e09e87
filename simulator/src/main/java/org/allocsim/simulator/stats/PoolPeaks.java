package org.allocsim.simulator.stats;

/**
 * The highest values of the figures of {@code torch.cuda.memory_stats()}, of one kind of pool or of
 * both together.
 *
 * <p>What is active is what is allocated, until a block is given back that is in use elsewhere;
 * only {@linkplain #distinguishes from then on} do the two have peaks of their own.
 */
class PoolPeaks {
  private long peakAllocations;
  private long peakAllocatedBytes;
  private long peakRequestedBytes;
  private long peakInactiveSplits;
  private long peakInactiveSplitBytes;
  private long peakActive;
  private long peakActiveBytes;
  private long peakSegments;
  private long peakReservedBytes;

  /** Whether active blocks have been others than allocated ones. */
  boolean distinguishes;

  // Peaks are raised rarely enough for branches to be cheaper than writing the higher value.

  final void raiseBlockPeaks(long allocations, long allocatedBytes, long requestedBytes) {
    if (allocations > peakAllocations) {
      peakAllocations = allocations;
    }
    if (allocatedBytes > peakAllocatedBytes) {
      peakAllocatedBytes = allocatedBytes;
    }
    if (requestedBytes > peakRequestedBytes) {
      peakRequestedBytes = requestedBytes;
    }
  }

  /** Active blocks begin to be others than allocated ones. */
  final void distinguish() {
    distinguishes = true;
    peakActive = peakAllocations;
    peakActiveBytes = peakAllocatedBytes;
  }

  final void raiseActivePeaks(long active, long activeBytes) {
    peakActive = Math.max(peakActive, active);
    peakActiveBytes = Math.max(peakActiveBytes, activeBytes);
  }

  final void raiseSplitPeaks(long splits, long splitBytes) {
    if (splits > peakInactiveSplits) {
      peakInactiveSplits = splits;
    }
    if (splitBytes > peakInactiveSplitBytes) {
      peakInactiveSplitBytes = splitBytes;
    }
  }

  final void raiseReservedPeaks(long segments, long reservedBytes) {
    peakSegments = Math.max(peakSegments, segments);
    peakReservedBytes = Math.max(peakReservedBytes, reservedBytes);
  }

  /** The highest value of a statistic. */
  final long peak(PooledStat stat) {
    return switch (stat) {
      case ALLOCATION -> peakAllocations;
      case ALLOCATED_BYTES -> peakAllocatedBytes;
      case ACTIVE -> distinguishes ? peakActive : peakAllocations;
      case ACTIVE_BYTES -> distinguishes ? peakActiveBytes : peakAllocatedBytes;
      case REQUESTED_BYTES -> peakRequestedBytes;
      case INACTIVE_SPLIT -> peakInactiveSplits;
      case INACTIVE_SPLIT_BYTES -> peakInactiveSplitBytes;
      case SEGMENT -> peakSegments;
      case RESERVED_BYTES -> peakReservedBytes;
    };
  }

  final void setPeak(PooledStat stat, long value) {
    switch (stat) {
      case ALLOCATION -> peakAllocations = value;
      case ALLOCATED_BYTES -> peakAllocatedBytes = value;
      case ACTIVE -> peakActive = value;
      case ACTIVE_BYTES -> peakActiveBytes = value;
      case REQUESTED_BYTES -> peakRequestedBytes = value;
      case INACTIVE_SPLIT -> peakInactiveSplits = value;
      case INACTIVE_SPLIT_BYTES -> peakInactiveSplitBytes = value;
      case SEGMENT -> peakSegments = value;
      case RESERVED_BYTES -> peakReservedBytes = value;
    }
  }
}
