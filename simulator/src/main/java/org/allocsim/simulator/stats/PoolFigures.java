package org.allocsim.simulator.stats;

/**
 * The figures of {@code torch.cuda.memory_stats()} for one kind of pool: what is there now, the
 * highest values, and the sums of all increases. Each event touches one of these objects and the
 * peaks of both kinds together.
 *
 * <p>A block becomes allocated and active at once, so that both have the same sum of increases.
 */
final class PoolFigures {
  // What is there now.
  long allocations;
  long allocatedBytes;
  long active;
  long activeBytes;
  long requestedBytes;
  long inactiveSplits;
  long inactiveSplitBytes;
  long segments;
  long reservedBytes;

  // The highest values.
  private long peakAllocations;
  private long peakAllocatedBytes;
  private long peakActive;
  private long peakActiveBytes;
  private long peakRequestedBytes;
  private long peakInactiveSplits;
  private long peakInactiveSplitBytes;
  private long peakSegments;
  private long peakReservedBytes;

  // The sums of all increases.
  private long allAllocations;
  private long allAllocatedBytes;
  private long allRequestedBytes;
  private long allInactiveSplits;
  private long allInactiveSplitBytes;
  private long allSegments;
  private long allReservedBytes;

  /** What was there when sums began, null for nothing. */
  private PoolFigures start;

  /** A block of so many bytes is handed out. */
  void allocate(long requested, long blockBytes) {
    allAllocations++;
    allAllocatedBytes += blockBytes;
    allRequestedBytes += requested;
    allocations++;
    allocatedBytes += blockBytes;
    active++;
    activeBytes += blockBytes;
    requestedBytes += requested;
    raiseBlockPeaks(
        this.allocations, this.allocatedBytes, this.active, this.activeBytes, this.requestedBytes);
  }

  void changeInactiveSplits(int blocks, long bytes) {
    inactiveSplits += blocks;
    inactiveSplitBytes += bytes;
    if (blocks <= 0 && bytes <= 0) {
      return;
    }
    allInactiveSplits += Math.max(blocks, 0);
    allInactiveSplitBytes += Math.max(bytes, 0);
    raiseSplitPeaks(inactiveSplits, inactiveSplitBytes);
  }

  void addSegment(long bytes) {
    segments++;
    allSegments++;
    addReserved(bytes);
  }

  void addReserved(long bytes) {
    reservedBytes += bytes;
    allReservedBytes += bytes;
    raiseReservedPeaks(segments, reservedBytes);
  }

  // Peaks, here of one kind of pool or of both together.

  void raiseBlockPeaks(
      long newAllocations,
      long newAllocatedBytes,
      long newActive,
      long newActiveBytes,
      long newRequestedBytes) {
    // Rare enough for branches to be cheaper than writing the higher value each time.
    if (newAllocations > peakAllocations) {
      peakAllocations = newAllocations;
    }
    if (newAllocatedBytes > peakAllocatedBytes) {
      peakAllocatedBytes = newAllocatedBytes;
    }
    if (newActive > peakActive) {
      peakActive = newActive;
    }
    if (newActiveBytes > peakActiveBytes) {
      peakActiveBytes = newActiveBytes;
    }
    if (newRequestedBytes > peakRequestedBytes) {
      peakRequestedBytes = newRequestedBytes;
    }
  }

  void raiseSplitPeaks(long newSplits, long newSplitBytes) {
    if (newSplits > peakInactiveSplits) {
      peakInactiveSplits = newSplits;
    }
    if (newSplitBytes > peakInactiveSplitBytes) {
      peakInactiveSplitBytes = newSplitBytes;
    }
  }

  void raiseReservedPeaks(long newSegments, long newReservedBytes) {
    peakSegments = Math.max(peakSegments, newSegments);
    peakReservedBytes = Math.max(peakReservedBytes, newReservedBytes);
  }

  /** Every peak becomes what is there now. */
  void resetPeaks() {
    setPeaks(this, null);
  }

  /** Every peak becomes what is there now in two pools together. */
  void setPeaks(PoolFigures a, PoolFigures b) {
    for (PooledStat stat : PooledStat.values()) {
      setPeak(stat, a.current(stat) + (b == null ? 0 : b.current(stat)));
    }
  }

  /** Sums start at zero; what is there now and peaks stay. */
  void resetSums() {
    PoolFigures now = new PoolFigures();
    now.allocations = allocations;
    now.allocatedBytes = allocatedBytes;
    now.active = active;
    now.activeBytes = activeBytes;
    now.requestedBytes = requestedBytes;
    now.inactiveSplits = inactiveSplits;
    now.inactiveSplitBytes = inactiveSplitBytes;
    now.segments = segments;
    now.reservedBytes = reservedBytes;
    start = now;
    allAllocations = 0;
    allAllocatedBytes = 0;
    allRequestedBytes = 0;
    allInactiveSplits = 0;
    allInactiveSplitBytes = 0;
    allSegments = 0;
    allReservedBytes = 0;
  }

  /** The value of a statistic now. */
  long current(PooledStat stat) {
    return switch (stat) {
      case ALLOCATION -> allocations;
      case ALLOCATED_BYTES -> allocatedBytes;
      case ACTIVE -> active;
      case ACTIVE_BYTES -> activeBytes;
      case REQUESTED_BYTES -> requestedBytes;
      case INACTIVE_SPLIT -> inactiveSplits;
      case INACTIVE_SPLIT_BYTES -> inactiveSplitBytes;
      case SEGMENT -> segments;
      case RESERVED_BYTES -> reservedBytes;
    };
  }

  /** Its highest value. */
  long peak(PooledStat stat) {
    return switch (stat) {
      case ALLOCATION -> peakAllocations;
      case ALLOCATED_BYTES -> peakAllocatedBytes;
      case ACTIVE -> peakActive;
      case ACTIVE_BYTES -> peakActiveBytes;
      case REQUESTED_BYTES -> peakRequestedBytes;
      case INACTIVE_SPLIT -> peakInactiveSplits;
      case INACTIVE_SPLIT_BYTES -> peakInactiveSplitBytes;
      case SEGMENT -> peakSegments;
      case RESERVED_BYTES -> peakReservedBytes;
    };
  }

  private void setPeak(PooledStat stat, long value) {
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

  /** The sum of its increases. */
  long allocated(PooledStat stat) {
    return switch (stat) {
      case ALLOCATION, ACTIVE -> allAllocations;
      case ALLOCATED_BYTES, ACTIVE_BYTES -> allAllocatedBytes;
      case REQUESTED_BYTES -> allRequestedBytes;
      case INACTIVE_SPLIT -> allInactiveSplits;
      case INACTIVE_SPLIT_BYTES -> allInactiveSplitBytes;
      case SEGMENT -> allSegments;
      case RESERVED_BYTES -> allReservedBytes;
    };
  }

  /** The sum of its decreases: what was added and is not there any more. */
  long freed(PooledStat stat) {
    return (start == null ? 0 : start.current(stat)) + allocated(stat) - current(stat);
  }
}
