package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.stats.MemoryStats;

/**
 * Checks a layout against its invariants: segments ascend, blocks tile them, neighbouring free
 * blocks are merged, and the sums agree with the statistics.
 */
final class LayoutCheck implements LayoutVisitor {
  /** What a layout says about the block of an allocation. */
  record Block(long address, long bytes, long requestedBytes, BlockState state) {}

  final Map<Integer, Block> blockOf = new HashMap<>();
  final Map<Long, Block> blockAt = new HashMap<>();
  int segments;

  private long segmentEnd;
  private long at;
  private boolean previousFree;
  private boolean expandable;
  private long segmentAddress;
  private long reservedBytes;
  private long allocatedBytes;
  private long activeBytes;
  private long requestedBytes;
  private long allocations;
  private long actives;
  private long splitBytes;
  private long splits;
  private long plainSegments;

  static LayoutCheck of(CachingAllocator allocator, MemoryStats stats) {
    LayoutCheck check = new LayoutCheck();
    allocator.describeLayout(check);
    check.finish(stats);
    return check;
  }

  @Override
  public void segment(
      long address, long bytes, int stream, boolean small, int pool, boolean isExpandable) {
    assertEquals(segmentEnd, at, "blocks do not fill the segment before");
    assertTrue(address >= at, "segments are not in order of addresses");
    segments++;
    plainSegments += isExpandable ? 0 : 1;
    reservedBytes += bytes;
    segmentAddress = address;
    segmentEnd = address + bytes;
    at = address;
    previousFree = false;
    expandable = isExpandable;
  }

  @Override
  public void block(long address, long bytes, long requested, BlockState state, int allocation) {
    assertEquals(at, address, "gap or overlap between blocks");
    assertTrue(bytes > 0 && bytes % 512 == 0, "block of " + bytes);
    at = address + bytes;
    boolean free = state == BlockState.INACTIVE;
    assertTrue(!free || !previousFree, "neighbouring free blocks are not merged");
    previousFree = free;
    Block block = new Block(address, bytes, requested, state);
    blockAt.put(address, block);
    if (free) {
      boolean wholeSegment = address == segmentAddress && at == segmentEnd;
      if (!expandable && !wholeSegment) {
        splits++;
        splitBytes += bytes;
      }
      return;
    }
    blockOf.put(allocation, block);
    actives++;
    activeBytes += bytes;
    requestedBytes += requested;
    if (state == BlockState.ACTIVE_ALLOCATED) {
      allocations++;
      allocatedBytes += bytes;
    }
  }

  private void finish(MemoryStats stats) {
    assertEquals(segmentEnd, at, "blocks do not fill the last segment");
    expect(stats, "reserved_bytes", reservedBytes);
    expect(stats, "segment", plainSegments);
    expect(stats, "allocated_bytes", allocatedBytes);
    expect(stats, "allocation", allocations);
    expect(stats, "active_bytes", activeBytes);
    expect(stats, "active", actives);
    expect(stats, "requested_bytes", requestedBytes);
    expect(stats, "inactive_split", splits);
    expect(stats, "inactive_split_bytes", splitBytes);
  }

  private static void expect(MemoryStats stats, String name, long value) {
    assertEquals(value, stats.get(name + ".all.current"), name);
  }
}
