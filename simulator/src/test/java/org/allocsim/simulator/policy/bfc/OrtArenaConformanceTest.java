package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.bfc.OrtSettings.Strategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The conformance cases ORT-1 to ORT-6, and the rules of streams. */
class OrtArenaConformanceTest {
  private static final long MIB = 1L << 20;

  private ListedDevice device = new ListedDevice(1L << 50);
  private OrtArena arena;

  private void with(Strategy strategy) {
    with(OrtSettings.defaults(1L << 40, strategy, false));
  }

  private void with(OrtSettings settings) {
    arena = new OrtArena(settings, device, EffectListeners.NONE);
  }

  private long allocate(int allocation, long bytes) {
    return arena.allocate(allocation, bytes, 0, 0);
  }

  private long reservedBytes() {
    MemoryLayout layout = MemoryLayout.of(arena);
    long bytes = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      bytes += layout.segmentBytes(segment);
    }
    return bytes;
  }

  @Test
  void regionsDoubleFromOneMebibyte() {
    with(Strategy.NEXT_POWER_OF_TWO);
    allocate(0, 1000);
    assertEquals(2 * MIB, arena.nextRegionBytes());
    long second = allocate(1, MIB);
    assertEquals(4 * MIB, arena.nextRegionBytes());
    assertEquals(second + MIB, allocate(2, MIB));
    allocate(3, 10 * MIB);
    assertEquals(
        List.of("allocate " + MIB, "allocate " + 2 * MIB, "allocate " + 16 * MIB), device.calls);
    MemoryLayout layout = MemoryLayout.of(arena);
    int last = layout.blockCount() - 1;
    assertEquals(BlockState.ACTIVE_ALLOCATED, layout.state(last));
    assertEquals(16 * MIB, layout.blockBytes(last));
  }

  @Test
  void sameAsRequestedAsksForTheRoundedRequest() {
    with(Strategy.SAME_AS_REQUESTED);
    allocate(0, 1000);
    allocate(1, MIB);
    allocate(2, 10 * MIB + 1);
    assertEquals(List.of("allocate 1024", "allocate " + MIB, "allocate 10486016"), device.calls);
  }

  @Test
  void shrinkingKeepsTheFirstRegionWhereRegionsDouble() {
    with(Strategy.NEXT_POWER_OF_TWO);
    allocate(0, 512 << 10);
    allocate(1, 3 * MIB);
    arena.free(0);
    arena.free(1);
    device.calls.clear();
    arena.emptyCache();
    assertEquals(List.of("free " + 4 * MIB), device.calls);
    assertEquals(MIB, reservedBytes());
    assertEquals(2 * MIB, arena.nextRegionBytes());
  }

  @Test
  void shrinkingReturnsEveryFreeRegionOfSameAsRequested() {
    with(Strategy.SAME_AS_REQUESTED);
    allocate(0, 512 << 10);
    allocate(1, 3 * MIB);
    allocate(2, 5 * MIB);
    arena.free(0);
    arena.free(1);
    arena.emptyCache();
    assertEquals(5 * MIB, reservedBytes());
    arena.free(2);
    arena.emptyCache();
    assertEquals(0, reservedBytes());
  }

  @Test
  void aDeviceThatAlwaysRefusesEndsTheAttempts() {
    device = new ListedDevice(0);
    with(Strategy.NEXT_POWER_OF_TWO);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, MIB));
    assertEquals(List.of("refuse " + MIB), device.calls);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(1, 256));
    long last = Long.parseLong(device.calls.getLast().substring("refuse ".length()));
    assertTrue(last >= 8192 && last * 0.9f < 8192, device.calls.getLast());
  }

  @Test
  void growthGoesOnWhereTheDeviceRefuses() {
    device = new ListedDevice(0);
    with(Strategy.NEXT_POWER_OF_TWO);
    allocate(0, MIB);
    assertEquals(2 * MIB, arena.nextRegionBytes());
  }

  @Test
  void doublingStopsAtOneGibibyte() {
    with(Strategy.NEXT_POWER_OF_TWO);
    allocate(0, 1L << 30);
    assertEquals(1L << 30, arena.nextRegionBytes());
    allocate(1, 1L << 30);
    assertEquals(1L << 30, arena.nextRegionBytes());
    allocate(2, 3L << 30);
    assertEquals(4L << 30, arena.nextRegionBytes());
    allocate(3, 4L << 30);
    assertEquals(1L << 30, arena.nextRegionBytes());
  }

  @Test
  void aRequestBeyondTheLimitFailsWithoutADeviceCall() {
    with(OrtSettings.defaults(10 * MIB, Strategy.NEXT_POWER_OF_TWO, false));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, 11 * MIB));
    assertEquals(List.of(), device.calls);
  }

  @Test
  void reservedMemoryGoesPastTheArenaAndBackWhenFreed() {
    with(Strategy.NEXT_POWER_OF_TWO);
    allocate(0, 256);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, arena.reserve(1, 4 * MIB, 0));
    assertEquals(5 * MIB, reservedBytes());
    arena.free(0);
    arena.free(1);
    assertEquals(1_048_576, reservedBytes());
    assertEquals(
        List.of("allocate " + MIB, "allocate " + 4 * MIB, "free " + 4 * MIB), device.calls);
  }

  @Test
  void reservedMemoryCountsAgainstTheLimit() {
    with(OrtSettings.defaults(10 * MIB, Strategy.SAME_AS_REQUESTED, false));
    arena.reserve(0, 8 * MIB, 0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(1, 3 * MIB));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, arena.reserve(2, 3 * MIB, 0));
    arena.free(0);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(3, 3 * MIB));
  }

  @Test
  void aStreamTakesTheChunkOfAnotherOnlyAfterASynchronisation() {
    with(OrtSettings.defaults(1L << 40, Strategy.SAME_AS_REQUESTED, true));
    long first = arena.allocate(0, MIB, 1, 0);
    arena.free(0);
    assertNotEquals(first, arena.allocate(1, MIB, 2, 0));
    assertEquals(first, arena.allocate(2, MIB, 1, 0));
    arena.free(2);
    arena.synchronizeStream(2);
    assertNotEquals(first, arena.allocate(3, MIB, 2, 0));
    arena.synchronizeStream(1);
    assertEquals(first, arena.allocate(4, MIB, 2, 0));
    arena.free(4);
    arena.free(1);
    arena.free(3);
    arena.synchronize();
    assertEquals(first, arena.allocate(5, MIB, 3, 0));
  }

  @Test
  void aFreshRegionsChunkIsOlderThanAnySynchronisation() {
    with(OrtSettings.defaults(1L << 40, Strategy.SAME_AS_REQUESTED, true));
    arena.allocate(0, MIB, 2, 0);
    arena.synchronizeStream(1);
    long fresh = arena.allocate(1, 2 * MIB, 1, 0);
    arena.free(1);
    assertEquals(fresh, arena.allocate(2, 2 * MIB, 2, 0));
  }

  @Test
  void newerReleasesLetEveryRequestTakeItsChunkOver() {
    OrtSettings older = OrtSettings.defaults(1L << 40, Strategy.SAME_AS_REQUESTED, true);
    for (OrtSettings settings : List.of(older, takingOver(older))) {
      with(settings);
      long address = arena.allocate(0, MIB, 1, 0);
      arena.free(0);
      arena.synchronize();
      assertEquals(address, arena.allocate(1, MIB, 2, 0));
      arena.free(1);
      boolean stays = arena.allocate(2, MIB, 3, 0) == address;
      assertEquals(settings.equals(older), stays);
    }
  }

  private static OrtSettings takingOver(OrtSettings settings) {
    return new OrtSettings(
        settings.limitBytes(),
        settings.strategy(),
        settings.firstRegionBytes(),
        settings.maxWasteBytes(),
        settings.regionBytesAfterShrink(),
        settings.maxDoubledBytes(),
        settings.streams(),
        true);
  }

  @Test
  void theRestOfAChunkBelongsToItsStream() {
    with(OrtSettings.defaults(1L << 40, Strategy.SAME_AS_REQUESTED, true));
    arena.allocate(0, MIB, 1, 0);
    arena.free(0);
    long first = arena.allocate(1, MIB / 4, 1, 0);
    assertNotEquals(first + MIB / 4, arena.allocate(2, MIB / 4, 2, 0));
    assertEquals(first + MIB / 4, arena.allocate(3, MIB / 4, 1, 0));
  }

  @Test
  void aMergedChunkWasUsedWhenTheLaterOfItsPartsWas() {
    with(takingOver(OrtSettings.defaults(1L << 40, Strategy.NEXT_POWER_OF_TWO, true)));
    long first = arena.allocate(0, MIB / 2, 1, 0);
    arena.allocate(1, MIB / 2, 1, 0);
    arena.synchronizeStream(1);
    arena.free(1);
    arena.allocate(2, MIB / 2, 1, 0);
    arena.free(2);
    arena.free(0);
    assertNotEquals(first, arena.allocate(3, MIB, 2, 0));
    assertEquals(first, arena.allocate(4, MIB, 1, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 40})
  void aWaitForAStreamOfAnyNumberCounts(int stream) {
    with(OrtSettings.defaults(1L << 40, Strategy.SAME_AS_REQUESTED, true));
    arena.synchronizeStream(1);
    long first = arena.allocate(0, MIB, stream, 0);
    arena.free(0);
    arena.synchronizeStream(stream);
    assertEquals(first, arena.allocate(1, MIB, 2, 0));
  }

  @Test
  void aFreeRegionOfSeveralStreamsGoesBackWholeWithItsInactiveSplits() {
    long[] splits = new long[2];
    EffectListener listener =
        new EffectListener() {
          @Override
          public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
            splits[0] += blocks;
            splits[1] += bytes;
          }
        };
    OrtSettings settings = OrtSettings.defaults(1L << 40, Strategy.NEXT_POWER_OF_TWO, true);
    arena = new OrtArena(settings, device, listener);
    arena.allocate(0, MIB, 1, 0);
    arena.allocate(1, MIB, 1, 0);
    arena.allocate(2, MIB, 2, 0);
    arena.free(1);
    arena.free(2);
    assertEquals(2 * MIB, splits[1]);
    arena.emptyCache();
    assertEquals("free " + 2 * MIB, device.calls.getLast());
    assertEquals(0, splits[0]);
    assertEquals(0, splits[1]);
  }

  @Test
  void requestsAndReservationsOfTheWholeLimitAreServed() {
    with(OrtSettings.defaults(MIB, Strategy.SAME_AS_REQUESTED, false));
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, MIB));
    with(OrtSettings.defaults(MIB, Strategy.SAME_AS_REQUESTED, false));
    long address = arena.reserve(0, MIB, 0);
    assertEquals(MemoryLayout.of(arena).blockAddress(0), address);
  }

  @Test
  void aRefusedRegionShrinksDownToTheRequestAndTo8Kibibytes() {
    device = new ListedDevice(943_872);
    with(Strategy.NEXT_POWER_OF_TWO);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, 943_872));
    device = new ListedDevice(8192);
    with(new OrtSettings(MIB, Strategy.NEXT_POWER_OF_TWO, 8960, MIB, MIB, MIB, false, false));
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocate(0, 256));
    assertEquals(List.of("refuse 8960", "allocate 8192"), device.calls);
  }

  @Test
  void aRowThatHeldReservedMemoryHoldsAnOrdinaryChunkAfterwards() {
    with(Strategy.SAME_AS_REQUESTED);
    arena.reserve(0, MIB, 0);
    arena.free(0);
    long address = allocate(1, MIB);
    arena.free(1);
    assertEquals(address, allocate(2, MIB));
    assertEquals(MIB, reservedBytes());
  }

  @Test
  void chunksOfDifferentStreamsDoNotMerge() {
    with(OrtSettings.defaults(1L << 40, Strategy.NEXT_POWER_OF_TWO, true));
    arena.allocate(0, 1 << 18, 1, 0);
    arena.allocate(1, 1 << 18, 2, 0);
    arena.allocate(2, 1 << 18, 2, 0);
    arena.allocate(3, 1 << 18, 2, 0);
    for (int i = 0; i < 4; i++) {
      arena.free(i);
    }
    MemoryLayout layout = MemoryLayout.of(arena);
    assertEquals(2, layout.blockCount());
    assertEquals(1 << 18, layout.blockBytes(0));
    assertEquals(3 << 18, layout.blockBytes(1));
  }
}
