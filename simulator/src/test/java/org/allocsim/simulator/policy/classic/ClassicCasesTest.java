package org.allocsim.simulator.policy.classic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.policy.MemoryLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbered cases of the specification of the classics. */
class ClassicCasesTest {
  /** Free are [0,200), [300,380), [500,650) and the top from 800 on; the rover is at 480. */
  private static ClassicHeap heap(String policy) {
    ClassicHeap heap = ClassicHeap.ofUnit(policy, 1);
    long[] sizes = {200, 100, 80, 100, 20, 150, 150};
    for (int i = 0; i < sizes.length; i++) {
      heap.allocate(i, sizes[i]);
    }
    heap.free(3);
    assertEquals(380, heap.allocate(7, 100));
    heap.free(0);
    heap.free(2);
    heap.free(5);
    return heap;
  }

  @ParameterizedTest
  @CsvSource({"first-fit, 0", "best-fit, 300", "worst-fit, 0", "next-fit, 500"})
  void cls1EachFitTakesItsBlock(String policy, long offset) {
    assertEquals(offset, heap(policy).allocate(8, 70));
  }

  @ParameterizedTest
  @CsvSource({"first-fit", "best-fit", "worst-fit", "next-fit"})
  void cls2TheTopIsAvoidedAndTiesGoToTheLowestAddress(String policy) {
    assertEquals(0, heap(policy).allocate(8, 180));
  }

  @Test
  void cls2TheTopServesWhatFitsNowhereElse() {
    for (String policy : new String[] {"first-fit", "best-fit", "worst-fit", "next-fit"}) {
      assertEquals(800, heap(policy).allocate(8, 201), policy);
    }
  }

  @Test
  void cls3TheLowPartIsUsedAndMergesWithTheRestWhenFreed() {
    ClassicHeap heap = heap("first-fit");
    assertEquals(0, heap.allocate(8, 70));
    assertEquals(130, heap.layout().blockBytes(1));
    heap.free(8);
    assertEquals(200, heap.layout().blockBytes(0));
  }

  @Test
  void cls4BuddiesSplitToTheLowHalfAndMergeOnlyWithTheirBuddies() {
    ClassicHeap heap = new ClassicHeap("buddy", Map.of("arena", "4096"), 1L << 30, -1);
    assertEquals(0, heap.allocate(0, 300));
    assertEquals(512, heap.allocate(1, 256));
    assertEquals(1024, heap.allocate(2, 1000));
    assertEquals(768, heap.allocate(3, 256));
    assertEquals(0b1111 & inUse(heap), 0b1111);
    heap.free(1);
    assertEquals(0, freeBytesAt(heap, 768));
    assertEquals(256, freeBytesAt(heap, 512));
    heap.free(3);
    assertEquals(512, freeBytesAt(heap, 512));
    heap.free(0);
    assertEquals(1024, freeBytesAt(heap, 0));
    heap.free(2);
    assertEquals(4096, freeBytesAt(heap, 0));
    assertEquals(4096, heap.stats.reservedBytes());
  }

