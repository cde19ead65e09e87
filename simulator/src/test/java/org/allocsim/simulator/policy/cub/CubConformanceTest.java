package org.allocsim.simulator.policy.cub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.RequestScript;
import org.allocsim.simulator.policy.UpwardDevice;
import org.junit.jupiter.api.Test;

class CubConformanceTest {
  private static final long MIB = 1 << 20;

  private final UpwardDevice device = new UpwardDevice(MIB, 64 * MIB);
  private final CachingDeviceAllocator cub = allocator(CubSettings.DEFAULT);

  private CachingDeviceAllocator allocator(CubSettings settings) {
    return new CachingDeviceAllocator(settings, -1, device, EffectListeners.NONE);
  }

  @Test
  void cub1_requestTakesTheNextPowerOfTheGrowthFactor() {
    cub.allocate(0, 513, 0, 0);
    cub.allocate(1, 512, 0, 0);
    assertEquals(List.of("allocate 4096", "allocate 512"), device.calls());
  }

  @Test
  void cub2_requestOfNothingTakesTheSmallestBin() {
    assertEquals(MIB, cub.allocate(0, 0, 0, 0));
    assertEquals(List.of("allocate 512"), device.calls());
    cub.free(0);
    assertEquals(512, cub.cachedBytes());
  }

  @Test
  void cub3_requestBeyondTheLargestBinIsExactAndNeverCached() {
    cub.allocate(0, 2 * MIB + 1, 0, 0);
    cub.free(0);
    assertEquals(List.of("allocate 2097153", "free 0x100000"), device.calls());
    assertEquals(0, cub.cachedBytes());
  }

  @Test
  void cub4_blockThatTheCacheHasNoRoomForGoesBack() {
    for (int i = 0; i < 3; i++) {
      cub.allocate(i, 2 * MIB, 0, 0);
    }
    device.newCalls();
    for (int i = 0; i < 3; i++) {
      cub.free(i);
    }
    assertEquals(List.of("free 0x500000"), device.calls());
    assertEquals(4_194_304, cub.cachedBytes());
  }

  @Test
  void cub4_cacheMayBecomeExactlyFull() {
    CachingDeviceAllocator small = allocator(new CubSettings(8, 3, 7, 4096));
    small.allocate(0, 4096, 0, 0);
    small.allocate(1, 512, 0, 0);
    small.free(0);
    small.free(1);
    assertEquals(4096, small.cachedBytes());
    assertEquals(List.of("allocate 4096", "allocate 512", "free 0x101000"), device.calls());
  }

  @Test
  void binZeroHoldsBlocksOfOneByte() {
    CachingDeviceAllocator bytewise = allocator(new CubSettings(8, 0, 7, 4096));
    long address = bytewise.allocate(0, 0, 0, 0);
    bytewise.free(0);
    assertEquals(1, bytewise.cachedBytes());
    assertEquals(address, bytewise.allocate(1, 1, 0, 0));
    assertEquals(List.of("allocate 1"), device.calls());
  }

  @Test
  void blocksOfAStreamAndBinServeInTheOrderOfTheirFrees() {
    int blocks = 1000;
    for (int i = 0; i < blocks; i++) {
      cub.allocate(i, 512, 0, 0);
    }
    for (int i = blocks - 1; i >= 0; i--) {
      cub.free(i);
    }
    for (int i = 0; i < blocks; i++) {
      assertEquals(MIB + 512L * (blocks - 1 - i), cub.allocate(blocks + i, 512, 0, 0));
    }
  }

  @Test
  void cub5_unfinishedWorkKeepsABlockFromOtherStreams() {
    long first = cub.allocate(0, 4096, 1, 0);
    cub.free(0);
    assertNotEquals(first, cub.allocate(1, 4000, 2, 0));
    assertEquals(first, cub.allocate(2, 4000, 1, 0));
  }

  @Test
  void cub5_finishedWorkDoesNot() {
    long first = cub.allocate(0, 4096, 1, 0);
    cub.free(0);
    cub.synchronizeStream(1);
    assertEquals(first, cub.allocate(1, 4000, 2, 0));
    cub.free(1);
    cub.synchronizeStream(1);
    assertNotEquals(first, cub.allocate(2, 4000, 1, 0));
    cub.synchronize();
    assertEquals(first, cub.allocate(3, 4000, 1, 0));
  }

