package org.allocsim.simulator.stats;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;

/**
 * The 122 values of {@code torch.cuda.memory_stats()} (PyTorch 2.11), counted from what a policy
 * reports. Bytes and counts; a peak is the highest value since the start or the last {@link
 * #resetPeak()}, {@code allocated} and {@code freed} add up all increases and decreases since the
 * start or the last {@link #resetAccumulated()}.
 *
 * <p>As in PyTorch, memory of expandable segments counts as reserved but not as a segment, and free
 * parts of expandable segments do not count as inactive splits (the policy reports none).
 */
public final class MemoryStats implements EffectListener, StatsView {
  private static final String[] SINGLE_NAMES = {"oversize_allocations", "oversize_segments"};
  private static final String[] SCALAR_NAMES = {
    "max_split_size",
    "num_alloc_retries",
    "num_device_alloc",
    "num_device_free",
    "num_ooms",
    "num_sync_all_streams"
  };
  private static final List<String> KEYS = sortedKeys();

  /** Of both pools together only the peaks; the rest is the sum of theirs. */
  private final PoolPeaks bothPools = new PoolPeaks();

  private final PoolCounters smallPool;
  private final PoolCounters largePool;
  private final Stat oversizeAllocations = new Stat();
  private final Stat oversizeSegments = new Stat();

  /** What it was at first, which is what is shown. */
  private final long firstOversizeBytes;

  private long oversizeThresholdBytes;
  private long allocationRetries;
  private long outOfMemories;
  private long streamSynchronizations;
  private long deviceAllocations;
  private long deviceFrees;

  /**
   * Statistics of an allocator that has done nothing yet.
   *
   * @param oversizeThresholdBytes {@code max_split_size}: from here on blocks and segments count as
   *     oversize; unsigned, −1 (2^64 − 1) where the option is not set
   */
  public MemoryStats(long oversizeThresholdBytes) {
    this.oversizeThresholdBytes = oversizeThresholdBytes;
    firstOversizeBytes = oversizeThresholdBytes;
    smallPool = new PoolCounters(bothPools, oversizeThresholdBytes, oversizeAllocations);
    largePool = new PoolCounters(bothPools, oversizeThresholdBytes, oversizeAllocations);
    PoolCounters.pair(smallPool, largePool);
  }

  /** The figures of one kind of pool. */
  PoolCounters counters(boolean small) {
    return small ? smallPool : largePool;
  }

  /** All keys in the order of {@code memory_stats()}: plain string order. */
  public static List<String> keys() {
    return KEYS;
  }

  @Override
  public void blockAllocated(
      int id, long address, long requested, long blockBytes, int stream, boolean small) {
    counters(small).countAllocated(requested, blockBytes);
  }

  @Override
  public void freeRequested(
      int id, long address, long requested, long blockBytes, int stream, boolean small) {
    counters(small).requestFree(blockBytes);
  }

  @Override
  public void freeCompleted(
      int id, long address, long requested, long blockBytes, int stream, boolean small) {
    counters(small).completeFree(requested, blockBytes);
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    counters(small).addSegment(bytes);
    if (isOversize(bytes)) {
      oversizeSegments.increase(1);
    }
    deviceAllocations++;
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    counters(small).removeSegment(bytes);
    if (isOversize(bytes)) {
      oversizeSegments.decrease(1);
    }
    deviceFrees++;
  }

  @Override
  public void segmentMapped(long address, long bytes, int stream, boolean small) {
    counters(small).addReserved(bytes);
    deviceAllocations++;
  }

