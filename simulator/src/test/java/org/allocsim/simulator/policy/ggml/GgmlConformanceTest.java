package org.allocsim.simulator.policy.ggml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.policy.RequestScript;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GgmlConformanceTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(128 * GIB));

  private static RequestScript legacy(long capacityBytes) throws Exception {
    return new RequestScript("ggml-legacy", Map.of(), capacityBytes, -1);
  }

  private AllocatorPolicy stack(Map<String, String> options, FutureRequests future)
      throws PolicyOptionException, UnfitTraceException {
    return new StackPoolProvider()
        .create(new PolicySettings(-1, options), future, device, EffectListeners.NONE);
  }

  private AllocatorPolicy stack(String frees) throws Exception {
    return stack(Map.of("frees", frees), FutureRequests.NONE);
  }

  @Test
  void ggp1_bufferIsFivePercentLargerInUnitsOf256() throws Exception {
    RequestScript pool = legacy(GIB);
    pool.allocate(1000);
    pool.allocate(100 * MIB);
    assertEquals(List.of(1280L, 110100480L), pool.deviceRequests());
  }

  @Test
  void ggp2_bufferWithTheLeastExcessServesWhole() throws Exception {
    RequestScript pool = legacy(GIB);
    int large = pool.allocate(3000);
    int small = pool.allocate(1000);
    pool.free(large);
    pool.free(small);
    int served = pool.allocate(1100);
    assertEquals(pool.address(small), pool.address(served));
    assertEquals(1280, pool.blockBytes(served));
  }

  @Test
  void ggp3_amongEqualsTheFirstPlaceServes() throws Exception {
    RequestScript pool = legacy(GIB);
    int first = pool.allocate(1000);
    int second = pool.allocate(1000);
    pool.free(second);
    pool.free(first);
    assertEquals(pool.address(second), pool.address(pool.allocate(900)));
  }

  @Test
  void ggp4_refusalFlushesTheStreamsPoolAndIsTriedOnce() throws Exception {
    RequestScript pool = legacy(10000);
    pool.free(pool.allocate(5000));
    pool.free(pool.allocate(1000, 1));
    assertTrue(pool.isServed(pool.allocate(8000)));
    assertEquals(List.of(5376L), pool.returns());
    assertEquals(List.of(8448L), pool.refusals());
    assertEquals(1, pool.retries());
    assertFalse(pool.isServed(pool.allocate(5000)));
    assertEquals(1, pool.failures());
  }

  @Test
  void ggp5_bufferWithoutAPlaceGoesBack() throws Exception {
    RequestScript pool = legacy(GIB);
    for (int i = 0; i < 257; i++) {
      pool.allocate(1000);
    }
    for (int i = 0; i < 256; i++) {
      pool.free(i);
    }
    assertEquals(List.of(), pool.returns());
    pool.free(256);
    assertEquals(List.of(1280L), pool.returns());
  }

  @Test
  void ggp6_bufferThatIs64GibLargerDoesNotServe() throws Exception {
    RequestScript pool = legacy(1L << 40);
    int large = pool.allocate(64 * GIB);
    pool.free(large);
    long excess = 64 * GIB - 1;
    int other = pool.allocate(pool.blockBytes(large) - excess - 1);
    assertFalse(pool.address(other) == pool.address(large));
    assertEquals(pool.address(large), pool.address(pool.allocate(pool.blockBytes(large) - excess)));
  }

  @Test
  void ggp7_stackRoundsTo128AndMapsTheGranularity() throws Exception {
    AllocatorPolicy pool = stack("in-order");
    long address = pool.allocate(0, 1, 0, 0);
    assertEquals(address + 128, pool.allocate(1, 200, 0, 0));
    assertEquals(address + 384, pool.allocate(2, 1, 0, 0));
    assertEquals(2 * MIB, MemoryLayout.of(pool).segmentBytes(0));
  }

  @Test
  void ggp8_onlyWhatTheTopLacksIsMapped() throws Exception {
    AllocatorPolicy pool = stack("in-order");
    pool.allocate(0, MIB, 0, 0);
    pool.allocate(1, 3 * MIB, 0, 0);
    assertEquals(4 * MIB, MemoryLayout.of(pool).segmentBytes(0));
    pool.free(1);
    pool.free(0);
    assertEquals(4 * MIB, MemoryLayout.of(pool).blockBytes(0));
    pool.emptyCache();
    assertEquals(4 * MIB, MemoryLayout.of(pool).segmentBytes(0));
  }

  @Test
  void ggp9_eachStreamHas32Gib() throws Exception {
    AllocatorPolicy pool = stack("in-order");
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(0, 32 * GIB + 1, 0, 0));
    assertFalse(pool.allocate(1, 20 * GIB, 0, 0) == AllocatorPolicy.OUT_OF_MEMORY);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, pool.allocate(2, 13 * GIB, 0, 0));
    assertFalse(pool.allocate(3, 12 * GIB, 0, 0) == AllocatorPolicy.OUT_OF_MEMORY);
    assertFalse(pool.allocate(4, 32 * GIB, 1, 0) == AllocatorPolicy.OUT_OF_MEMORY);
  }

  @Test
  void ggp10_programThatFreesInAnotherOrderIsRefusedByTheEvent() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int first = trace.allocate(512, 0, PoolId.DEFAULT);
    trace.allocate(0, 0, PoolId.DEFAULT);
    trace.allocate(1024, 7, PoolId.DEFAULT);
    trace.allocate(2048, 0, PoolId.DEFAULT);
    trace.free(first);
    FutureRequests future = new FutureRequests(RandomTraces.build(trace), 0);
    UnfitTraceException refusal =
        assertThrows(UnfitTraceException.class, () -> stack(Map.of(), future));
    assertEquals(
        "frees in reverse order of allocation: event 4 (counted from 0) frees the 512 bytes of"
            + " event 0 while the 2048 bytes of event 3 are live; frees=deferred serves such"
            + " programs",
        refusal.getMessage());
  }

  @Test
  void programThatFreesInReverseOrderOnEachStreamIsServed() throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int first = trace.allocate(512, 0, PoolId.DEFAULT);
    int other = trace.allocate(512, 7, PoolId.DEFAULT);
    int second = trace.allocate(2048, 0, PoolId.DEFAULT);
    trace.free(other);
    trace.free(second);
    trace.free(first);
    stack(Map.of(), new FutureRequests(RandomTraces.build(trace), 0));
  }

  @Test
  void requestsThatWereNotKnownBeforehandMustBeFreedInOrder() throws Exception {
    AllocatorPolicy pool = stack("in-order");
    pool.allocate(0, 1, 0, 0);
    pool.allocate(1, 1, 0, 0);
    assertThrows(IllegalStateException.class, () -> pool.free(0));
  }

  @Test
  void ggp11_deferredFreeHoldsTheBlockUntilThoseAboveItAreFreed() throws Exception {
    StringBuilder completed = new StringBuilder();
    AllocatorPolicy pool =
        new StackPool(
            2 * MIB,
            true,
            -1,
            device,
            new EffectListener() {
              @Override
              public void freeCompleted(
                  int allocation,
                  long address,
                  long requested,
                  long block,
                  int stream,
                  boolean small) {
                completed.append(allocation).append(' ');
              }
            });
    long address = pool.allocate(0, MIB, 0, 0);
    pool.allocate(1, MIB, 0, 0);
    pool.allocate(2, MIB, 0, 0);
    pool.free(0);
    pool.free(1);
    assertEquals("", completed.toString());
    assertEquals(address + 3 * MIB, pool.allocate(3, MIB, 0, 0));
    pool.free(3);
    pool.free(2);
    assertEquals("3 2 1 0 ", completed.toString());
    assertEquals(address, pool.allocate(4, 4 * MIB, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "granularity, 3000000, power of two",
    "granularity, 64GiB, power of two",
    "granularity, 1024, at least 4096",
    "frees, any, in-order or deferred"
  })
  void valuesThatAreNotValidAreRefused(String option, String value, String reason) {
    PolicyOptionException refusal =
        assertThrows(
            PolicyOptionException.class, () -> stack(Map.of(option, value), FutureRequests.NONE));
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(value), refusal.getMessage());
  }
}
