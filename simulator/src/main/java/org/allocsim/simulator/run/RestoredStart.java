package org.allocsim.simulator.run;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.RestorablePolicy;
import org.allocsim.simulator.stats.MemoryStats;

/** Puts an allocator and its statistics into the state that existed before a history. */
public final class RestoredStart {
  private RestoredStart() {}

  /**
   * Restores a layout. The statistics then hold the current values of that state; what was
   * allocated and freed before, and the peaks, are not recorded and count from here.
   */
  public static void restore(RestorablePolicy policy, MemoryStats stats, MemoryLayout layout) {
    policy.restore(layout);
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      boolean small = layout.isSmall(segment);
      int stream = layout.stream(segment);
      long address = layout.segmentAddress(segment);
      if (layout.isExpandable(segment)) {
        stats.segmentMapped(address, layout.segmentBytes(segment), stream, small);
      } else {
        stats.segmentAllocated(address, layout.segmentBytes(segment), stream, small);
      }
      restoreBlocks(stats, layout, segment);
    }
    stats.resetAccumulated();
  }

  private static void restoreBlocks(MemoryStats stats, MemoryLayout layout, int segment) {
    boolean small = layout.isSmall(segment);
    int stream = layout.stream(segment);
    int first = layout.firstBlock(segment);
    int end = layout.firstBlock(segment + 1);
    boolean split = end - first > 1 && !layout.isExpandable(segment);
    for (int block = first; block < end; block++) {
      int allocation = layout.allocation(block);
      long address = layout.blockAddress(block);
      long requestedBytes = layout.requestedBytes(block);
      long bytes = layout.blockBytes(block);
      if (layout.state(block) == BlockState.INACTIVE) {
        if (split) {
          stats.inactiveSplitChanged(1, bytes, small);
        }
        continue;
      }
      stats.blockAllocated(allocation, address, requestedBytes, bytes, stream, small);
      if (layout.state(block) == BlockState.ACTIVE_PENDING_FREE) {
        stats.freeRequested(allocation, address, requestedBytes, bytes, stream, small);
      }
    }
  }
}
