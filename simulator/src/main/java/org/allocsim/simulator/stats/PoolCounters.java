package org.allocsim.simulator.stats;

import org.jspecify.annotations.Nullable;

/**
 * The figures of {@code torch.cuda.memory_stats()} for one kind of pool: what is there now, the
 * highest values, and the sums of all increases. An event touches the figures of one kind, and the
 * peaks of both together.
 *
 * <p>Most increases pass no peak. So that each need not be compared with the peaks of this kind and
 * of both, each kind has limits, none above its own peak, that add up to no more than the peak of
 * both: as long as both kinds stay within theirs, no peak is passed. Where one would not, the peaks
 * are looked at, and the two share anew what is left below them.
 *
 * <p>What comes and goes with every request is kept as the sum of all increases and its ceiling:
 * the limit and the sum of all decreases. An increase changes the one and is compared with the
 * other, a decrease changes the other; what is there now is the difference, less the limit.
 *
 * <p>Policies only count here, and only what nearly every request does; see {@link BlockEffects}.
 *
 * <p>A block becomes allocated and active at once, so that both have the same sum of increases; it
 * is pending while it is given back and still active.
 */
public final class PoolCounters extends PoolPeaks {
  private static final long NO_OVERSIZE = -1;

  // What is there now.
  private long inactiveSplits;
  private long pending;
  private long pendingBytes;
  private long segments;
  private long reservedBytes;

  // How much may be there before the peaks have to be looked at.
  private long allocationLimit;
  private long allocatedLimitBytes;
  private long requestedLimitBytes;
  private long splitLimit;
  private long splitLimitBytes;

  // The sums of all increases.
  private long allAllocations;
  private long allAllocatedBytes;
  private long allRequestedBytes;
  private long allInactiveSplits;
  private long allInactiveSplitBytes;
  private long allSegments;
  private long allReservedBytes;

  // Where sums pass a limit.
  private long allocationCeiling;
  private long allocatedCeilingBytes;
  private long requestedCeilingBytes;
  private long splitCeilingBytes;

  /** What was there when sums were last reset, by statistic; null where they never were. */
  private long @Nullable [] start;

  /** What the sums were then. */
  private long @Nullable [] startOfSums;

  private long oversizeFromBytes;

  /** Whether some block may count for more than the sums and peaks, so that all are looked at. */
  private boolean looksAtAll;

  private final Stat oversizeAllocations;
  private final PoolPeaks bothPools;

  /** The figures of the other kind. */
  private PoolCounters other;

  /**
   * The figures of a pool that is empty.
   *
   * @param bothPools the peaks of this and the other kind together
   * @param oversizeAllocations counts blocks from so many bytes on, unsigned
   */
  PoolCounters(PoolPeaks bothPools, long oversizeFromBytes, Stat oversizeAllocations) {
    this.bothPools = bothPools;
    this.oversizeFromBytes = oversizeFromBytes;
    this.oversizeAllocations = oversizeAllocations;
    other = this;
    if (oversizeFromBytes != NO_OVERSIZE) {
      lookAtAll();
    }
  }

  /** From now on, blocks from so many bytes on count as oversize, unsigned. */
  void countOversizeFrom(long bytes) {
    oversizeFromBytes = bytes;
    lookAtAll();
  }

  /** Makes two kinds of pool known to each other. */
  static void pair(PoolCounters a, PoolCounters b) {
    a.other = b;
    b.other = a;
  }

  // Blocks.

  /** A block is handed out. */
  public void countAllocated(long requestedBytes, long blockBytes) {
    long newAllocations = allAllocations + 1;
    long newAllocatedBytes = allAllocatedBytes + blockBytes;
    long newRequestedBytes = allRequestedBytes + requestedBytes;
    allAllocations = newAllocations;
    allAllocatedBytes = newAllocatedBytes;
    allRequestedBytes = newRequestedBytes;
    if (newAllocations > allocationCeiling
        || newAllocatedBytes > allocatedCeilingBytes
        || newRequestedBytes > requestedCeilingBytes) {
      lookAtBlockPeaks(blockBytes);
    }
  }

  /** A block was handed out that may have raised peaks. */
  private void lookAtBlockPeaks(long blockBytes) {
    raiseBlockPeaks(allocations(), allocatedBytes(), requestedBytes());
    bothPools.raiseBlockPeaks(
        allocations() + other.allocations(),
        allocatedBytes() + other.allocatedBytes(),
        requestedBytes() + other.requestedBytes());
    if (!looksAtAll) {
      shareBlockPeaks();
      return;
    }
    if (bothPools.distinguishes) {
      raiseActivePeaks();
    }
    if (isOversize(blockBytes)) {
      oversizeAllocations.increase(1);
    }
  }

