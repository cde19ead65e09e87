package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.junit.jupiter.api.Test;

class MemoryStatsTest {
  private static final long MIB = 1 << 20;

  private final MemoryStats stats = new MemoryStats(AllocatorConfig.UNLIMITED);

  private static void expect(MemoryStats stats, String key, long value) {
    assertEquals(value, stats.get(key), key);
  }

  /** Checks current, peak, allocated and freed under a prefix. */
  private static void expect(
      MemoryStats stats, String prefix, long current, long peak, long allocated, long freed) {
    expect(stats, prefix + ".current", current);
    expect(stats, prefix + ".peak", peak);
    expect(stats, prefix + ".allocated", allocated);
    expect(stats, prefix + ".freed", freed);
  }

  @Test
  void thereAre122KeysInPlainStringOrder() {
    List<String> sorted = new ArrayList<>(MemoryStats.keys());
    Collections.sort(sorted);
    assertEquals(122, sorted.stream().distinct().count());
    assertEquals(sorted, MemoryStats.keys());
    assertEquals("active.all.allocated", sorted.get(0));
    assertEquals("segment.small_pool.peak", sorted.get(121));
    SortedMap<String, Long> map = stats.toMap();
    assertEquals(sorted, List.copyOf(map.keySet()));
    map.forEach((key, value) -> assertEquals(key.equals("max_split_size") ? -1 : 0, value, key));
  }

  @Test
  void allocationAndActiveCountAtHandOutAndEndAtDifferentMoments() {
    stats.blockAllocated(0, 4096, 700, 1024, 0, true);
    stats.freeRequested(0, 4096, 700, 1024, 0, true);
    expect(stats, "allocation.all", 0, 1, 1, 1);
    expect(stats, "allocated_bytes.small_pool", 0, 1024, 1024, 1024);
    expect(stats, "active.all", 1, 1, 1, 0);
    expect(stats, "active_bytes.small_pool", 1024, 1024, 1024, 0);
    expect(stats, "requested_bytes.all", 700, 700, 700, 0);
    stats.freeCompleted(0, 4096, 700, 1024, 0, true);
    expect(stats, "active.small_pool", 0, 1, 1, 1);
    expect(stats, "active_bytes.all", 0, 1024, 1024, 1024);
    expect(stats, "requested_bytes.small_pool", 0, 700, 700, 700);
    expect(stats, "active.large_pool", 0, 0, 0, 0);
  }

  @Test
  void mappedMemoryIsReservedAndADeviceCallButNoSegment() {
    stats.segmentMapped(0, 40 * MIB, 0, false);
    expect(stats, "reserved_bytes.large_pool", 40 * MIB, 40 * MIB, 40 * MIB, 0);
    expect(stats, "segment.all", 0, 0, 0, 0);
    expect(stats, "num_device_alloc", 1);
    stats.segmentUnmapped(0, 20 * MIB, 0, false);
    expect(stats, "reserved_bytes.all", 20 * MIB, 40 * MIB, 40 * MIB, 20 * MIB);
    expect(stats, "num_device_free", 1);
  }

  @Test
  void segmentsAreReservedAndDeviceCalls() {
    stats.segmentAllocated(0, 2 * MIB, 0, true);
    stats.segmentAllocated(2 * MIB, 20 * MIB, 0, false);
    stats.segmentFreed(0, 2 * MIB, 0, true);
    expect(stats, "segment.all", 1, 2, 2, 1);
    expect(stats, "segment.small_pool", 0, 1, 1, 1);
    expect(stats, "reserved_bytes.all", 20 * MIB, 22 * MIB, 22 * MIB, 2 * MIB);
    expect(stats, "num_device_alloc", 2);
    expect(stats, "num_device_free", 1);
    assertEquals(20 * MIB, stats.reservedBytes());
    assertEquals(22 * MIB, stats.peakReservedBytes());
  }

  @Test
  void inactiveSplitsCountNetChangesUpOrDown() {
    stats.inactiveSplitChanged(1, 17 * MIB, false);
    stats.inactiveSplitChanged(0, -3 * MIB, false);
    stats.inactiveSplitChanged(1, 3 * MIB, false);
    stats.inactiveSplitChanged(-2, -17 * MIB, false);
    expect(stats, "inactive_split.large_pool", 0, 2, 2, 2);
    expect(stats, "inactive_split_bytes.all", 0, 17 * MIB, 20 * MIB, 20 * MIB);
  }

  @Test
  void blocksAndSegmentsFromTheThresholdOnAreOversize() {
    MemoryStats limited = new MemoryStats(32 * MIB);
    limited.segmentAllocated(0, 32 * MIB, 0, false);
    limited.segmentAllocated(32 * MIB, 30 * MIB, 0, false);
    limited.blockAllocated(0, 0, 32 * MIB - 512, 32 * MIB, 0, false);
    limited.blockAllocated(1, 32 * MIB, 30 * MIB, 30 * MIB, 0, false);
    expect(limited, "oversize_segments", 1, 1, 1, 0);
    expect(limited, "oversize_allocations", 1, 1, 1, 0);
    limited.freeRequested(0, 0, 32 * MIB - 512, 32 * MIB, 0, false);
    limited.freeRequested(1, 32 * MIB, 30 * MIB, 30 * MIB, 0, false);
    expect(limited, "oversize_allocations", 0, 1, 1, 1);
    limited.segmentFreed(32 * MIB, 30 * MIB, 0, false);
    expect(limited, "oversize_segments", 1, 1, 1, 0);
    limited.segmentFreed(0, 32 * MIB, 0, false);
    expect(limited, "oversize_segments", 0, 1, 1, 1);
    expect(limited, "max_split_size", 32 * MIB);
  }

