package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The conformance cases BFC-1 to BFC-9 and the figures of the originals' own tests. */
class BfcConformanceTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private final ListedDevice device = new ListedDevice(1L << 50);
  private BfcAllocator allocator;

  private BfcAllocator with(BfcSettings settings, ListedDevice from) {
    allocator = new BfcAllocator(settings, from, EffectListeners.NONE);
    return allocator;
  }

  private long allocate(int allocation, long bytes) {
    return allocator.allocate(allocation, bytes, 0, 0);
  }

  /** Bytes of the block that holds an allocation. */
  private long blockBytes(int allocation) {
    MemoryLayout layout = MemoryLayout.of(allocator);
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED
          && layout.allocation(block) == allocation) {
        return layout.blockBytes(block);
      }
    }
    throw new AssertionError("allocation " + allocation + " has no block");
  }

  private long bytesInUse() {
    MemoryLayout layout = MemoryLayout.of(allocator);
    long bytes = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      bytes += layout.state(block) == BlockState.INACTIVE ? 0 : layout.blockBytes(block);
    }
    return bytes;
  }

  @Test
  void regionsDoubleAndALargeRestIsCutOff() {
    with(BfcSettings.growing(GIB), device);
    long first = allocate(0, MIB);
    assertEquals(4 * MIB, allocator.nextRegionBytes());
    assertEquals(MIB, blockBytes(0));
    allocate(1, 3 * MIB);
    assertEquals(8 * MIB, allocator.nextRegionBytes());
    assertEquals(4 * MIB, blockBytes(1));
    assertEquals(first + MIB, allocate(2, 100 << 10));
    assertEquals(List.of("allocate " + 2 * MIB, "allocate " + 4 * MIB), device.calls);
  }

  @ParameterizedTest
  @CsvSource({"200,300", "150,150", "160,160", "172,172", "173,300"})
  void aRestOfTheRequestOrOf128MebibytesIsCutOff(long requestMib, long blockMib) {
    with(BfcSettings.preallocating(300 * MIB), device);
    allocate(0, requestMib * MIB);
    assertEquals(blockMib * MIB, blockBytes(0));
  }

  @Test
  void aShareOfTheLimitReplaces128Mebibytes() {
    with(BfcSettings.preallocating(300 * MIB).withMostWaste(30 * MIB), device);
    allocate(0, 270 * MIB);
    assertEquals(270 * MIB, blockBytes(0));
  }

  @Test
  void aDeviceThatRefusesIsAskedForNineTenths() {
    ListedDevice small = new ListedDevice(100 * MIB);
    with(BfcSettings.growing(GIB), small);
    for (int i = 0; i < 5; i++) {
      allocate(i, (2 * MIB) << i);
    }
    assertEquals(38 * MIB, small.freeBytes());
    assertEquals(64 * MIB, allocator.nextRegionBytes());
    small.calls.clear();
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(5, 33 * MIB));
    assertEquals(
        List.of(
            "refuse 67108864",
            "refuse 60398080",
            "refuse 54358272",
            "refuse 48922624",
            "refuse 44030464",
            "allocate 39627520"),
        small.calls);
    assertEquals(128 * MIB, allocator.nextRegionBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "68719476736,61847527424",
    "4250927104,3825834240",
    "67108864,60398080",
    "2560,2304",
    "256,256"
  })
  void nineTenthsAreTakenInSinglePrecisionAndRoundedUp(long refused, long next) {
    assertEquals(next, ChunkHeap.lessThan(refused));
  }

  @Test
  void smallSizesThatRoundingKeepsShrinkByTheUnit() {
    ListedDevice none = new ListedDevice(0);
    with(BfcSettings.preallocating(512), none);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, 1));
    assertEquals(List.of("refuse 512", "refuse 256"), none.calls);
  }

  @Test
  void onlyGarbageCollectionTurnsFreeRegionsIntoALargerOne() {
    with(BfcSettings.growing(16 * MIB), device);
    fillAndFree();
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 12 * MIB));
    assertEquals(3, device.calls.size());

    ListedDevice other = new ListedDevice(GIB);
    with(BfcSettings.growing(16 * MIB).withGarbageCollection(true), other);
    fillAndFree();
    other.calls.clear();
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 12 * MIB));
    assertEquals(
        List.of("free " + 2 * MIB, "free " + 4 * MIB, "free " + 8 * MIB, "allocate " + 16 * MIB),
        other.calls);
  }

  private void fillAndFree() {
    for (int i = 0; i < 3; i++) {
      allocate(i, (2 * MIB) << i);
    }
    for (int i = 0; i < 3; i++) {
      allocator.free(i);
    }
  }

  @Test
  void garbageCollectionLeavesRegionsAloneThatWouldNotMakeRoom() {
    with(BfcSettings.growing(16 * MIB).withGarbageCollection(true), device);
    allocate(0, 2 * MIB);
    allocate(1, 4 * MIB);
    allocator.free(1);
    device.calls.clear();
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(2, 15 * MIB));
    assertEquals(List.of(), device.calls);
  }

  @Test
  void aRequestBeyondTheLimitFailsWithoutADeviceCall() {
    with(BfcSettings.growing(MIB), device);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, 256));
    assertEquals(List.of("allocate " + MIB), device.calls);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(1, 4 * MIB));
    assertEquals(1, device.calls.size());
  }

  @Test
  void preallocationTakesTheWholeLimitAtTheFirstRequest() {
    with(BfcSettings.preallocating(1_700_790_272), device);
    assertEquals(List.of(), device.calls);
    allocate(0, 1);
    assertEquals(List.of("allocate 1700790272"), device.calls);
  }

  @Test
  void chunksWithTimestampsMergeWhenTheFrontierHasPassedThem() {
    adjacentPairFreedAt5And6();
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(12, MIB, 0, 0, 4));
    allocator.setSafeFrontier(7);
    assertEquals(firstAddress, allocator.allocate(12, MIB, 0, 0, 4));
  }

  @Test
  void chunksWithTimestampsMergeWhereARequestForAnyMemoryWouldFail() {
    adjacentPairFreedAt5And6();
    assertEquals(firstAddress, allocate(12, MIB));
  }

  @Test
  void aRequestForMemoryFreedBeforeATimePassesLaterChunks() {
    adjacentPairFreedAt5And6();
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(12, MIB / 2, 0, 0, 4));
    assertEquals(firstAddress, allocator.allocate(12, MIB / 2, 0, 0, 5));
    assertEquals(firstAddress + MIB / 2, allocator.allocate(13, MIB / 2, 0, 0, 6));
  }

  private long firstAddress;

  /** One region of 1 MiB in two halves; the other times are taken by frees of a few bytes. */
  private void adjacentPairFreedAt5And6() {
    with(BfcSettings.preallocating(MIB).withTimestamps(true), device);
    for (int i = 0; i < 4; i++) {
      allocate(i, 256);
      allocator.free(i);
    }
    allocator.setSafeFrontier(5);
    firstAddress = allocate(4, MIB / 2);
    allocate(5, MIB / 2);
    allocator.setSafeFrontier(4);
    assertEquals(4, allocator.time());
    allocator.free(4);
    allocator.free(5);
    assertEquals(6, allocator.time());
  }

  @Test
  void aSafeChunkDoesNotMergeWithAnUnsafeNeighbour() {
    for (int early : new int[] {4, 5}) {
      halvesFreedAt1And2(early, 9 - early);
      allocator.setSafeFrontier(2);
      assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(12, MIB, 0, 0, 1));
      assertEquals(2, MemoryLayout.of(allocator).blockCount());
    }
  }

  @Test
  void chunksMergedByForceAreAsYoungAsTheYoungerOne() {
    with(BfcSettings.preallocating(2 * MIB).withTimestamps(true), device);
    long first = allocate(0, MIB / 2);
    allocate(1, MIB / 2);
    allocate(2, MIB);
    allocator.free(0);
    allocator.free(1);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 2 * MIB));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(3, MIB, 0, 0, 1));
    assertEquals(first, allocator.allocate(3, MIB, 0, 0, 2));
  }

  @Test
  void aChunkThatWasMergedByForceBecomesSafeWithTheFrontier() {
    with(BfcSettings.preallocating(2 * MIB).withTimestamps(true), device);
    long first = allocate(0, MIB / 2);
    allocate(1, MIB / 2);
    allocate(2, MIB);
    allocator.free(1);
    allocator.free(0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 2 * MIB));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(3, MIB, 0, 0, 1));
    allocator.setSafeFrontier(3);
    assertEquals(first, allocator.allocate(3, MIB, 0, 0, 1));
  }

  @Test
  void theRestOfAChunkIsAsYoungAsTheChunk() {
    with(BfcSettings.preallocating(MIB).withTimestamps(true), device);
    long first = allocate(0, MIB);
    allocator.free(0);
    assertEquals(first, allocate(1, MIB / 4));
    allocator.free(1);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(2, MIB / 2, 0, 0, -1));
    assertEquals(first + MIB / 4, allocator.allocate(2, MIB / 2, 0, 0, 1));
  }

  @Test
  void theChunkOfANewRegionIsSafe() {
    with(BfcSettings.growing(7 * MIB).withTimestamps(true), device);
    allocate(0, MIB);
    allocate(1, MIB);
    allocate(2, 4 * MIB);
    allocator.free(0);
    allocator.free(1);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 2 * MIB));
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(4, MIB, 0, 0, 1));
    assertEquals("allocate " + MIB, device.calls.getLast());
  }

  @Test
  void aJoinedRegionMergesWithWhatIsSafeOnly() {
    for (long frontier : new long[] {1, 2}) {
      BfcSettings settings = BfcSettings.growing(GIB).withMergedRegions(true);
      with(settings.withTimestamps(true), new ListedDevice(GIB));
      long first = allocate(0, 2 * MIB);
      allocator.free(0);
      allocator.setSafeFrontier(frontier);
      assertEquals(frontier == 2 ? first : first + 2 * MIB, allocate(1, 4 * MIB));
      assertEquals(1, MemoryLayout.of(allocator).segmentCount());
    }
  }

  @Test
  void garbageCollectionReturnsRegionsWhoseChunksWait() {
    ListedDevice listed = new ListedDevice(GIB);
    with(BfcSettings.growing(6 * MIB).withGarbageCollection(true).withTimestamps(true), listed);
    allocate(0, MIB);
    allocate(1, MIB);
    allocate(2, 4 * MIB);
    for (int i = 0; i < 3; i++) {
      allocator.free(i);
    }
    listed.calls.clear();
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(3, 6 * MIB, 0, 0, 1));
    assertEquals(
        List.of("free " + 2 * MIB, "free " + 4 * MIB, "allocate " + 6 * MIB), listed.calls);
  }

  @Test
  void garbageCollectionMakesRoomForARequestOfTheWholeLimit() {
    with(BfcSettings.growing(14 * MIB).withGarbageCollection(true), device);
    fillAndFree();
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 14 * MIB));
    assertEquals("allocate " + 14 * MIB, device.calls.getLast());
  }

  /** One region of 1 MiB, whose halves were freed in this order. */
  private void halvesFreedAt1And2(int early, int late) {
    with(BfcSettings.preallocating(MIB).withTimestamps(true), new ListedDevice(GIB));
    allocate(4, MIB / 2);
    allocate(5, MIB / 2);
    allocator.free(early);
    allocator.free(late);
  }

  @Test
  void theWaitOfTheHostMovesTheFrontier() {
    adjacentPairFreedAt5And6();
    allocator.synchronize();
    assertEquals(firstAddress, allocator.allocate(12, MIB, 0, 0, 1));
  }

  @Test
  void aRegionThatWasMadeLargerForARequestDoesNotDoubleTheNext() {
    with(BfcSettings.growing(4_250_927_104L), device);
    allocate(0, 4_884_655);
    assertEquals(8_388_608, bytesInUse());
    assertEquals(8 * MIB, allocator.nextRegionBytes());
    allocate(1, 1_346_415);
    assertEquals(9_735_168, bytesInUse());
    assertEquals(16 * MIB, allocator.nextRegionBytes());
    assertEquals(List.of("allocate 8388608", "allocate 8388608"), device.calls);
  }

  @Test
  void regionsMergeOnlyWhereTheDeviceMemorySaysSo() {
    with(BfcSettings.growing(14 * MIB), device);
    fillAndFree();
    assertEquals(3, MemoryLayout.of(allocator).segmentCount());

    with(BfcSettings.growing(14 * MIB).withMergedRegions(true), new ListedDevice(GIB));
    fillAndFree();
    assertEquals(1, MemoryLayout.of(allocator).segmentCount());
    assertEquals(14 * MIB, allocator.largestFreeBytes());

    with(BfcSettings.growing(14 * MIB).withMergedRegions(true), new ListedDevice(GIB, MIB));
    fillAndFree();
    assertEquals(3, MemoryLayout.of(allocator).segmentCount());
  }

  @Test
  void allSizesFrom1To1023Take654336Bytes() {
    with(BfcSettings.growing(GIB), device);
    for (int bytes = 1; bytes < 1024; bytes++) {
      allocate(bytes, bytes);
    }
    assertEquals(654_336, bytesInUse());
    assertEquals(256, blockBytes(4));
    assertEquals(1024, blockBytes(1023));
  }

  @Test
  void aRepeatedPatternDoesNotGrow() {
    with(BfcSettings.growing(GIB), device);
    long[] sizes = {4096, 8 * MIB, 16384, 40 * MIB};
    long first = -1;
    int id = 0;
    for (int i = 0; i < 1024; i++) {
      for (int size = 0; size < sizes.length; size++) {
        long address = allocate(id + size, sizes[size]);
        first = first < 0 ? address : first;
        assertTrue(size > 0 || address == first, "round " + i);
      }
      for (int size = 0; size < sizes.length; size++) {
        allocator.free(id++);
      }
      assertEquals(3, device.calls.size());
    }
  }
}