  private void shareBlockPeaks() {
    long most = limit(PooledStat.ALLOCATION);
    long maxAllocatedBytes = limit(PooledStat.ALLOCATED_BYTES);
    long maxRequestedBytes = limit(PooledStat.REQUESTED_BYTES);
    limitBlocks(most, maxAllocatedBytes, maxRequestedBytes);
    other.limitBlocks(
        rest(PooledStat.ALLOCATION, most),
        rest(PooledStat.ALLOCATED_BYTES, maxAllocatedBytes),
        rest(PooledStat.REQUESTED_BYTES, maxRequestedBytes));
  }

  private void limitBlocks(long most, long maxAllocatedBytes, long maxRequestedBytes) {
    allocationCeiling += most - allocationLimit;
    allocationLimit = most;
    allocatedCeilingBytes += maxAllocatedBytes - allocatedLimitBytes;
    allocatedLimitBytes = maxAllocatedBytes;
    requestedCeilingBytes += maxRequestedBytes - requestedLimitBytes;
    requestedLimitBytes = maxRequestedBytes;
  }

  /**
   * The limit of a kind that asks for more: half at least of what is left below the peak of both.
   */
  private long limit(PooledStat stat) {
    long bothPeak = bothPools.peak(stat);
    long otherCurrent = other.current(stat);
    long left = bothPeak - current(stat) - otherCurrent;
    return Math.min(peak(stat), bothPeak - Math.min(other.peak(stat), otherCurrent + left / 2));
  }

  /** The limit of the other kind where this one has a limit. */
  private long rest(PooledStat stat, long limit) {
    return Math.min(other.peak(stat), bothPools.peak(stat) - limit);
  }

  private void lookAtAll() {
    looksAtAll = true;
    limitBlocks(-1, allocatedLimitBytes, requestedLimitBytes);
  }

  /** A block is given back and reusable at once. */
  public void countFreed(long requestedBytes, long blockBytes) {
    allocationCeiling++;
    allocatedCeilingBytes += blockBytes;
    requestedCeilingBytes += requestedBytes;
    if (isOversize(blockBytes)) {
      oversizeAllocations.decrease(1);
    }
  }

  /** A block is given back and may be in use elsewhere. */
  void requestFree(long blockBytes) {
    distinguishActive();
    allocationCeiling++;
    allocatedCeilingBytes += blockBytes;
    pending++;
    pendingBytes += blockBytes;
    if (isOversize(blockBytes)) {
      oversizeAllocations.decrease(1);
    }
  }

  /** A block that was given back is no longer in use. */
  void completeFree(long requestedBytes, long blockBytes) {
    pending--;
    pendingBytes -= blockBytes;
    requestedCeilingBytes += requestedBytes;
  }

  private boolean isOversize(long blockBytes) {
    return Long.compareUnsigned(blockBytes, oversizeFromBytes) >= 0;
  }

  private void distinguishActive() {
    if (!bothPools.distinguishes) {
      bothPools.distinguish();
      distinguish();
      lookAtAll();
      other.distinguish();
      other.lookAtAll();
    }
  }

  private void raiseActivePeaks() {
    long active = allocations() + pending;
    long activeBytes = allocatedBytes() + pendingBytes;
    raiseActivePeaks(active, activeBytes);
    bothPools.raiseActivePeaks(
        active + other.allocations() + other.pending,
        activeBytes + other.allocatedBytes() + other.pendingBytes);
  }

  // Free parts of segments in use.

  /**
   * The free parts of partly used segments became fewer or smaller.
   *
   * @param parts by how many there are fewer, at least 0
   * @param bytes by how much they are less, at least 0
   */
  public void countInactiveSplitsReduced(int parts, long bytes) {
    inactiveSplits -= parts;
    splitCeilingBytes += bytes;
  }

  /**
   * There is a new free part of a partly used segment.
   *
   * @param absorbed how many such parts it absorbed
   * @param addedBytes what it has more than these
   */
  public void countInactiveSplitAdded(int absorbed, long addedBytes) {
    // One where none was absorbed, else none; without a branch.
    allInactiveSplits += absorbed - 1 >>> Integer.SIZE - 1;
    addInactiveSplitBytes(1 - absorbed, addedBytes);
  }

