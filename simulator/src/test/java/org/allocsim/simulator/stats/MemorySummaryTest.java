package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.junit.jupiter.api.Test;

class MemorySummaryTest {
  @Test
  void case65_sizeCellsChangeUnitFrom768UnitsOn() {
    assertEquals("786431 B  ", MemorySummary.sizeCell(786_431, 786_431));
    assertEquals("   768 KiB", MemorySummary.sizeCell(786_432, 786_432));
  }

  @Test
  void case65_countCellsChangeUnitFrom750ThousandOn() {
    assertEquals(" 749999   ", MemorySummary.countCell(749_999, 749_999));
    assertEquals("    750 K ", MemorySummary.countCell(750_000, 750_000));
    assertEquals("    750 M ", MemorySummary.countCell(750_000_000, 750_000_000));
  }

  @Test
  void unitComesFromTheReferenceValue() {
    assertEquals("     0 MiB", MemorySummary.sizeCell(1023, 3L << 30));
    assertEquals("     0 K ", MemorySummary.countCell(999, 1_000_000).substring(1));
  }

  @Test
  void unitsEndWithPebibytesAndMillions() {
    assertEquals("  8191 PiB", MemorySummary.sizeCell(Long.MAX_VALUE, Long.MAX_VALUE));
    assertEquals("9223372036854 M ", MemorySummary.countCell(Long.MAX_VALUE, Long.MAX_VALUE));
  }

  @Test
  void abbreviatedSummaryLeavesOutThePools() {
    MemoryStats stats = new MemoryStats(AllocatorConfig.UNLIMITED);
    String whole = MemorySummary.format(stats, 0, false);
    for (String pool : new String[] {"from large pool", "from small pool"}) {
      assertEquals(9, whole.lines().filter(line -> line.contains(pool)).count());
    }
    String text = MemorySummary.format(stats, 0, true);
    assertFalse(text.contains("pool"));
    assertEquals(6 + 2 * 9 + 2 * 2 + 1, text.lines().count());
  }

  @Test
  void everyLineIs77CharactersWideAndTheTextEndsWithALineBreak() {
    MemoryStats stats = new MemoryStats(AllocatorConfig.UNLIMITED);
    stats.segmentAllocated(0x7f0000000000L, 20 << 20, 0, false);
    stats.blockAllocated(0, 0x7f0000000000L, 5 << 20, 5 << 20, 0, false);
    String text = MemorySummary.format(stats, 3, false);
    assertTrue(text.endsWith("=|\n"));
    text.lines().forEach(line -> assertEquals(77, line.length(), line));
    assertTrue(text.contains("device ID 3  "));
    assertTrue(
        text.contains(
            "| Allocated memory      |   5120 KiB |   5120 KiB |   5120 KiB |      0 B   |"),
        text);
  }
}