  @Test
  void waitingForAStreamFinishesTheWorkOfThatStreamOnly() {
    long onZero = cub.allocate(0, 4096, 0, 0);
    long onTwo = cub.allocate(1, 4096, 2, 0);
    cub.free(1);
    cub.free(0);
    cub.synchronizeStream(0);
    cub.synchronizeStream(3);
    assertEquals(onZero, cub.allocate(2, 4096, 1, 0));
    assertEquals(onTwo, cub.allocate(3, 4096, 2, 0));
  }

  @Test
  void olderBlockOfAnIdleStreamIsTakenBeforeTheOwnOne() {
    long other = cub.allocate(0, 4096, 1, 0);
    long own = cub.allocate(1, 4096, 2, 0);
    cub.free(0);
    cub.free(1);
    cub.synchronizeStream(1);
    assertEquals(other, cub.allocate(2, 4096, 2, 0));
    assertEquals(own, cub.allocate(3, 4096, 2, 0));
  }

  @Test
  void cub6_refusalEmptiesTheCacheAndIsTriedOnceMore() {
    cub.allocate(0, 62 * MIB, 0, 0);
    long cached = cub.allocate(1, 2 * MIB, 0, 0);
    cub.free(1);
    device.newCalls();
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, cub.allocate(2, 100 << 10, 0, 0));
    assertEquals(
        List.of("allocate 262144", "free 0x" + Long.toHexString(cached), "allocate 262144"),
        device.calls());
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, cub.allocate(3, 3 * MIB, 0, 0));
  }

  @Test
  void triesAfterARefusalAreReported() throws Exception {
    RequestScript script = new RequestScript("cub", Map.of(), 2 * MIB, -1);
    script.free(script.allocate(2 * MIB));
    assertEquals(0, script.retries());
    script.allocate(512);
    assertEquals(1, script.retries());
  }

  @Test
  void cacheIsEmptiedSmallestFirstThenOldest() {
    cub.allocate(0, 4096, 1, 0);
    cub.allocate(1, 4096, 0, 0);
    cub.allocate(2, 512, 0, 0);
    cub.free(0);
    cub.free(1);
    cub.free(2);
    device.newCalls();
    cub.emptyCache();
    assertEquals(List.of("free 0x102000", "free 0x100000", "free 0x101000"), device.calls());
  }

  @Test
  void returningABlockWaitsForTheDevice() {
    long small = cub.allocate(0, 512, 1, 0);
    cub.allocate(1, 3 * MIB, 2, 0);
    cub.free(0);
    cub.free(1);
    assertEquals(small, cub.allocate(2, 512, 0, 0));
  }

  @Test
  void binsAreThoseOfTheOptions() throws Exception {
    AllocatorPolicy policy =
        create(Map.of("bin-growth", "2", "min-bin", "1", "max-bin", "unlimited"));
    policy.allocate(0, 1, 0, 0);
    policy.allocate(1, (1 << 22) + 1, 0, 0);
    policy.allocate(2, Long.MAX_VALUE, 0, 0);
    assertEquals(
        List.of(
            "allocate 2",
            "allocate 8388608",
            "allocate 9223372036854775807",
            "allocate 9223372036854775807"),
        device.calls());
  }

  @Test
  void binsThatDoNotExistAreRefused() {
    assertThrows(PolicyOptionException.class, () -> create(Map.of("bin-growth", "1")));
    assertThrows(PolicyOptionException.class, () -> create(Map.of("min-bin", "8")));
    assertThrows(PolicyOptionException.class, () -> create(Map.of("max-cached", "much")));
  }

  @Test
  void smallestSettingsAreAllowedAndSmallerOnesAreNot() {
    assertEquals(0, new CubSettings(2, 0, 0, 0).maxCachedBytes());
    assertThrows(IllegalArgumentException.class, () -> new CubSettings(1, 0, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new CubSettings(2, -1, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new CubSettings(2, 1, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new CubSettings(2, 0, 0, -1));
  }

  private AllocatorPolicy create(Map<String, String> options) throws PolicyOptionException {
    return new CubProvider()
        .create(new PolicySettings(-1, options), FutureRequests.NONE, device, EffectListeners.NONE);
  }
}
