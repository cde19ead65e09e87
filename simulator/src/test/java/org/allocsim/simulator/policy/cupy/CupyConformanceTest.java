package org.allocsim.simulator.policy.cupy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.RequestScript;
import org.allocsim.simulator.policy.UpwardDevice;
import org.junit.jupiter.api.Test;

class CupyConformanceTest {
  private static final long U = 512;

  private final UpwardDevice device = new UpwardDevice(1 << 20, 100 * U);

  private CupyMemoryPool pool(long limitBytes) {
    return new CupyMemoryPool(limitBytes, device, EffectListeners.NONE);
  }

  @Test
  void cpy1_splitServesTheLowPartAndThenTheRest() {
    CupyMemoryPool pool = pool(-1);
    long address = pool.allocate(0, 4 * U, 0, 0);
    pool.free(0);
    assertEquals(address, pool.allocate(1, 2 * U, 0, 0));
    assertEquals(address + 2 * U, pool.allocate(2, 2 * U, 0, 0));
    assertEquals(List.of("allocate 2048"), device.calls());
  }

  @Test
  void cpy2_requestThatPassesTheLimitFails() {
    CupyMemoryPool pool = pool(6 * U);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(0, 5 * U, 0, 0));
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(1, U, 0, 0));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(2, U, 0, 0));
  }

  @Test
  void cpy3_limitIsMetByReturningFreeChunks() {
    CupyMemoryPool pool = pool(6 * U);
    pool.allocate(0, 5 * U, 0, 0);
    pool.free(0);
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(1, 6 * U, 0, 0));
    assertEquals(List.of("allocate 2560", "free 0x100000", "allocate 3072"), device.calls());
  }

  @Test
  void requestThatJustMeetsTheLimitLeavesFreeChunksCached() throws Exception {
    RequestScript pool = new RequestScript("cupy", Map.of(), 100 * U, 6 * U);
    pool.free(pool.allocate(2 * U));
    pool.allocate(4 * U);
    assertEquals(List.of(), pool.returns());
    assertEquals(0, pool.retries());
    pool.allocate(3 * U);
    assertEquals(List.of(2 * U), pool.returns());
    assertEquals(1, pool.retries());
  }

  @Test
  void limitOfNoBytesRefusesWithoutAskingTheDevice() {
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, pool(0).allocate(0, 1, 0, 0));
    assertEquals(List.of(), device.calls());
  }

  @Test
  void requestBeyondTheLimitFailsWithoutReturningAnything() {
    CupyMemoryPool pool = pool(6 * U);
    pool.allocate(0, 5 * U, 0, 0);
    pool.free(0);
    device.newCalls();
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(1, 6 * U + 1, 0, 0));
    assertEquals(List.of(), device.calls());
  }

  @Test
  void cpy4_partlyUsedSegmentIsNotReturned() {
    CupyMemoryPool pool = pool(-1);
    pool.allocate(0, 4 * U, 0, 0);
    pool.free(0);
    pool.allocate(1, 2 * U, 0, 0);
    pool.emptyCache();
    assertEquals(List.of("allocate 2048"), device.calls());
  }

  @Test
  void cpy5_freeChunkServesItsOwnStreamOnly() {
    CupyMemoryPool pool = pool(-1);
    long address = pool.allocate(0, 4 * U, 1, 0);
    pool.free(0, 2);
    assertNotEquals(address, pool.allocate(1, 4 * U, 2, 0));
    assertEquals(address, pool.allocate(2, 4 * U, 1, 0));
  }

  @Test
  void cpy6_sizesAreRoundedUpTo512Bytes() {
    pool(-1).allocate(0, 513, 0, 0);
    assertEquals(List.of("allocate 1024"), device.calls());
  }

  @Test
  void chunksThatComeBackJoinBothNeighbours() {
    CupyMemoryPool pool = pool(-1);
    pool.allocate(0, 6 * U, 0, 0);
    pool.free(0);
    pool.allocate(1, 2 * U, 0, 0);
    pool.allocate(2, 2 * U, 0, 0);
    pool.allocate(3, 2 * U, 0, 0);
    pool.free(1);
    pool.free(3);
    assertEquals(3, MemoryLayout.of(pool).blockCount());
    pool.free(2);
    assertEquals(1, MemoryLayout.of(pool).blockCount());
  }

  @Test
  void refusalReturnsFreeChunksAndIsTriedThreeTimes() {
    AtomicReference<OutOfMemory> failure = new AtomicReference<>();
    AtomicInteger retries = new AtomicInteger();
    CupyMemoryPool pool =
        new CupyMemoryPool(
            -1,
            device,
            new EffectListener() {
              @Override
              public void outOfMemory(OutOfMemory outOfMemory) {
                failure.set(outOfMemory);
              }

              @Override
              public void allocationRetried() {
                retries.incrementAndGet();
              }
            });
    pool.allocate(0, 60 * U, 0, 0);
    pool.allocate(1, 20 * U, 0, 0);
    pool.free(1);
    device.newCalls();
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(2, 50 * U - 1, 0, 0));
    assertEquals(
        List.of("allocate 25600", "free 0x107800", "allocate 25600", "allocate 25600"),
        device.newCalls());
    assertEquals(50 * U, failure.get().roundedBytes());
    assertEquals(2, retries.get());
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(3, 40 * U, 0, 0));
  }

  @Test
  void lowestAddressWinsATieUnlessATieBreakDecides() {
    assertEquals(1 << 20, tie(pool(-1)));
    CupyMemoryPool last =
        new CupyMemoryPool(-1, (addresses, count) -> count - 1, device, EffectListeners.NONE);
    long first = last.allocate(10, 5 * U, 0, 0);
    last.free(10);
    last.emptyCache();
    assertEquals(first + 5 * U + 4 * U, tie(last));
  }

  @Test
  void tieBreakSeesAllChunksOfTheSizeByAscendingAddress() {
    List<Long> seen = new ArrayList<>();
    CupyMemoryPool pool =
        new CupyMemoryPool(
            -1,
            (addresses, count) -> {
              Arrays.stream(addresses, 0, count).forEach(seen::add);
              return 0;
            },
            device,
            EffectListeners.NONE);
    List<Long> freed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      freed.add(pool.allocate(i, U, 0, 0));
    }
    for (int i = 19; i >= 0; i--) {
      pool.free(i);
    }
    pool.allocate(20, 1, 0, 0);
    assertEquals(freed, seen);
  }

  /** Frees the first and the last of three chunks of one size and asks for that size again. */
  private static long tie(CupyMemoryPool pool) {
    pool.allocate(0, 2 * U, 0, 0);
    pool.allocate(1, 2 * U, 0, 0);
    pool.allocate(2, 2 * U, 0, 0);
    pool.free(0);
    pool.free(2);
    return pool.allocate(3, 2 * U, 0, 0);
  }
}
