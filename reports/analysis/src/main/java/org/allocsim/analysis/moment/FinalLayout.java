package org.allocsim.analysis.moment;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;

/**
 * The segments and blocks that a snapshot holds, for one that has no history and therefore cannot
 * be replayed.
 *
 * @param moment the memory at the end
 * @param origins the stacks of its blocks; nothing else is known of them
 */
public record FinalLayout(MemoryMoment moment, Origins origins) {

  /** The state of a device at the end of a snapshot. */
  public static FinalLayout of(Snapshot snapshot, int device) {
    List<SnapshotSegment> segments =
        snapshot.segments().stream()
            .filter(segment -> segment.device() == device)
            .sorted(Comparator.comparing(SnapshotSegment::address, Long::compareUnsigned))
            .toList();
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    Map<PoolId, Integer> pools = new HashMap<>(Map.of(PoolId.DEFAULT, 0));
    int[] stacks = new int[16];
    int allocations = 0;
    for (SnapshotSegment segment : segments) {
      Integer pool = pools.computeIfAbsent(segment.pool(), _ -> pools.size());
      layout.segment(
          segment.address(),
          segment.totalBytes(),
          segment.stream(),
          segment.small(),
          pool,
          segment.expandable());
      for (int block = 0; block < segment.blockCount(); block++) {
        BlockState state = segment.blockState(block);
        int allocation = -1;
        if (state != BlockState.INACTIVE) {
          allocation = allocations++;
          stacks = allocation == stacks.length ? Arrays.copyOf(stacks, allocation * 2) : stacks;
          stacks[allocation] = segment.blockStack(block);
        }
        layout.block(
            segment.blockAddress(block),
            segment.blockBytes(block),
            segment.blockRequestedBytes(block),
            state,
            allocation);
      }
    }
    MemoryLayout built = layout.build();
    int stream = MemoryMoment.mainStream(built);
    MemoryMoment moment =
        new MemoryMoment(
            MomentQuery.Kind.END,
            -1,
            0,
            0,
            MemoryMoment.Totals.of(built),
            stream,
            built,
            SlackSplit.of(built, stream, AllocatorConfig.DEFAULT_LARGE_SEGMENT_BYTES),
            -1,
            -1,
            null);
    return new FinalLayout(
        moment, Origins.ofStacks(Arrays.copyOf(stacks, allocations), snapshot.stacks()));
  }
}
