package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.trace.PoolId;

/**
 * Finds the pools of segments that the history does not name, one contradiction at a time: each
 * allows a few assumptions, which are tried in turn until the history is explained beyond it.
 */
final class PoolLearning {
  private static final int MAX_AT_ONE_ROW = 64;

  private final SegmentPools pools;
  private int contradictedRow = -1;
  private int conflict = SegmentPools.NONE;
  private int acceptedAtRow;
  private Map<Integer, PoolId> before = Map.of();
  private List<Map<Integer, PoolId>> candidates = List.of();
  private int tried;

  PoolLearning(SegmentPools pools) {
    this.pools = pools;
  }

  /**
   * Makes the next assumption after a contradiction.
   *
   * @param row where the history contradicts
   * @param used segment that the allocator used or released where the history did not
   * @param recorded segment that the history shows used instead
   * @param releasedRun first row of the run of releases that the history shows instead
   * @return whether an assumption was made, so that the derivation must begin again
   */
  boolean learn(int row, int used, int recorded, int releasedRun) {
    boolean advanced = row > contradictedRow;
    boolean otherConflict = row == contradictedRow && used != conflict;
    if (advanced || (otherConflict && acceptedAtRow < MAX_AT_ONE_ROW)) {
      acceptedAtRow = advanced ? 0 : acceptedAtRow + 1;
      contradictedRow = row;
      conflict = used;
      before = pools.assumptions();
      candidates = candidates(used, recorded, releasedRun);
      tried = 0;
    }
    pools.restore(before);
    if (tried >= candidates.size()) {
      return false;
    }
    candidates.get(tried++).forEach(pools::assume);
    return true;
  }

  private List<Map<Integer, PoolId>> candidates(int used, int recorded, int releasedRun) {
    List<Map<Integer, PoolId>> found = new ArrayList<>();
    if (recorded != SegmentPools.NONE) {
      addMoves(found, recorded);
    }
    if (used != SegmentPools.NONE) {
      addMoves(found, used);
    }
    List<Integer> released = pools.releasedInRunOf(releasedRun);
    if (!released.isEmpty()) {
      PoolId shared = pools.poolOfRelease(released.getFirst());
      Map<Integer, PoolId> together = new TreeMap<>();
      released.forEach(segment -> together.put(segment, shared));
      found.add(together);
    }
    return found;
  }

  /** A segment may share a pool with those released along with it, or have one for itself. */
  private void addMoves(List<Map<Integer, PoolId>> found, int segment) {
    if (pools.isKnown(segment)) {
      return;
    }
    PoolId now = pools.pool(segment);
    for (PoolId pool :
        List.of(pools.poolOfRelease(segment), pools.poolOfItsOwn(segment), PoolId.DEFAULT)) {
      if (!pool.equals(now)) {
        found.add(Map.of(segment, pool));
      }
    }
  }
}
