package org.allocsim.workloads.format.pytorch.derive;

import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.DeviceHistory;

/**
 * The segments that exist at one row of a history, by address, and the pools of requests in them.
 */
final class SegmentMap {
  private final EffectLog effects;
  private final DeviceHistory history;
  private final SegmentPools pools;
  private final RecordedCalls calls;
  private final TreeMap<Long, Integer> segmentAt = new TreeMap<>(Long::compareUnsigned);

  /** How many of the rows that are not of blocks were followed. */
  private int followed;

  SegmentMap(DeviceHistory history, SegmentPools pools, MemoryLayout start, RecordedCalls calls) {
    this.history = history;
    this.effects = history.effects();
    this.pools = pools;
    this.calls = calls;
    for (int i = 0; i < start.segmentCount(); i++) {
      segmentAt.put(start.segmentAddress(i), SegmentPools.startSegment(i));
    }
  }

  /** Goes on to a row, which is not before the one gone to last. */
  void followTo(int row) {
    while (followed < effects.otherCount() && effects.otherRow(followed) < row) {
      follow(effects.otherRow(followed));
      followed++;
    }
  }

  private void follow(int row) {
    switch (effects.kind(row)) {
      case SEGMENT_ALLOC, SEGMENT_MAP -> {
        clear(row);
        segmentAt.put(effects.address(row), pools.segmentOf(row));
      }
      case SEGMENT_FREE -> clear(row);
      case SEGMENT_UNMAP -> {
        int segment = around(effects.address(row));
        clear(row);
        // What it has behind these pages may still be mapped.
        segmentAt.putIfAbsent(effects.address(row) + effects.bytes(row), segment);
      }
      default -> {}
    }
  }

  /** Forgets what was at the addresses of a row. */
  private void clear(int row) {
    long address = effects.address(row);
    for (Long at = segmentAt.ceilingKey(address);
        at != null && Long.compareUnsigned(at - address, effects.bytes(row)) < 0;
        at = segmentAt.ceilingKey(address)) {
      segmentAt.remove(at);
    }
  }

  /** Name of the segment around an address, or none where no segment was yet. */
  int around(long address) {
    Map.Entry<Long, Integer> entry = segmentAt.floorEntry(address);
    return entry == null ? SegmentPools.NONE : entry.getValue();
  }

  /** Name of the segment that a row obtained, extended or allocated in, or none. */
  int ofRow(int row) {
    if (row >= effects.count()) {
      return SegmentPools.NONE;
    }
    return switch (effects.kind(row)) {
      case SEGMENT_ALLOC, SEGMENT_MAP -> pools.segmentOf(row);
      case ALLOC -> around(effects.address(row));
      default -> SegmentPools.NONE;
    };
  }

  /**
   * Name of the segment of an allocation, which a row right before it may have obtained.
   *
   * @param from first row that was not followed yet
   */
  int ofRequest(int request, int from) {
    long address = effects.address(request);
    for (int row = request - 1; row >= from; row--) {
      boolean gained =
          effects.kind(row) == EffectKind.SEGMENT_ALLOC
              || effects.kind(row) == EffectKind.SEGMENT_MAP;
      if (gained && Long.compareUnsigned(address - effects.address(row), effects.bytes(row)) < 0) {
        return pools.segmentOf(row);
      }
    }
    return around(address);
  }

  /** Pool of an allocation: that of the segment in which the history shows it. */
  PoolId poolOf(int request, int from) {
    PoolId recorded = history.poolId(request);
    if (recorded != null) {
      return recorded;
    }
    if (effects.kind(request) == EffectKind.OOM) {
      return calls.poolAt(request);
    }
    if (pools.allDefault()) {
      return PoolId.DEFAULT;
    }
    int segment = ofRequest(request, from);
    return segment == SegmentPools.NONE ? PoolId.DEFAULT : pools.pool(segment);
  }

  /** Whether a row releases memory. */
  boolean isRelease(int row) {
    return effects.kind(row) == EffectKind.SEGMENT_FREE
        || effects.kind(row) == EffectKind.SEGMENT_UNMAP;
  }

  /**
   * First row of the run of releases that a row belongs to, that the step at it contains, or that
   * ended right before it.
   */
  int releaseRunStart(int row) {
    int start = Math.min(row, effects.count() - 1);
    while (start < effects.count() && effects.kind(start) == EffectKind.FREE_COMPLETED) {
      start++;
    }
    while (start > 0 && isRelease(start - 1) && (start == effects.count() || isRelease(start))) {
      start--;
    }
    return start;
  }
}
