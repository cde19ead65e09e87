package org.allocsim.workloads.format.pytorch.derive;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;

/**
 * Tells which pool each segment of a history belongs to. PyTorch 2.11 writes the pool only with the
 * segments that exist at the end; the pool of one that was returned before is the default pool
 * until the history contradicts.
 *
 * <p>A segment is named by the row that allocated or mapped it, or by −2 − i where it is the i-th
 * segment of the start.
 */
final class SegmentPools {
  /** No segment. */
  static final int NONE = -1;

  /** No two pages of one expandable segment are this far apart on a device of up to 64 GiB. */
  private static final long MOST_RANGE_BYTES = 64L << 30;

  private final EffectLog effects;
  private final List<SnapshotSegment> segments;
  private final List<PoolId> startPools;
  private final Map<Integer, PoolId> poolOfRow = new HashMap<>();
  private final Map<Integer, PoolId> assumed = new TreeMap<>();
  private final boolean anyPrivate;
  private final long highestKnownUser;
  private final SegmentReleases releases;

  /**
   * Pools as far as the snapshot tells them.
   *
   * @param segments what the device holds at the end
   * @param startPools pools of the segments of the start; null where the snapshot does not tell
   */
  SegmentPools(EffectLog effects, List<SnapshotSegment> segments, List<PoolId> startPools) {
    this.effects = effects;
    this.segments = segments;
    this.startPools = startPools;
    anyPrivate = segments.stream().anyMatch(segment -> !segment.pool().isDefault());
    highestKnownUser = segments.stream().mapToLong(s -> s.pool().user()).max().orElse(0);
    releases = new SegmentReleases(effects);
    findSurvivors();
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

  /** Whether the history itself tells the pool of a segment. */
  boolean isKnown(int segment) {
    return knownPool(segment) != null;
  }

  /** Takes a segment whose pool the history does not tell to be in a pool. */
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

  /** Number of segments whose private pool was assumed. */
  int assumedCount() {
    return assumed.size();
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
    return Stream.concat(segments.stream().map(SnapshotSegment::pool), assumed.values().stream())
        .distinct()
        .sorted(Comparator.comparingLong(PoolId::capture).thenComparingLong(PoolId::user))
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
    return new PoolId(0, highestKnownUser + 1 + row);
  }

  /** Segments in no known pool whose memory is released in the run of rows around a row. */
  List<Integer> releasedInRunOf(int row) {
    return releases.segmentsOfRun(row).stream().filter(segment -> !isKnown(segment)).toList();
  }

  private PoolId knownPool(int segment) {
    return segment <= startSegment(0)
        ? startPools.get(startSegment(0) - segment)
        : poolOfRow.get(segment);
  }

  /** Finds for every row that obtained memory the segment at the end that still has it. */
  private void findSurvivors() {
    TreeMap<Long, SnapshotSegment> byAddress = new TreeMap<>(Long::compareUnsigned);
    for (SnapshotSegment segment : segments) {
      byAddress.put(segment.address(), segment);
    }
    Set<Long> settled = new HashSet<>();
    for (int row = effects.count() - 1; row >= 0; row--) {
      SnapshotSegment survivor =
          switch (effects.kind(row)) {
            // The last allocation at an address made the segment that is there at the end.
            case SEGMENT_ALLOC ->
                settled.add(effects.address(row)) ? byAddress.get(effects.address(row)) : null;
            case SEGMENT_MAP ->
                nearestExpandable(byAddress, effects.address(row), effects.stream(row));
            case SEGMENT_FREE -> {
              settled.add(effects.address(row));
              yield null;
            }
            default -> null;
          };
      if (survivor != null) {
        poolOfRow.put(row, survivor.pool());
      }
    }
  }

  /**
   * Pages of one address range share a pool: the nearest run of the stream tells it, unless it is
   * so far away that it must lie in another range.
   */
  private static SnapshotSegment nearestExpandable(
      TreeMap<Long, SnapshotSegment> byAddress, long address, int stream) {
    SnapshotSegment best = null;
    for (var candidate :
        Arrays.asList(byAddress.floorEntry(address), byAddress.ceilingEntry(address))) {
      if (candidate != null
          && candidate.getValue().expandable()
          && candidate.getValue().stream() == stream
          && Math.abs(candidate.getKey() - address) < MOST_RANGE_BYTES
          && (best == null
              || Math.abs(candidate.getKey() - address) < Math.abs(best.address() - address))) {
        best = candidate.getValue();
      }
    }
    return best;
  }
}