  /** The allocations in use, as bits. */
  private static int inUse(ClassicHeap heap) {
    MemoryLayout layout = heap.layout();
    int bits = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      bits |= layout.allocation(block) < 0 ? 0 : 1 << layout.allocation(block);
    }
    return bits;
  }

  /** Bytes of the free block at an offset, 0 where none begins. */
  private static long freeBytesAt(ClassicHeap heap, long offset) {
    MemoryLayout layout = heap.layout();
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.allocation(block) < 0
          && layout.blockAddress(block) - layout.segmentAddress(0) == offset) {
        return layout.blockBytes(block);
      }
    }
    return 0;
  }

  @ParameterizedTest
  @CsvSource({
    "24, 0, 3",
    "255, 0, 31",
    "256, 1, 0",
    "500, 1, 30",
    "512, 2, 0",
    "1000, 2, 30",
    "1048576, 13, 0",
    "3145728, 14, 16"
  })
  void cls5TlsfFilesABlockUnderItsOwnClass(long bytes, int first, int second) {
    assertEquals(first * 32 + second, TlsfFit.insertClass(bytes));
  }

  @ParameterizedTest
  @CsvSource({"500, 1, 31", "1000, 2, 31", "1048576, 13, 0", "1048577, 13, 1"})
  void cls5TlsfSearchesFromTheClassAllOfWhoseBlocksFit(long bytes, int first, int second) {
    assertEquals(first * 32 + second, TlsfFit.searchClass(bytes));
  }

  @Test
  void cls6TlsfPassesOverABlockThatFitsExactlyInALowerClass() {
    ClassicHeap heap = ClassicHeap.ofUnit("tlsf", 8);
    long[] sizes = {1000, 64, 1016, 64};
    for (int i = 0; i < sizes.length; i++) {
      heap.allocate(i, sizes[i]);
    }
    heap.free(0);
    heap.free(2);
    assertEquals(1064, heap.allocate(4, 1000));
  }

  @Test
  void tlsfTakesTheBlockOfAClassThatWasFreedLast() {
    ClassicHeap heap = ClassicHeap.ofUnit("tlsf", 8);
    for (int i = 0; i < 8; i++) {
      heap.allocate(i, 64);
    }
    heap.free(0);
    heap.free(4);
    heap.free(2);
    assertEquals(128, heap.allocate(8, 64));
    assertEquals(256, heap.allocate(9, 64));
    assertEquals(0, heap.allocate(10, 64));
  }

  @Test
  void cls7SlabsHoldSlotsOfOneClassAndLargeRequestsAreOnTheirOwn() {
    ClassicHeap heap = new ClassicHeap("slab", Map.of(), 1L << 30, -1);
    for (int i = 0; i < 3276; i++) {
      assertEquals(640L * i, heap.allocate(i, 600));
    }
    assertEquals(2 << 20, heap.stats.reservedBytes());
    heap.allocate(3276, 600);
    assertEquals(4 << 20, heap.stats.reservedBytes());
    for (int i = 0; i <= 3276; i++) {
      heap.free(i);
    }
    assertEquals(2 << 20, heap.stats.reservedBytes());
    heap.allocate(4000, (1 << 20) + 1);
    assertEquals(4 << 20, heap.stats.reservedBytes());
    heap.free(4000);
    assertEquals(2 << 20, heap.stats.reservedBytes());
    heap.emptyCache();
    assertEquals(0, heap.stats.reservedBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 512",
    "512, 512",
    "513, 640",
    "640, 640",
    "641, 768",
    "896, 896",
    "897, 1024",
    "1025, 1280",
    "917504, 917504",
    "917505, 1048576",
    "1048576, 1048576"
  })
  void slotsHaveFourSizesADoubling(long bytes, long slot) {
    ClassicHeap heap = new ClassicHeap("slab", Map.of(), 1L << 30, -1);
    heap.allocate(0, bytes);
    assertEquals(slot, heap.stats.allocatedBytes());
    long pages = (slot * 8 + (2 << 20) - 1) >> 21;
    assertEquals(pages << 21, heap.stats.reservedBytes());
  }

  @Test
  void theLowestSlotOfTheLowestSlabIsTaken() {
    ClassicHeap heap = new ClassicHeap("slab", Map.of(), 1L << 30, -1);
    for (int i = 0; i < 20; i++) {
      heap.allocate(i, 1 << 20);
    }
    heap.free(17);
    heap.free(9);
    heap.free(5);
    heap.free(2);
    MemoryLayout layout = heap.layout();
    for (int i = 20; i < 24; i++) {
      int lowest = 0;
      while (layout.allocation(lowest) >= 0) {
        lowest++;
      }
      long expected = layout.blockAddress(lowest);
      heap.allocate(i, 1 << 20);
      layout = heap.layout();
      assertEquals(expected, layout.blockAddress(lowest));
      assertEquals(i, layout.allocation(lowest));
    }
  }
}