  @Test
  void mappedMemoryIsNeverAnOversizeSegment() {
    MemoryStats limited = new MemoryStats(32 * MIB);
    limited.segmentMapped(0, 40 * MIB, 0, false);
    expect(limited, "oversize_segments", 0, 0, 0, 0);
  }

  @Test
  void thresholdIsUnsignedAndShownAsSigned() {
    MemoryStats wrapped = new MemoryStats(-1048576);
    wrapped.segmentAllocated(0, 1L << 40, 0, false);
    expect(wrapped, "oversize_segments", 0, 0, 0, 0);
    expect(wrapped, "max_split_size", -1048576);
  }

  @Test
  void retriesSynchronizationsAndFailuresAreCounted() {
    stats.allocationRetried();
    stats.streamsSynchronized();
    stats.streamsSynchronized();
    stats.outOfMemory(new OutOfMemory(0, 1, 512, 2 * MIB, 0, -1, 0, 0, -1));
    stats.requestRejected(1, 1L << 60, OutOfMemoryMessage.MORE_THAN_ONE_EXABYTE);
    expect(stats, "num_alloc_retries", 1);
    expect(stats, "num_sync_all_streams", 2);
    expect(stats, "num_ooms", 1);
  }

  @Test
  void totalsAreThoseOfBothPoolsTogether() {
    for (boolean small : new boolean[] {true, false}) {
      stats.segmentAllocated(0, 20 * MIB, 0, small);
      stats.blockAllocated(0, 0, 5 * MIB - 1, 5 * MIB, 0, small);
      stats.blockAllocated(1, 5 * MIB, 3, MIB, 0, small);
      stats.inactiveSplitChanged(1, 14 * MIB, small);
      stats.freeRequested(1, 5 * MIB, 3, MIB, 0, small);
    }
    assertEquals(40 * MIB, stats.reservedBytes());
    assertEquals(10 * MIB, stats.allocatedBytes());
    assertEquals(11 * MIB, stats.peakAllocatedBytes());
    assertEquals(12 * MIB, stats.activeBytes());
    assertEquals(28 * MIB, stats.inactiveSplitBytes());
    stats.freeCompleted(1, 5 * MIB, 3, MIB, 0, true);
    assertEquals(10 * MIB + 1, stats.requestedBytes());
    assertEquals(10 * MIB + 4, stats.peakRequestedBytes());
    stats.outOfMemory(new OutOfMemory(0, 1, 512, 2 * MIB, 0, -1, 0, 0, -1));
    assertEquals(1, stats.outOfMemories());
  }

  @Test
  void resetPeakSetsEveryPeakToItsCurrentValue() {
    MemoryStats limited = new MemoryStats(MIB);
    limited.segmentAllocated(0, 20 * MIB, 0, false);
    limited.blockAllocated(0, 0, 5 * MIB, 5 * MIB, 0, false);
    limited.inactiveSplitChanged(1, 15 * MIB, false);
    limited.freeRequested(0, 0, 5 * MIB, 5 * MIB, 0, false);
    limited.freeCompleted(0, 0, 5 * MIB, 5 * MIB, 0, false);
    limited.inactiveSplitChanged(-1, -15 * MIB, false);
    limited.segmentAllocated(20 * MIB, MIB, 0, false);
    limited.segmentFreed(20 * MIB, MIB, 0, false);
    limited.resetPeak();
    expect(limited, "allocated_bytes.all", 0, 0, 5 * MIB, 5 * MIB);
    expect(limited, "oversize_allocations", 0, 0, 1, 1);
    expect(limited, "inactive_split_bytes.large_pool", 0, 0, 15 * MIB, 15 * MIB);
    expect(limited, "reserved_bytes.large_pool", 20 * MIB, 20 * MIB, 21 * MIB, MIB);
    for (String key : MemoryStats.keys()) {
      if (key.endsWith(".peak")) {
        expect(limited, key, limited.get(key.replace(".peak", ".current")));
      }
    }
  }

  @Test
  void resetAccumulatedClearsSumsAndCountersAndKeepsPeaks() {
    MemoryStats limited = new MemoryStats(MIB);
    limited.segmentAllocated(0, 20 * MIB, 0, false);
    limited.blockAllocated(0, 0, 5 * MIB, 5 * MIB, 0, false);
    limited.freeRequested(0, 0, 5 * MIB, 5 * MIB, 0, false);
    limited.allocationRetried();
    limited.streamsSynchronized();
    limited.outOfMemory(new OutOfMemory(0, 1, 512, 2 * MIB, 0, -1, 0, 0, -1));
    limited.segmentMapped(1 << 30, 2 * MIB, 0, true);
    limited.segmentUnmapped(1 << 30, 2 * MIB, 0, true);
    limited.resetAccumulated();
    for (String key : MemoryStats.keys()) {
      if (key.endsWith(".allocated") || key.endsWith(".freed") || key.startsWith("num_")) {
        expect(limited, key, 0);
      }
    }
    expect(limited, "allocated_bytes.all.peak", 5 * MIB);
    expect(limited, "reserved_bytes.all.current", 20 * MIB);
    expect(limited, "oversize_segments.current", 1);
    expect(limited, "max_split_size", MIB);
  }

  @Test
  void unknownKeysAreRefused() {
    for (String key :
        List.of("", "nonsense", "a.b", "active.all", "active.all.x", "active.x.peak")) {
      assertThrows(IllegalArgumentException.class, () -> stats.get(key), key);
    }
  }
}
