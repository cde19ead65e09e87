package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class HostMemoryStatsTest {
  private final HostMemoryStats stats = new HostMemoryStats();

  private void assertCounter(String key, long allocated, long freed, long current, long peak) {
    Map<String, Long> map = stats.toMap();
    assertEquals(allocated, map.get(key + ".allocated"), key);
    assertEquals(freed, map.get(key + ".freed"), key);
    assertEquals(current, map.get(key + ".current"), key);
    assertEquals(peak, map.get(key + ".peak"), key);
  }

  @Test
  void blocksOfTheHostAreCountedAsTheyComeAndGo() {
    stats.blockObtained(4096);
    stats.blockObtained(512);
    stats.blockReleased(4096);
    assertCounter("allocations", 2, 1, 1, 2);
    assertCounter("allocated_bytes", 4608, 4096, 512, 4608);
    assertEquals(2, stats.toMap().get("num_host_alloc"));
    assertEquals(1, stats.toMap().get("num_host_free"));
    assertEquals(18, stats.toMap().size());
  }

  /** As PyTorch 2.11 counts, whose second peak is no peak of the sum. */
  @Test
  void aBlockThatReturnsAddsOneByteAndPeaksOfSizeClassesAreAdded() {
    stats.handedOut(12, 4096);
    stats.returnedAfterUse(12);
    stats.handedOut(63, 512);
    assertCounter("active_requests", 2, 1, 1, 2);
    assertCounter("active_bytes", 4608, -1, 4609, 4608);
  }
}