  /** Their number and bytes change by a net amount. */
  void changeInactiveSplits(int parts, long bytes) {
    allInactiveSplits += Math.max(parts, 0);
    splitCeilingBytes += Math.max(-bytes, 0);
    addInactiveSplitBytes(parts, Math.max(bytes, 0));
  }

  private void addInactiveSplitBytes(int parts, long addedBytes) {
    long newSplits = inactiveSplits + parts;
    long newSplitBytes = allInactiveSplitBytes + addedBytes;
    inactiveSplits = newSplits;
    allInactiveSplitBytes = newSplitBytes;
    if (newSplits > splitLimit || newSplitBytes > splitCeilingBytes) {
      lookAtSplitPeaks();
    }
  }

  private void lookAtSplitPeaks() {
    raiseSplitPeaks(inactiveSplits, inactiveSplitBytes());
    bothPools.raiseSplitPeaks(
        inactiveSplits + other.inactiveSplits, inactiveSplitBytes() + other.inactiveSplitBytes());
    splitLimit = limit(PooledStat.INACTIVE_SPLIT);
    other.splitLimit = rest(PooledStat.INACTIVE_SPLIT, splitLimit);
    long maxBytes = limit(PooledStat.INACTIVE_SPLIT_BYTES);
    limitSplitBytes(maxBytes);
    other.limitSplitBytes(rest(PooledStat.INACTIVE_SPLIT_BYTES, maxBytes));
  }

  private void limitSplitBytes(long maxBytes) {
    splitCeilingBytes += maxBytes - splitLimitBytes;
    splitLimitBytes = maxBytes;
  }

  // Memory of the device.

  void addSegment(long bytes) {
    segments++;
    allSegments++;
    addReserved(bytes);
  }

  void addReserved(long bytes) {
    reservedBytes += bytes;
    allReservedBytes += bytes;
    raiseReservedPeaks(segments, reservedBytes);
    bothPools.raiseReservedPeaks(segments + other.segments, reservedBytes + other.reservedBytes);
  }

  void removeSegment(long bytes) {
    segments--;
    reservedBytes -= bytes;
  }

  void removeReserved(long bytes) {
    reservedBytes -= bytes;
  }

  // Values.

  /** Every peak becomes what is there now. */
  void resetPeaks() {
    for (PooledStat stat : PooledStat.values()) {
      setPeak(stat, current(stat));
    }
    limitBlocks(looksAtAll ? allocationLimit : allocations(), allocatedBytes(), requestedBytes());
    splitLimit = inactiveSplits;
    limitSplitBytes(inactiveSplitBytes());
  }

  /** Sums start at zero; what is there now and peaks stay. */
  void resetSums() {
    PooledStat[] stats = PooledStat.values();
    start = new long[stats.length];
    startOfSums = new long[stats.length];
    for (PooledStat stat : stats) {
      start[stat.ordinal()] = current(stat);
      startOfSums[stat.ordinal()] = sum(stat);
    }
  }

  private long allocations() {
    return allAllocations - allocationCeiling + allocationLimit;
  }

  long allocatedBytes() {
    return allAllocatedBytes - allocatedCeilingBytes + allocatedLimitBytes;
  }

  long requestedBytes() {
    return allRequestedBytes - requestedCeilingBytes + requestedLimitBytes;
  }

  long reservedBytes() {
    return reservedBytes;
  }

  private long inactiveSplitBytes() {
    return allInactiveSplitBytes - splitCeilingBytes + splitLimitBytes;
  }

  /** The value of a statistic now. */
  long current(PooledStat stat) {
    return switch (stat) {
      case ALLOCATION -> allocations();
      case ALLOCATED_BYTES -> allocatedBytes();
      case ACTIVE -> allocations() + pending;
      case ACTIVE_BYTES -> allocatedBytes() + pendingBytes;
      case REQUESTED_BYTES -> requestedBytes();
      case INACTIVE_SPLIT -> inactiveSplits;
      case INACTIVE_SPLIT_BYTES -> inactiveSplitBytes();
      case SEGMENT -> segments;
      case RESERVED_BYTES -> reservedBytes;
    };
  }

  /** The sum of its increases. */
  long allocated(PooledStat stat) {
    return sum(stat) - (startOfSums == null ? 0 : startOfSums[stat.ordinal()]);
  }

  private long sum(PooledStat stat) {
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
    return (start == null ? 0 : start[stat.ordinal()]) + allocated(stat) - current(stat);
  }
}
