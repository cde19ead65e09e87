package org.allocsim.workloads.format.pytorch.derive;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.jspecify.annotations.Nullable;

/**
 * Finds which pool each segment of a history belongs to. PyTorch 2.11 writes the pool only with the
 * segments that exist at the end; the pool of one that was returned before is the default pool
 * until the history contradicts.
 *
 * <p>A segment is named by the row that allocated it or mapped its first pages, or by −2 − i where
 * it is the i-th segment of the start.
 */
final class SegmentPools {
  /** No segment. */
  static final int NONE = -1;

  private final EffectLog effects;
  private final HistoryRows rows;
  private final List<SnapshotSegment> segments;
  private final List<PoolId> startPools;
  private final Map<Integer, PoolId> poolOfSegment = new HashMap<>();
  private final Map<Integer, PoolId> recorded;
  private final Map<Integer, PoolId> assumed = new TreeMap<>();
  private boolean anyPrivate;
  private final PageRanges pages;
  private final SegmentReleases releases;

  /**
   * Pools as far as the snapshot names them.
   *
   * @param segments what the device holds at the end
   * @param start what it holds at the start
   * @param startPools pools of the segments of the start; null where the snapshot does not say
   * @param calls what the program did with pools, as far as it was recorded
   */
  SegmentPools(
      DeviceHistory history,
      HistoryRows rows,
      List<SnapshotSegment> segments,
      MemoryLayout start,
      List<PoolId> startPools,
      RecordedCalls calls) {
    this.effects = history.effects();
    this.rows = rows;
    this.segments = segments;
    this.startPools = startPools;
    anyPrivate = segments.stream().anyMatch(segment -> !segment.pool().isDefault());
    pages = new PageRanges(rows, start);
    releases = new SegmentReleases(rows, pages);
    findSurvivors();
    findNamedPools(history);
    recorded = calls.poolsOfSegments(effects, pages);
    recorded.keySet().removeIf(this::isKnown);
    assumed.putAll(recorded);
  }

  /** From 2.12 on every entry names its pool. */
  private void findNamedPools(DeviceHistory history) {
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.row(i);
      boolean obtains =
          effects.kind(row) == EffectKind.SEGMENT_ALLOC
              || effects.kind(row) == EffectKind.SEGMENT_MAP;
      PoolId pool = obtains ? history.poolId(row) : null;
      if (pool != null) {
        poolOfSegment.put(segmentOf(row), pool);
        anyPrivate |= !pool.isDefault();
      }
    }
  }

  /** Name of the segment that a row obtained or extended. */
  int segmentOf(int row) {
    return effects.kind(row) == EffectKind.SEGMENT_MAP ? pages.segmentOf(row) : row;
  }

  /** Name of the i-th segment of the start. */
  static int startSegment(int index) {
    return -2 - index;
  }

  /** Whether every segment is taken to be in the default pool. */
  boolean allDefault() {
    return !anyPrivate && assumed.isEmpty();
  }

  /** The pool of a segment, as known or assumed. */
  PoolId pool(int segment) {
    PoolId known = knownPool(segment);
    return known != null ? known : assumed.getOrDefault(segment, PoolId.DEFAULT);
  }

  /** Whether the history itself names the pool of a segment. */
  boolean isKnown(int segment) {
    return knownPool(segment) != null;
  }

  /** Takes a segment whose pool the history does not name to be in a pool. */
  void assume(int segment, PoolId pool) {
    assumed.put(segment, pool);
  }

  /** What is assumed now. */
  Map<Integer, PoolId> assumptions() {
    return new TreeMap<>(assumed);
  }

  /** Goes back to earlier assumptions. */
  void restore(Map<Integer, PoolId> assumptions) {
    assumed.clear();
    assumed.putAll(assumptions);
  }

  /** Number of segments whose private pool was assumed, and not recorded. */
  long assumedCount() {
    return assumed.entrySet().stream()
        .filter(each -> !each.getValue().equals(recorded.get(each.getKey())))
        .count();
  }

  /** Number of private pools that the segments at the end name. */
  long knownPrivateCount() {
    return segments.stream()
        .map(SnapshotSegment::pool)
        .filter(pool -> !pool.isDefault())
        .distinct()
        .count();
  }

  /** Pools that occur. */
  List<PoolId> pools() {
    return Stream.of(
            segments.stream().map(SnapshotSegment::pool),
            poolOfSegment.values().stream(),
            assumed.values().stream())
        .flatMap(each -> each)
        .distinct()
        .sorted(
            Comparator.comparing(PoolId::isPyTorchs, Comparator.reverseOrder())
                .thenComparingLong(PoolId::capture)
                .thenComparingLong(pool -> Math.abs(pool.user())))
        .toList();
  }

  /**
   * The pool that a segment shares with all whose memory is released in the same run of rows.
   * Numbers grow with the row of the release, the order in which such pools are visited.
   */
  PoolId poolOfRelease(int segment) {
    return inferredPool(releases.runStart(segment));
  }

  /** A pool that a segment has for itself. */
  PoolId poolOfItsOwn(int segment) {
    return inferredPool(releases.row(segment));
  }

  private PoolId inferredPool(int row) {
    return PoolId.unnamed(row);
  }

  /** Segments in no known pool whose memory is released in the run of rows around a row. */
  List<Integer> releasedInRunOf(int row) {
    return releases.segmentsOfRun(row).stream().filter(segment -> !isKnown(segment)).toList();
  }

  private @Nullable PoolId knownPool(int segment) {
    PoolId known = poolOfSegment.get(segment);
    return known == null && segment <= startSegment(0)
        ? startPools.get(startSegment(0) - segment)
        : known;
  }

  /** Finds the pools of segments that still exist at the end. */
  private void findSurvivors() {
    TreeMap<Long, SnapshotSegment> byAddress = new TreeMap<>(Long::compareUnsigned);
    for (SnapshotSegment segment : segments) {
      if (segment.expandable()) {
        poolOfSegment.put(pages.segmentAtEnd(segment.address()), segment.pool());
      } else {
        byAddress.put(segment.address(), segment);
      }
    }
    Set<Long> settled = new HashSet<>();
    for (int i = rows.count() - 1; i >= 0; i--) {
      int row = rows.row(i);
      EffectKind kind = effects.kind(row);
      long address = effects.address(row);
      boolean last =
          (kind == EffectKind.SEGMENT_ALLOC || kind == EffectKind.SEGMENT_FREE)
              && settled.add(address);
      // The last allocation at an address made the segment that is there at the end.
      if (last && kind == EffectKind.SEGMENT_ALLOC && byAddress.containsKey(address)) {
        poolOfSegment.put(row, byAddress.get(address).pool());
      }
    }
  }
}