  @Override
  public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    counters(small).removeReserved(bytes);
    deviceFrees++;
  }

  @Override
  public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
    counters(small).changeInactiveSplits(blocks, bytes);
  }

  @Override
  public void allocationRetried() {
    allocationRetries++;
  }

  @Override
  public void streamsSynchronized() {
    streamSynchronizations++;
  }

  /** Blocks and segments that are handed out and given back from now on are measured anew. */
  @Override
  public void splitLimitChanged(long bytes) {
    oversizeThresholdBytes = bytes;
    smallPool.countOversizeFrom(bytes);
    largePool.countOversizeFrom(bytes);
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    outOfMemories++;
  }

  private boolean isOversize(long bytes) {
    return Long.compareUnsigned(bytes, oversizeThresholdBytes) >= 0;
  }

  private long current(PooledStat stat) {
    return smallPool.current(stat) + largePool.current(stat);
  }

  /** Bytes obtained from the device and not returned. */
  public long reservedBytes() {
    return smallPool.reservedBytes() + largePool.reservedBytes();
  }

  /** Highest value of {@link #reservedBytes()}. */
  public long peakReservedBytes() {
    return bothPools.peak(PooledStat.RESERVED_BYTES);
  }

  /** Bytes of the blocks that the program holds, slack included. */
  public long allocatedBytes() {
    return smallPool.allocatedBytes() + largePool.allocatedBytes();
  }

  /** Highest value of {@link #allocatedBytes()}. */
  public long peakAllocatedBytes() {
    return bothPools.peak(PooledStat.ALLOCATED_BYTES);
  }

  /** Bytes of the blocks that the program holds or that are still in use on another stream. */
  public long activeBytes() {
    return current(PooledStat.ACTIVE_BYTES);
  }

  /** Bytes that the program asked for, of the blocks that {@link #activeBytes()} counts. */
  public long requestedBytes() {
    return smallPool.requestedBytes() + largePool.requestedBytes();
  }

  /** Highest value of {@link #requestedBytes()}. */
  public long peakRequestedBytes() {
    return bothPools.peak(PooledStat.REQUESTED_BYTES);
  }

  /** Bytes of free blocks inside partly used segments. */
  public long inactiveSplitBytes() {
    return current(PooledStat.INACTIVE_SPLIT_BYTES);
  }

  /** Number of requests that failed for lack of memory. */
  public long outOfMemories() {
    return outOfMemories;
  }

  /** {@code torch.cuda.reset_peak_memory_stats()}: every peak becomes the current value. */
  public void resetPeak() {
    smallPool.resetPeaks();
    largePool.resetPeaks();
    for (PooledStat stat : PooledStat.values()) {
      bothPools.setPeak(stat, current(stat));
    }
    oversizeAllocations.resetPeak();
    oversizeSegments.resetPeak();
  }

  /**
   * {@code torch.cuda.reset_accumulated_memory_stats()}: the sums of increases and decreases and
   * the event counters start from zero; current values and peaks stay.
   */
  public void resetAccumulated() {
    smallPool.resetSums();
    largePool.resetSums();
    oversizeAllocations.resetAccumulated();
    oversizeSegments.resetAccumulated();
    allocationRetries = 0;
    outOfMemories = 0;
    streamSynchronizations = 0;
    deviceAllocations = 0;
    deviceFrees = 0;
  }

  @Override
  public long get(String key) {
    int first = key.indexOf('.');
    if (first < 0) {
      return scalar(key);
    }
    String name = key.substring(0, first);
    int last = key.lastIndexOf('.');
    String field = key.substring(last + 1);
    if (first == last) {
      return single(name).field(field);
    }
    return pooled(PooledStat.named(name), key.substring(first + 1, last), field);
  }

  /** All values by key, in the order of {@code memory_stats()}. */
  public SortedMap<String, Long> toMap() {
    SortedMap<String, Long> map = new TreeMap<>();
    for (String key : KEYS) {
      map.put(key, get(key));
    }
    return map;
  }

  private long scalar(String name) {
    return switch (name) {
      case "max_split_size" -> firstOversizeBytes;
      case "num_alloc_retries" -> allocationRetries;
      case "num_device_alloc" -> deviceAllocations;
      case "num_device_free" -> deviceFrees;
      case "num_ooms" -> outOfMemories;
      case "num_sync_all_streams" -> streamSynchronizations;
      default -> throw unknown(name);
    };
  }

  private Stat single(String name) {
    return switch (name) {
      case "oversize_allocations" -> oversizeAllocations;
      case "oversize_segments" -> oversizeSegments;
      default -> throw unknown(name);
    };
  }

  private long pooled(PooledStat stat, String part, String field) {
    return switch (part) {
      case "small_pool" -> figure(smallPool, stat, field);
      case "large_pool" -> figure(largePool, stat, field);
      case "all" ->
          field.equals("peak")
              ? bothPools.peak(stat)
              : figure(smallPool, stat, field) + figure(largePool, stat, field);
      default -> throw unknown(stat.key + '.' + part);
    };
  }

  private static long figure(PoolCounters pool, PooledStat stat, String field) {
    return switch (field) {
      case "current" -> pool.current(stat);
      case "peak" -> pool.peak(stat);
      case "allocated" -> pool.allocated(stat);
      case "freed" -> pool.freed(stat);
      default -> throw unknown(stat.key + "." + field);
    };
  }

  static IllegalArgumentException unknown(String name) {
    return new IllegalArgumentException("unknown statistic '" + name + "'");
  }

  private static List<String> sortedKeys() {
    List<String> keys = new ArrayList<>();
    String[] fields = {"allocated", "current", "freed", "peak"};
    for (PooledStat stat : PooledStat.values()) {
      for (String part : new String[] {"all", "large_pool", "small_pool"}) {
        for (String field : fields) {
          keys.add(stat.key + '.' + part + '.' + field);
        }
      }
    }
    for (String name : SINGLE_NAMES) {
      for (String field : fields) {
        keys.add(name + '.' + field);
      }
    }
    Collections.addAll(keys, SCALAR_NAMES);
    Collections.sort(keys);
    return List.copyOf(keys);
  }
}
