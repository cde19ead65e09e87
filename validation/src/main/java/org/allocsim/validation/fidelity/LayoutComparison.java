package org.allocsim.validation.fidelity;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;

/** Compares the segments and blocks at the end of a simulation with those of a snapshot. */
final class LayoutComparison {
  private static final int MAX_DIFFERENCES = 20;

  private final MemoryLayout simulated;
  private final AllocationTrace trace;
  private final boolean comparesInactiveRequests;
  private final List<String> differences = new ArrayList<>();
  private int found;

  private LayoutComparison(
      MemoryLayout simulated, AllocationTrace trace, boolean comparesInactiveRequests) {
    this.simulated = simulated;
    this.trace = trace;
    this.comparesInactiveRequests = comparesInactiveRequests;
  }

  /**
   * The differences, one line each.
   *
   * @param comparesInactiveRequests whether the last requests of free blocks are compared; what
   *     those were before a history begins is not recorded
   */
  static List<String> differences(
      List<SnapshotSegment> recorded,
      MemoryLayout simulated,
      AllocationTrace trace,
      boolean comparesInactiveRequests) {
    LayoutComparison comparison = new LayoutComparison(simulated, trace, comparesInactiveRequests);
    List<SnapshotSegment> sorted =
        recorded.stream().sorted((a, b) -> Long.compareUnsigned(a.address(), b.address())).toList();
    comparison.compare(sorted);
    if (comparison.found > MAX_DIFFERENCES) {
      comparison.differences.add((comparison.found - MAX_DIFFERENCES) + " further differences");
    }
    return comparison.differences;
  }

  private void compare(List<SnapshotSegment> recorded) {
    if (recorded.size() != simulated.segmentCount()) {
      differ("segments: recorded " + recorded.size() + ", simulated " + simulated.segmentCount());
    }
    int segments = Math.min(recorded.size(), simulated.segmentCount());
    for (int i = 0; i < segments; i++) {
      compareSegment(recorded.get(i), i);
    }
  }

  private void compareSegment(SnapshotSegment recorded, int segment) {
    String place = "segment " + Long.toUnsignedString(recorded.address());
    equal(place, "address", recorded.address(), simulated.segmentAddress(segment));
    if (recorded.address() != simulated.segmentAddress(segment)) {
      return;
    }
    equal(place, "total_size", recorded.totalBytes(), simulated.segmentBytes(segment));
    equal(place, "stream", recorded.stream(), simulated.stream(segment));
    equal(place, "small pool", recorded.small() ? 1 : 0, simulated.isSmall(segment) ? 1 : 0);
    equal(
        place,
        "expandable",
        recorded.expandable() ? 1 : 0,
        simulated.isExpandable(segment) ? 1 : 0);
    if (!recorded.pool().equals(trace.poolId(simulated.segmentPool(segment)))) {
      differ(
          "%s: pool recorded %s, simulated %s"
              .formatted(place, recorded.pool(), trace.poolId(simulated.segmentPool(segment))));
    }
    compareBlocks(recorded, segment, place);
  }

  private void compareBlocks(SnapshotSegment recorded, int segment, String place) {
    int first = simulated.firstBlock(segment);
    int count = simulated.firstBlock(segment + 1) - first;
    equal(place, "blocks", recorded.blockCount(), count);
    long allocatedBytes = 0;
    long activeBytes = 0;
    long requestedBytes = 0;
    for (int i = 0; i < count; i++) {
      int block = first + i;
      if (simulated.state(block) != BlockState.INACTIVE) {
        activeBytes += simulated.blockBytes(block);
        requestedBytes += simulated.requestedBytes(block);
      }
      if (simulated.state(block) == BlockState.ACTIVE_ALLOCATED) {
        allocatedBytes += simulated.blockBytes(block);
      }
      if (i < recorded.blockCount()) {
        compareBlock(recorded, i, block);
      }
    }
    equal(place, "allocated_size", recorded.allocatedBytes(), allocatedBytes);
    equal(place, "active_size", recorded.activeBytes(), activeBytes);
    equal(place, "requested_size", recorded.requestedBytes(), requestedBytes);
  }

  private void compareBlock(SnapshotSegment recorded, int i, int block) {
    String place = "block " + Long.toUnsignedString(recorded.blockAddress(i));
    equal(place, "address", recorded.blockAddress(i), simulated.blockAddress(block));
    equal(place, "size", recorded.blockBytes(i), simulated.blockBytes(block));
    if (recorded.blockState(i) != simulated.state(block)) {
      differ(
          "%s: state recorded %s, simulated %s"
              .formatted(place, recorded.blockState(i).label(), simulated.state(block).label()));
    }
    if (comparesInactiveRequests || recorded.blockState(i) != BlockState.INACTIVE) {
      equal(
          place,
          "requested_size",
          recorded.blockRequestedBytes(i),
          simulated.requestedBytes(block));
    }
  }

  private void equal(String place, String what, long recorded, long actual) {
    if (recorded != actual) {
      differ(
          "%s: %s recorded %s, simulated %s"
              .formatted(
                  place, what, Long.toUnsignedString(recorded), Long.toUnsignedString(actual)));
    }
  }

  private void differ(String line) {
    found++;
    if (found <= MAX_DIFFERENCES) {
      differences.add(line);
    }
  }
}
